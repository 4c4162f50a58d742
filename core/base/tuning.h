// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

// Numbers that decide speed and memory use, each with its reason. Pixel values do not depend on
// them. A "share" of n means 1/n. Limits on input are in core/base/limits.h and in the readers of
// documents.
namespace zarr::tuning {

// --- Memory, in bytes

// Size from which Buffer aligns memory to a cache line. The C library's allocator reuses smaller
// blocks well.
inline constexpr std::size_t kAlignedFrom = std::size_t{64} << 10;
// Size of a large page on most processors.
inline constexpr std::size_t kLargePage = std::size_t{2} << 20;
// Size from which pages are mapped in advance. Below, page faults cost less than the system call.
inline constexpr std::size_t kPopulatedFrom = std::size_t{1} << 20;
// Initial capacity for codec output of unknown size; doubles as needed.
inline constexpr std::size_t kFirstOutput = std::size_t{64} << 10;
// Initial capacity for encoded variable-length items, which are often short texts.
inline constexpr std::size_t kFirstItems = std::size_t{4} << 10;
// A zstd encoder that uses more memory than this, as high levels do, is freed after each chunk.
inline constexpr std::size_t kMaxIdleEncoder = std::size_t{16} << 20;
// Number and size of scratch buffers that are kept between reads; larger buffers are freed.
inline constexpr std::size_t kMaxIdleScratches = 16;
inline constexpr std::size_t kMaxIdleScratchBytes = std::size_t{16} << 20;
// Memory of finished requests that is kept for later requests.
inline constexpr std::size_t kIdleReadBytes = std::size_t{16} << 20;

// --- Caches

// Maximum size of the cached documents and listings of an open store. The cache is cleared when
// full.
inline constexpr std::size_t kNodeCacheBytes = std::size_t{16} << 20;
// Maximum number of cached edge-chunk shapes of an irregular grid. Codecs are bound once per shape.
inline constexpr std::size_t kBoundShapes = 4096;
// Minimum size of the cache for shard indexes and wholly encoded shards, and its share of the
// memory for decoded chunks.
inline constexpr std::size_t kMinShardCache = std::size_t{32} << 20;
inline constexpr std::size_t kShardCacheShare = 4;
// A read of at most this share of the chunk cache leaves all its chunks cached: it may be repeated
// and evicts little.
inline constexpr std::uint64_t kRepeatedShare = 8;
// Number of remembered array names from which the names of closed arrays are dropped.
inline constexpr std::size_t kMinPrunedNames = 64;
// Set-associative table of chunks that were recently read in part: number of sets, entries per set.
// Several entries per set keep alternately read chunks from evicting each other.
inline constexpr std::size_t kPartSets = 1024;
inline constexpr std::size_t kPartWays = 8;

// --- Threads

// Time without work after which a pool thread ends.
inline constexpr std::chrono::seconds kIdleThread{1};
// Maximum time that fork() waits for running jobs; decoding a chunk takes less. Bounded because a
// pool thread that itself calls fork() would wait for itself.
inline constexpr std::chrono::seconds kMaxForkWait{2};
// Size in bytes below which a read whose chunks are all cached runs on one thread, which is faster.
inline constexpr std::uint64_t kParallelReadFrom = std::uint64_t{1} << 18;
// Maximum number of parts of a small read (kParallelReadFrom) that are copied from the cache before
// threads are started.
inline constexpr std::size_t kMaxCachedParts = 64;
// Bytes that one thread copies at a time. Waking a thread takes as long as copying a quarter of
// this.
inline constexpr std::uint64_t kCopiedPart = std::uint64_t{1} << 20;
// Bytes of a blosc frame that one thread decodes at a time. The bytes stay in the processor's cache
// until they are copied, and late threads still find work.
inline constexpr std::size_t kDecodedPart = std::size_t{1} << 20;
// Number of locks for the shards of an array during writes. With this many, threads that write
// different shards seldom share a lock.
inline constexpr std::size_t kShardLocks = 64;

// --- Copying

// Side, in elements, of the squares in which a block is transposed. A square of doubles fits into
// the first-level cache.
inline constexpr std::uint64_t kTransposedSide = 32;
// Size in bytes from which a read bypasses the processor's caches: a larger result would be evicted
// before its use.
inline constexpr std::uint64_t kStreamedFrom = std::uint64_t{1} << 18;

// --- Reading chunks

// Number of concurrent reads that keep a disk busy.
inline constexpr std::size_t kDiskReads = 32;
// Decoded size in bytes from which a read checks whether the store must wait for a disk.
inline constexpr std::uint64_t kDiskAskedFrom = std::uint64_t{1} << 20;
// Maximum decoded size of the chunks that one call reads concurrently from a network or a disk.
inline constexpr std::size_t kInFlightBytes = std::size_t{128} << 20;
// Size from which decoding a part of a chunk is faster than decoding the chunk whole.
inline constexpr std::size_t kPartsFrom = std::size_t{256} << 10;
// Limits for decoding a part of a chunk: number of byte ranges, and share of the chunk. A larger
// part is decoded with the whole chunk.
inline constexpr std::size_t kPartRanges = 4096;
inline constexpr std::size_t kPartShare = 16;
// Number of equal steps between reads after which read-ahead predicts the next read.
inline constexpr std::uint64_t kEqualSteps = 2;
// Limits of read-ahead: bytes, share of the chunk cache, number of batches, and regions per batch.
// A sequence of reads has two batches: the next batch loads while the current one is used. Regions
// are bounded because hundreds of rows may share one chunk.
inline constexpr std::size_t kAheadBytes = std::size_t{64} << 20;
inline constexpr std::size_t kAheadShare = 4;
inline constexpr std::size_t kAheadBatches = 4;
inline constexpr std::size_t kFollowedBatches = 2;
inline constexpr std::size_t kAheadRegions = 256;
// Maximum number of unsharded chunks in a group, if the store is packed. Exceeded only if one index
// of the first dimension has more chunks. A read plans its group at once and needs memory per
// chunk.
inline constexpr std::uint64_t kMaxUnshardedGroup = std::uint64_t{1} << 14;
// Maximum number of shards whose chunks are listed over a network. Each shard costs a request.
inline constexpr std::size_t kListedShards = 64;

// --- Reading files of this machine

// Part size for reading a file on several threads. Reading into new memory costs as much as
// decoding.
inline constexpr std::size_t kFilePart = std::size_t{4} << 20;
// Size from which reads avoid a slow copy by the system with the help of a bounce buffer, and the
// size of that buffer. The buffer stays in the processor's cache. See CopiesSlowly() in
// core/store/local_file.cpp.
inline constexpr std::size_t kBouncedFrom = std::size_t{64} << 10;
inline constexpr std::size_t kBounceBuffer = std::size_t{256} << 10;

// --- Reading over a network

// Number of concurrent requests, which hides the latency of a server.
inline constexpr std::size_t kRemoteReads = 32;
// Number of idle connections that are kept for later requests; larger than kRemoteReads. The least
// recently used connections are closed first.
inline constexpr std::size_t kIdleConnections = 128;
// Assumed latency and rate of a link before any measurement: 30 ms and 16 MiB per second. Ranges
// with gaps up to 0.5 MB are then joined.
inline constexpr std::uint64_t kInitialLatency = 30'000'000;  // nanoseconds
inline constexpr double kInitialRate = 16.0 * (1 << 20);      // bytes in a second
// A response of at most kLatencyBytes measures latency; a response of at least kRateBytes measures
// the rate.
inline constexpr std::uint64_t kLatencyBytes = std::uint64_t{16} << 10;
inline constexpr std::uint64_t kRateBytes = std::uint64_t{256} << 10;
// Weights of a new measurement. The known rate keeps kOldRateShare, so that the last few requests
// count. A slower response moves the known latency only by kSlowResponseWeight: delays are seldom
// due to the link.
inline constexpr double kOldRateShare = 0.75;
inline constexpr double kSlowResponseWeight = 1.0 / 64;
// Bounds of the gap, in bytes, across which two ranges become one request. The gap itself is the
// number of bytes that arrive during one latency.
inline constexpr std::uint64_t kMinGap = 4096;
inline constexpr std::uint64_t kMaxGap = std::uint64_t{1} << 20;
// Maximum bytes of a request for several ranges. Larger amounts are split into concurrent requests.
inline constexpr std::uint64_t kRequestBytes = std::uint64_t{16} << 20;
// Maximum share of gaps in the wanted bytes. Gaps up to kFreeGap do not count: request and response
// headers are as large.
inline constexpr std::uint64_t kWasteShare = 10;
inline constexpr std::uint64_t kFreeGap = 1024;
// Maximum size of a remote store's cached metadata, and maximum size of a value that is prefetched.
inline constexpr std::size_t kMetadataCacheBytes = std::size_t{64} << 20;
inline constexpr std::size_t kPrefetchedBytes = std::size_t{4} << 20;
// Maximum number of targets that one document of references keeps open. A year of hourly files is
// 8,784.
inline constexpr std::size_t kOpenTargets = 10000;
// Number of value versions that a remote store remembers, to detect that a value was replaced
// between two reads.
inline constexpr std::size_t kKnownVersions = std::size_t{1} << 16;
// Time during which later datasets of one remote store reuse its metadata, as when a program opens
// subdatasets one after another.
inline constexpr std::chrono::seconds kSharedFor{5};

// --- Writing chunks

// Pending bytes that are always allowed: enough for a row of chunks that is written line by line.
inline constexpr std::size_t kMinPendingLimit = std::size_t{64} << 20;
// Estimated memory of a pending chunk in addition to its bytes.
inline constexpr std::size_t kPendingOverhead = 128;
// Amount by which pending bytes may exceed their limit, so that a small limit does not flush a
// shard for every chunk.
inline constexpr std::size_t kPendingSlack = std::size_t{1} << 20;

}  // namespace zarr::tuning
