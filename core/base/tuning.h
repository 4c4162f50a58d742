// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

// The numbers that decide speed and memory, each with its reason. Pixels do not depend on them.
// A share n means one n-th. Bounds on what a document may ask for are in core/base/limits.h, and
// beside the readers of the documents.
namespace zarr::tuning {

// --- Memory, in bytes

// The C library's allocator keeps smaller memory itself; Buffer aligns larger one to a cache line.
inline constexpr std::size_t kAlignedFrom = std::size_t{64} << 10;
// The size of a large page on most processors.
inline constexpr std::size_t kLargePage = std::size_t{2} << 20;
// Fewer page faults cost less than the system call that prevents them.
inline constexpr std::size_t kPopulatedFrom = std::size_t{1} << 20;
// The first room for a codec's output of unknown size; it doubles from there.
inline constexpr std::size_t kFirstOutput = std::size_t{64} << 10;
// The first room for encoded items, which are often short texts.
inline constexpr std::size_t kFirstItems = std::size_t{4} << 10;
// A zstd encoder that has grown beyond this, as for high levels, is freed after a chunk.
inline constexpr std::size_t kKeptEncoder = std::size_t{16} << 20;
// Scratch that a few threads need is kept between reads; larger scratch is freed.
inline constexpr std::size_t kKeptScratches = 16;
inline constexpr std::size_t kKeptScratchBytes = std::size_t{16} << 20;
// Memory of a finished request that is kept for the next one.
inline constexpr std::size_t kIdleReadBytes = std::size_t{16} << 20;

// --- Caches

// Bytes of documents and listings of an open store. All are forgotten when more are asked for.
inline constexpr std::size_t kNodeCacheBytes = std::size_t{16} << 20;
// Shapes of chunks at the edges of an irregular grid, for each of which codecs are bound once.
inline constexpr std::size_t kBoundShapes = 4096;
// The least memory for shard indexes and shards that are encoded as a whole, and their share of the
// memory for decoded chunks.
inline constexpr std::size_t kLeastShardCache = std::size_t{32} << 20;
inline constexpr std::size_t kShardCacheShare = 4;
// A read of at most this share of the cache leaves all its chunks there: it may be repeated, and
// evicts little else.
inline constexpr std::uint64_t kRepeatedShare = 8;
// Names of arrays that are no longer open are dropped when there are at least this many names.
inline constexpr std::size_t kPrunedNames = 64;
// Hashes of chunks of which one part was read lately, in sets: chunks that are read in turns must
// not evict each other.
inline constexpr std::size_t kPartSets = 1024;
inline constexpr std::size_t kPartWays = 8;

// --- Threads

// A thread of the pool ends after this time without work.
inline constexpr std::chrono::seconds kIdleThread{1};
// fork() waits at most this long for chunks that are being decoded. A chunk takes less. A thread
// that forks while it works for the pool waits for itself, and so must not wait for ever.
inline constexpr std::chrono::seconds kForkPatience{2};
// A read of fewer bytes whose chunks are all cached is faster on one thread.
inline constexpr std::uint64_t kSharedReadFrom = std::uint64_t{1} << 18;
// Such a read of at most so many pieces is copied from the cache before threads are asked for.
inline constexpr std::size_t kCachedPieces = 64;
// Bytes that one thread copies at a time. Waking a thread takes as long as copying a quarter.
inline constexpr std::uint64_t kCopiedPart = std::uint64_t{1} << 20;
// Bytes of a blosc frame that one thread decodes at a time. The part stays in the processor's cache
// between decoding and copying, and threads that come late still find work.
inline constexpr std::size_t kDecodedPart = std::size_t{1} << 20;
// Locks for the shards of an array that are written: threads of different shards seldom meet.
inline constexpr std::size_t kShardGates = 64;

// --- Copying

// Elements along each side of the squares in which a block is transposed; a square of doubles fits
// into the first cache.
inline constexpr std::uint64_t kTransposedSide = 32;
// A larger read is no longer in the processor's caches when it is used, and is written around them.
inline constexpr std::uint64_t kStreamedFrom = std::uint64_t{1} << 18;

// --- Reading chunks

// Reads at a time that keep a disk busy.
inline constexpr std::size_t kDiskReads = 32;
// The store is asked whether it waits for a disk where at least so many bytes are decoded.
inline constexpr std::uint64_t kDiskAskedFrom = std::uint64_t{1} << 20;
// Decoded bytes of chunks that one call has under way over a network or from a disk.
inline constexpr std::size_t kInFlightBytes = std::size_t{128} << 20;
// Decoding a part of a smaller chunk gains nothing over decoding it whole.
inline constexpr std::size_t kPartsFrom = std::size_t{256} << 10;
// A part in more ranges than this, or larger than this share of the chunk, is decoded with the
// rest.
inline constexpr std::size_t kPartRanges = 4096;
inline constexpr std::size_t kPartShare = 16;
// Alike steps between reads after which the next one is foreseen.
inline constexpr std::uint64_t kAlikeSteps = 2;
// What is loaded ahead takes at most so many bytes and this share of the cache, in at most so many
// batches. Those of a sequence are two, the next one while the last one comes. A batch has at most
// so many regions, where hundreds of rows lie in one chunk.
inline constexpr std::size_t kAheadBytes = std::size_t{64} << 20;
inline constexpr std::size_t kAheadShare = 4;
inline constexpr std::size_t kAheadBatches = 4;
inline constexpr std::size_t kFollowedBatches = 2;
inline constexpr std::size_t kAheadRegions = 256;
// The most chunks in a group of lone chunks whose store is packed, unless one index along the first
// dimension has more. What a read wants of a group is planned together, in memory for each chunk.
inline constexpr std::uint64_t kLoneChunks = std::uint64_t{1} << 14;
// Listing the chunks of more shards over a network would take too many requests, one for each.
inline constexpr std::size_t kListedShards = 64;

// --- Reading files of this machine

// Reading into new memory costs as much as decoding, so that threads share it in parts of this
// size.
inline constexpr std::size_t kFilePart = std::size_t{4} << 20;
// From this size on a read goes by way of memory to which the system copies quickly, in pieces that
// stay in the processor's cache; see CopiesSlowly() in core/store/local_file.cpp.
inline constexpr std::size_t kDetourFrom = std::size_t{64} << 10;
inline constexpr std::size_t kDetourPiece = std::size_t{256} << 10;

// --- Reading over a network

// Requests at a time, which hide the latency of a server.
inline constexpr std::size_t kRemoteReads = 32;
// Connections that are kept for later requests, more than are in use at a time. The least recently
// used ones are closed.
inline constexpr std::size_t kIdleConnections = 128;
// What a link is taken for before any request: 30 ms and 16 MiB in a second, which make a gap of
// 0.5 MB.
inline constexpr std::uint64_t kFirstLatency = 30'000'000;  // nanoseconds
inline constexpr double kFirstRate = 16.0 * (1 << 20);      // bytes in a second
// An answer of at most so many bytes tells the latency, one of at least so many the rate.
inline constexpr std::uint64_t kLatencyBytes = std::uint64_t{16} << 10;
inline constexpr std::uint64_t kRateBytes = std::uint64_t{256} << 10;
// The share of the known rate that stays when a new one is seen, so that the last few requests
// count; and the share by which a slower answer moves the known latency, as what delays an answer
// is mostly not the link.
inline constexpr double kKnownRateShare = 0.75;
inline constexpr double kSlowerShare = 1.0 / 64;
// Two ranges with a gap between them are one request where the gap comes in the time of an answer,
// within these bounds.
inline constexpr std::uint64_t kLeastGap = 4096;
inline constexpr std::uint64_t kMostGap = std::uint64_t{1} << 20;
// A request for several ranges has at most so many bytes; more are read side by side.
inline constexpr std::uint64_t kRequestBytes = std::uint64_t{16} << 20;
// Gaps take at most this share of the wanted bytes. A gap as small as the headers of a request and
// its answer is free.
inline constexpr std::uint64_t kWasteShare = 10;
inline constexpr std::uint64_t kFreeGap = 1024;
// Metadata of a remote store that are kept while it is open; a value of at most so many bytes is
// asked for ahead.
inline constexpr std::size_t kKeptMetadataBytes = std::size_t{64} << 20;
inline constexpr std::size_t kPrefetchedBytes = std::size_t{4} << 20;
// Values whose versions a remote store remembers, to see that a value was replaced between two
// reads.
inline constexpr std::size_t kKnownVersions = std::size_t{1} << 16;
// Datasets of one remote store that are opened within this time share its metadata, as a program
// does that opens one subdataset after another.
inline constexpr std::chrono::seconds kSharedFor{5};

// --- Writing chunks

// Pending bytes that are always allowed: a row of chunks that is written line by line.
inline constexpr std::size_t kLeastPending = std::size_t{64} << 20;
// What a chunk that waits to be written takes beside its bytes.
inline constexpr std::size_t kPendingOverhead = 128;
// The limit of pending bytes may be passed by this, so that not every chunk of a small limit stores
// its shard.
inline constexpr std::size_t kPendingSlack = std::size_t{1} << 20;

}  // namespace zarr::tuning
