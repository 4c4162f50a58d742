// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

// Constants that decide speed and memory use, each with its reason. Pixel values do not depend on
// the constants. A whole number n as a "share" means 1/n. Limits on input are in core/base/limits.h
// and in the readers of documents.
namespace zarr::tuning {

// --- Memory, in bytes

// Size from which Buffer aligns memory to a cache line. Smaller blocks are left to the C library's
// allocator, which reuses small blocks well.
inline constexpr std::size_t kAlignedFrom = std::size_t{64} << 10;
// Size in bytes of a large page on most processors.
inline constexpr std::size_t kLargePage = std::size_t{2} << 20;
// Size from which pages are mapped in advance. For smaller memory, page faults cost less than the
// system call that maps pages.
inline constexpr std::size_t kPopulatedFrom = std::size_t{1} << 20;
// Initial capacity of a codec's output buffer if the output size is unknown. The capacity doubles
// whenever the buffer is full.
inline constexpr std::size_t kFirstOutput = std::size_t{64} << 10;
// Initial capacity of the buffer for encoded variable-length items, which are often short texts.
inline constexpr std::size_t kFirstItems = std::size_t{4} << 10;
// Maximum memory, in bytes, of a zstd encoder that is kept for the next chunk. Encoders of high
// levels use more and are freed after each chunk.
inline constexpr std::size_t kMaxIdleEncoder = std::size_t{16} << 20;
// Maximum number of scratch buffers that are kept between reads, and maximum size in bytes of each.
// Larger buffers are freed.
inline constexpr std::size_t kMaxIdleScratches = 16;
inline constexpr std::size_t kMaxIdleScratchBytes = std::size_t{16} << 20;
// Maximum size, in bytes, of the buffers of finished requests that are kept for later requests.
inline constexpr std::size_t kIdleReadBytes = std::size_t{16} << 20;

// --- Caches

// Maximum size, in bytes, of the cached documents and listings of an open store. A full cache is
// cleared.
inline constexpr std::size_t kNodeCacheBytes = std::size_t{16} << 20;
// Maximum size of the cached manifests of an Icechunk repository, decompressed, in bytes. A larger
// manifest is cached alone.
inline constexpr std::size_t kManifestCacheBytes = std::size_t{128} << 20;
// Maximum number of chunk or shard shapes whose bound codecs are cached. Irregular grids have many
// shapes, and binding codecs to a shape takes time.
inline constexpr std::size_t kBoundShapes = 4096;
// Size in bytes of the cache for shard indexes, and for shards that are encoded as a whole. The
// size is 1/kShardCacheShare of the chunk cache, but at least kMinShardCache.
inline constexpr std::size_t kMinShardCache = std::size_t{32} << 20;
inline constexpr std::size_t kShardCacheShare = 4;
// A read leaves all its chunks in the cache if the chunks take at most 1/kRepeatedShare of the
// cache. Such a small read may be repeated and evicts little.
inline constexpr std::uint64_t kRepeatedShare = 8;
// Maximum size of the cached Parquet files of an open store of references, in bytes. A file of the
// usual 100,000 references takes 2 MB plus the size of its texts.
inline constexpr std::size_t kPartitionCacheBytes = std::size_t{32} << 20;
// Minimum number of array names in the registry of an ArrayContext before the names of closed
// arrays are removed.
inline constexpr std::size_t kMinPrunedNames = 64;
// Size of the table of chunks that were recently read in part: kPartSets sets with kPartWays
// entries each. A set has several entries, so that chunks that are read in turn do not evict each
// other.
inline constexpr std::size_t kPartSets = 1024;
inline constexpr std::size_t kPartWays = 8;

// --- Threads

// Time without work after which a pool thread ends.
inline constexpr std::chrono::seconds kIdleThread{1};
// Maximum time that fork() waits for running jobs; decoding a chunk takes less. The wait is bounded
// because a pool thread that itself calls fork() would wait for itself.
inline constexpr std::chrono::seconds kMaxForkWait{2};
// A read of at most this many bytes runs on a single thread if all its chunks are cached. A single
// thread is faster for so few bytes.
inline constexpr std::uint64_t kParallelReadFrom = std::uint64_t{1} << 18;
// A small read (see kParallelReadFrom) of at most this many parts first copies the cached parts.
// Threads are started only for the remaining parts.
inline constexpr std::size_t kMaxCachedParts = 64;
// Number of bytes that one thread copies at a time. Waking a thread takes as long as copying a
// quarter of this number.
inline constexpr std::uint64_t kCopiedPart = std::uint64_t{1} << 20;
// Number of bytes of a blosc frame that one thread decodes at a time. Small enough that the decoded
// bytes stay in the processor's cache until they are copied, and that late threads still find work.
inline constexpr std::size_t kDecodedPart = std::size_t{1} << 20;
// Number of locks for the shards of an array during writes. With this many locks, threads that
// write different shards seldom share a lock.
inline constexpr std::size_t kShardLocks = 64;

// --- Copying

// Side, in elements, of the squares in which a block is transposed. A square of doubles fits into
// the first-level cache.
inline constexpr std::uint64_t kTransposedSide = 32;
// Size in bytes from which the result of a read is stored past the processor's caches. A larger
// result would be evicted from the caches before its use.
inline constexpr std::uint64_t kStreamedFrom = std::uint64_t{1} << 18;

// --- Reading chunks

// Number of concurrent reads that keep a disk busy.
inline constexpr std::size_t kDiskReads = 32;
// A read of at least this many decoded bytes checks whether the store must wait for a disk.
inline constexpr std::uint64_t kMinBytesToCheckDisk = std::uint64_t{1} << 20;
// Maximum decoded size of the chunks that one call reads concurrently from a network or a disk.
inline constexpr std::size_t kInFlightBytes = std::size_t{128} << 20;
// Size in bytes of a chunk from which decoding only the wanted part is faster than decoding the
// whole chunk.
inline constexpr std::size_t kPartsFrom = std::size_t{256} << 10;
// Limits for decoding only a part of a chunk: at most kPartRanges byte ranges and 1/kPartShare of
// the chunk. For a larger part the whole chunk is decoded.
inline constexpr std::size_t kPartRanges = 4096;
inline constexpr std::size_t kPartShare = 16;
// Read-ahead predicts the next read after this number of equal steps between successive reads.
inline constexpr std::uint64_t kEqualSteps = 2;
// Limits of read-ahead. The loaded chunks take at most kAheadBytes, and 1/kAheadShare of the chunk
// cache. At most kAheadBatches batches load at once. One sequence of reads has at most
// kBatchesPerSequence batches: one loads while the other is used.
//
// A batch has at most kAheadRegions regions, because hundreds of regions, such as rows, may share
// one chunk.
inline constexpr std::size_t kAheadBytes = std::size_t{64} << 20;
inline constexpr std::size_t kAheadShare = 4;
inline constexpr std::size_t kAheadBatches = 4;
inline constexpr std::size_t kBatchesPerSequence = 2;
inline constexpr std::size_t kAheadRegions = 256;
// Maximum number of chunks in a group of an array without shards. A group is read together. Groups
// exist if all values of the store are parts of one object, as in a zip file. The number is bounded
// because a read plans its group at once and needs memory per chunk.
//
// A group has at least all chunks at one index of the first dimension, even if their number exceeds
// the maximum.
inline constexpr std::uint64_t kMaxUnshardedGroup = std::uint64_t{1} << 14;
// Maximum number of shards whose chunks are listed over a network. The number is bounded because
// each shard costs a request.
inline constexpr std::size_t kListedShards = 64;

// --- Reading files of this machine

// Size of the parts in which several threads read one file. Several threads help because reading
// into new memory costs as much as decoding.
inline constexpr std::size_t kFilePart = std::size_t{4} << 20;
// Reads of at least kBouncedFrom bytes avoid a slow copy by the system with the help of a buffer of
// kBounceBuffer bytes. The buffer stays in the processor's cache. CopiesSlowly() in
// core/store/local_file.cpp describes the slow copy.
inline constexpr std::size_t kBouncedFrom = std::size_t{64} << 10;
inline constexpr std::size_t kBounceBuffer = std::size_t{256} << 10;

// --- Reading over a network

// Number of concurrent requests. Concurrency hides the latency of a server.
inline constexpr std::size_t kRemoteReads = 32;
// Maximum number of idle connections that are kept for later requests. Larger than kRemoteReads, so
// that all concurrent requests can keep their connections. The least recently used connections are
// closed first.
inline constexpr std::size_t kIdleConnections = 128;
// Latency (30 ms) and rate (16 MiB per second) that are assumed for a network link before any
// measurement. Ranges with gaps up to 0.5 MB are then joined to one request.
inline constexpr std::uint64_t kInitialLatency = 30'000'000;  // in nanoseconds
inline constexpr double kInitialRate = 16.0 * (1 << 20);      // in bytes per second
// A response of at most kLatencyBytes measures the latency of a link. A response of at least
// kRateBytes measures the rate of the link.
inline constexpr std::uint64_t kLatencyBytes = std::uint64_t{16} << 10;
inline constexpr std::uint64_t kRateBytes = std::uint64_t{256} << 10;
// Weights in the running averages of a link's rate and latency. The old rate keeps the weight
// kOldRateShare, so that mainly the last few requests count. A response that is slower than the
// known latency has only the weight kSlowResponseWeight, because a delay is seldom due to the link.
inline constexpr double kOldRateShare = 0.75;
inline constexpr double kSlowResponseWeight = 1.0 / 64;
// Bounds, in bytes, of the largest gap between two ranges that are read by one request. Within the
// bounds, the largest gap is the number of bytes that arrive during one latency.
inline constexpr std::uint64_t kMinGap = 4096;
inline constexpr std::uint64_t kMaxGap = std::uint64_t{1} << 20;
// Maximum number of bytes of a request that joins several ranges. More bytes are split into
// concurrent requests.
inline constexpr std::uint64_t kRequestBytes = std::uint64_t{16} << 20;
// Gaps between joined ranges may total at most 1/kWasteShare of the wanted bytes. A gap of at most
// kFreeGap bytes does not count, because the headers of another request would be as large.
inline constexpr std::uint64_t kWasteShare = 10;
inline constexpr std::uint64_t kFreeGap = 1024;
// Maximum total size of a remote store's cached metadata, and maximum size of a value that is
// prefetched. Both are in bytes.
inline constexpr std::size_t kMetadataCacheBytes = std::size_t{64} << 20;
inline constexpr std::size_t kPrefetchedBytes = std::size_t{4} << 20;
// Maximum number of target files that one document of references keeps open. A year of hourly files
// is 8,784 files.
inline constexpr std::size_t kOpenTargets = 10000;
// Number of keys whose latest version a remote store remembers, to detect that a value was replaced
// between two reads.
inline constexpr std::size_t kKnownVersions = std::size_t{1} << 16;
// Time after opening a remote store during which later datasets reuse the store's cached metadata.
// A program may open subdatasets one after another.
inline constexpr std::chrono::seconds kSharedFor{5};

// --- Writing chunks

// Minimum limit for pending bytes, which are written by the caller but not stored yet. Enough for a
// row of chunks that is written line by line.
inline constexpr std::size_t kMinPendingLimit = std::size_t{64} << 20;
// Estimated memory of a pending chunk in addition to its elements, in bytes.
inline constexpr std::size_t kPendingOverhead = 128;
// Number of bytes by which the pending chunks of shards may exceed their limit. Without this slack,
// a small limit would store a shard for every chunk.
inline constexpr std::size_t kPendingSlack = std::size_t{1} << 20;

}  // namespace zarr::tuning
