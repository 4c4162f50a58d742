// SPDX-License-Identifier: MIT
// The key/value interface of Zarr's storage: keys are relative paths such as "group/array/0.0".
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/status.h"
#include "core/store/read_ranges.h"

namespace zarr {

// A direct child of a prefix: a key's last part, or the name of a longer prefix.
struct StoreEntry {
    std::string name;
    bool is_prefix = false;
};

// Tells one content of a key from another without reading it.
struct ObjectVersion {
    bool is_certain = false;  // false: not even an equal version means that nothing has changed
    bool exists = false;
    std::uint64_t size = 0;     // bytes
    std::int64_t modified = 0;  // nanoseconds, from any start, or what tells as much
    // Another number for another content of that size and time, as far as the store can tell: the
    // number of a file, or of the contents that a server was seen to have, where 1 is the first and
    // 0 means that it was not asked yet.
    std::uint64_t mark = 0;
};
// True where nothing tells one from the other.
bool SameStamp(const ObjectVersion& a, const ObjectVersion& b);
// True where both are certain and equal.
bool SameVersion(const ObjectVersion& a, const ObjectVersion& b);

struct ReadManyOptions : ReadRangesOptions {
    std::size_t limit = 0;  // maximum number of bytes of a value
};

// Properties of a store that decide how callers read it.
struct StoreTraits {
    static constexpr ReadCost kLocalCost{std::uint64_t{64} << 10, std::uint64_t{4} << 20, 0, 0};

    bool remote = false;  // each read takes a round trip over a network
    bool packed = false;  // values lie in one object: GetMany() reads several by one request
    bool caches_absence = false;  // callers remember absent keys
    // Number of concurrent reads that serves a remote store best.
    std::size_t concurrent_reads = 1;
    ReadCost request_cost = kLocalCost;
    // Options of access. Arrays of stores of equal Identity() whose `access` differs share only
    // what is written through them.
    std::string access;
};

// Bytes of a value that Store::Read() reads.
class ValuePart {
  public:
    // The whole value; more than `limit` bytes are a kLimit error, found before they are read.
    static ValuePart Whole(std::size_t limit) { return {Kind::kWhole, 0, limit}; }
    // `length` bytes at `offset`; fewer if the value ends before.
    static ValuePart Range(std::uint64_t offset, std::size_t length) {
        return {Kind::kRange, offset, length};
    }
    // The last `length` bytes; the whole value if it has fewer.
    static ValuePart Tail(std::size_t length) { return {Kind::kTail, 0, length}; }

    bool is_whole() const { return kind_ == Kind::kWhole; }
    bool is_tail() const { return kind_ == Kind::kTail; }
    std::uint64_t offset() const { return offset_; }  // of a range
    std::size_t length() const { return length_; }    // the limit of a whole value

    struct Extent {
        std::uint64_t offset = 0;
        std::size_t size = 0;
    };
    // Returns the part of a value of `value_size` bytes; the kLimit error names `key`.
    Result<Extent> Of(const std::string& key, std::uint64_t value_size) const;

  private:
    enum class Kind : std::uint8_t { kWhole, kRange, kTail };
    ValuePart(Kind kind, std::uint64_t offset, std::size_t length)
        : kind_(kind), offset_(offset), length_(length) {}

    Kind kind_;
    std::uint64_t offset_;
    std::size_t length_;
};

// Destination of Store::Read(): a buffer, which gets the size of what is read, or memory, which is
// filled only if it has exactly that size.
class ReadSink {
  public:
    ReadSink(Buffer& buffer) : buffer_(&buffer) {}         // NOLINT(google-explicit-constructor)
    ReadSink(MutableByteSpan memory) : memory_(memory) {}  // NOLINT(google-explicit-constructor)

    // Returns room for `size` bytes; nullopt if the memory has another size.
    Result<std::optional<MutableByteSpan>> Reserve(std::size_t size) const;
    // Copies bytes.
    Status Assign(ByteSpan bytes) const;
    Buffer* buffer() const { return buffer_; }  // nullptr if the destination is memory
    MutableByteSpan memory() const { return memory_; }

  private:
    Buffer* buffer_ = nullptr;
    MutableByteSpan memory_;
};

struct ReadResult {
    bool found = false;      // false: the key is absent
    std::uint64_t size = 0;  // bytes of the value; 0 for a range if the store does not tell
    ObjectVersion version;   // of a whole value: VersionOf() from before it was read
};

// Requests keys and listings before they are read. Thread-safe.
class Prefetcher {
  public:
    virtual ~Prefetcher() = default;
    // Requests values and listings together, and keeps the small ones. A failure shows again when
    // the key is read.
    virtual void Prefetch(const std::vector<std::string>& keys,
                          const std::vector<std::string>& prefixes) const = 0;
    // False if Read() of a key, or List() of a prefix, would take a request.
    virtual bool IsAtHand(const std::string& key) const = 0;
    virtual bool IsListAtHand(const std::string& prefix) const = 0;
};

// Changes a store: see the methods of Store.
class StoreWriter {
  public:
    virtual ~StoreWriter() = default;
    virtual Status WriteParts(const std::string& key, const std::vector<ByteSpan>& parts) = 0;
    virtual Status Remove(const std::string& key) = 0;
    // The default removes one key after another.
    virtual Status RemoveMany(const std::vector<std::string>& keys);
    // The defaults return false: there are no folders.
    virtual Result<bool> RemovePrefix(const std::string& prefix);
    virtual Result<bool> MovePrefix(const std::string& from, const std::string& to);
    // The defaults do nothing.
    virtual Status Commit();
    virtual void BeginCreate() {}
    virtual void EndCreate() {}
};

// Values by key. An absent key is a value, never an error; the message of an error starts with the
// key. Thread-safe. Keys obey the rules of keys.h.
class Store {
  public:
    virtual ~Store() = default;

    // The store's path or URL, for messages.
    virtual std::string Describe() const = 0;
    // Equal for all stores of the process with the same contents. The default is this object alone.
    virtual std::string Identity() const;
    virtual StoreTraits Traits() const { return {}; }

    // The version of a key, without reading the value; of a store that learns versions from what it
    // reads, the last one. The default knows none.
    virtual ObjectVersion VersionOf(const std::string& key) const;
    // True if a value is on a disk and not in the system's memory, so that several are read best at
    // the same time. Takes as long as to open it.
    virtual bool WaitsForDisk(const std::string& /*key*/) const { return false; }

    // Reads a part of a value with one request.
    virtual Result<ReadResult> Read(const std::string& key, const ValuePart& part,
                                    const ReadSink& sink) const = 0;

    // Reads several values whole, and calls `take` with the position of each in `keys`, in any
    // order, from several threads at once; `bytes` are valid during that call, nullopt if the key
    // is absent. Returns the first failure; other values may be taken or not. The default reads
    // each.
    using ValueTaker =
        std::function<Status(std::size_t place, const std::optional<ByteSpan>& bytes)>;
    virtual Status GetMany(const std::vector<std::string>& keys, const ReadManyOptions& options,
                           const ValueTaker& take) const;

    // The direct children of `prefix` ("" is the root, otherwise without trailing '/'), sorted by
    // name; empty if there are none. kUnsupported if the store cannot list.
    virtual Result<std::vector<StoreEntry>> List(const std::string& prefix) const = 0;

    // Calls `visit` with each direct child of a prefix, in any order, until it returns false; for a
    // store that shows another one differently, with the children in that one. kUnsupported if the
    // store cannot list, or if that costs more than reading a key. The default lists.
    using EntryVisitor = std::function<bool(const StoreEntry&)>;
    virtual Status VisitEntries(const std::string& prefix, const EntryVisitor& visit) const;

    // Calls `visit` with what follows "PREFIX/" in every key below a prefix, in any order, and with
    // the size of its value in bytes if the listing tells; and `visit_prefix`, which may be empty,
    // with every prefix that the store shows on the way, as folders do. The default lists each
    // prefix, and takes sizes from VersionOf(). kUnsupported if the store cannot list, or not
    // reliably.
    using KeyVisitor = std::function<void(std::string_view, std::optional<std::uint64_t>)>;
    using PrefixVisitor = std::function<void(std::string_view)>;
    virtual Status ForEachKey(const std::string& prefix, const KeyVisitor& visit,
                              const PrefixVisitor& visit_prefix) const;

    // nullptr if nothing is requested ahead, as for a local store.
    virtual const Prefetcher* prefetcher() const { return nullptr; }
    // nullptr if the store is read-only.
    virtual StoreWriter* writer() { return nullptr; }

    // Reads a whole value; false if the key is absent.
    Result<bool> Get(const std::string& key, Buffer& value, std::size_t limit) const;
    // Returns true if the key has a value; reads a byte.
    Result<bool> Exists(const std::string& key) const;

    void Prefetch(const std::vector<std::string>& keys,
                  const std::vector<std::string>& prefixes) const;
    bool IsAtHand(const std::string& key) const;
    bool IsListAtHand(const std::string& prefix) const;

    // Replaces a value whole: a concurrent reader sees the old or the new one. A read-only store
    // returns kUnsupported.
    Status Set(const std::string& key, ByteSpan value) { return SetParts(key, {value}); }
    // Replaces a value by `parts`, one after another.
    Status SetParts(const std::string& key, const std::vector<ByteSpan>& parts);
    // Removes keys, with as few requests as the store can; an absent key is no error.
    Status Erase(const std::string& key);
    Status EraseMany(const std::vector<std::string>& keys);
    // Removes an empty folder, or a link to a folder but not its target. True if that was all there
    // was, false if keys are left or the store has no folders.
    Result<bool> ErasePrefix(const std::string& prefix);
    // Moves every key below `from` to below `to`, which must be empty, at once. False if the store
    // cannot; then nothing has changed.
    Result<bool> RenamePrefix(const std::string& from, const std::string& to);
    // Makes what was written visible to others who open the store.
    Status Flush();
    // While a store is being created, reads are answered from what this object wrote, without a
    // request.
    void BeginCreate();
    void EndCreate();
};

inline constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

// Get() of a metadata document, of at most Limit::kMetadataSize bytes.
Result<bool> GetDocument(const Store& store, const std::string& key, Buffer& text);

// The kLimit error of Get().
Status ValueTooLarge(const std::string& key, std::uint64_t size, std::size_t limit);

// Reads a part of a value that is in memory, as Store::Read() does.
Result<ReadResult> ReadFrom(ByteSpan value, const std::string& key, const ValuePart& part,
                            const ReadSink& sink);

// A read-only store that is another one, but for what a class derived from it changes.
class ForwardingStore : public Store {
  public:
    explicit ForwardingStore(std::shared_ptr<const Store> base) : base_(std::move(base)) {}

    std::string Describe() const override { return base_->Describe(); }
    std::string Identity() const override { return base_->Identity(); }
    StoreTraits Traits() const override { return base_->Traits(); }
    ObjectVersion VersionOf(const std::string& key) const override { return base_->VersionOf(key); }
    bool WaitsForDisk(const std::string& key) const override { return base_->WaitsForDisk(key); }
    Result<ReadResult> Read(const std::string& key, const ValuePart& part,
                            const ReadSink& sink) const override {
        return base_->Read(key, part, sink);
    }
    Status GetMany(const std::vector<std::string>& keys, const ReadManyOptions& options,
                   const ValueTaker& take) const override {
        return base_->GetMany(keys, options, take);
    }
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const override {
        return base_->List(prefix);
    }
    Status VisitEntries(const std::string& prefix, const EntryVisitor& visit) const override {
        return base_->VisitEntries(prefix, visit);
    }
    Status ForEachKey(const std::string& prefix, const KeyVisitor& visit,
                      const PrefixVisitor& visit_prefix) const override {
        return base_->ForEachKey(prefix, visit, visit_prefix);
    }
    const Prefetcher* prefetcher() const override { return base_->prefetcher(); }

  protected:
    const Store& base() const { return *base_; }

  private:
    const std::shared_ptr<const Store> base_;
};

}  // namespace zarr
