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

// Holds values under keys. A key that is not there is a value (false, nullopt), never an error; a
// store that refuses or fails is an error whose message starts with the key. All methods may be
// called from several threads at once. Keys must obey the rules of keys.h.
class Store {
  public:
    virtual ~Store() = default;

    // The store's path or URL, for messages.
    virtual std::string Describe() const = 0;

    // The same for all stores of the process that hold the same things. The default is this object
    // alone.
    virtual std::string Identity() const;

    // How this one answers, where another of the same Identity() may answer otherwise, since it
    // takes refusals for absence or remembers what it was told. Arrays in stores that differ in it
    // see what is written through each other, and nothing else. The default is one manner for all.
    virtual std::string AccessOptions() const { return {}; }

    // How many reads at the same time serve best where each takes a while, as over a network; 1
    // where it is no more than there are threads to decode what is read.
    virtual std::size_t ReadsAtOnce() const { return 1; }

    // True where a value is on a disk and not in the system's memory, so that several are read best
    // at the same time, as far as is known. Takes as long as to open it.
    virtual bool WaitsForDisk(const std::string& /*key*/) const { return false; }

    // What decides which parts of one value are read by one request.
    virtual ReadCost CostOfReads() const { return kLocalCost; }
    static constexpr ReadCost kLocalCost{std::uint64_t{64} << 10, std::uint64_t{4} << 20, 0, 0};

    // True where values lie in one object, so that GetMany() needs fewer requests than there are
    // keys.
    virtual bool PacksValues() const { return false; }

    // True where asking costs so much that it is worth while to remember which keys are absent.
    virtual bool RemembersAbsence() const { return false; }

    // The version of a key, without reading the value; of a store that is told of versions by what
    // it reads, the last that it was told of. The default knows none.
    virtual ObjectVersion VersionOf(const std::string& key) const;

    // Reads the whole value into `value`; false where the key is absent. A value of more than
    // `limit` bytes is a kLimit error, found before it is read.
    virtual Result<bool> Get(const std::string& key, Buffer& value, std::size_t limit) const = 0;

    // The same; `version` becomes that which VersionOf() told before the value was read. A store
    // that is told of both by one request overrides this.
    virtual Result<bool> GetVersioned(const std::string& key, Buffer& value, std::size_t limit,
                                      ObjectVersion& version) const;

    // Reads several values whole, and calls `take` with the place of each in `keys`, in any order,
    // from several threads at once; `bytes` are there as long as that call, nothing where the key
    // is absent. What lies near each other in one object is read by one request. Fails as what
    // fails first; others may be taken or not. The default asks for each.
    using ValueTaker =
        std::function<Status(std::size_t place, const std::optional<ByteSpan>& bytes)>;
    virtual Status GetMany(const std::vector<std::string>& keys, const ReadManyOptions& options,
                           const ValueTaker& take) const;

    // Says that keys will be read soon, and prefixes listed. A store where each request takes a
    // while asks for them together now, and keeps those of the answers that are small; in others,
    // as by default, this does nothing. What fails here fails again where it is read.
    virtual void Prefetch(const std::vector<std::string>& keys,
                          const std::vector<std::string>& prefixes) const;
    // False where Get() of a key, or List() of a prefix, would take a request over a network.
    virtual bool IsAtHand(const std::string& key) const;
    virtual bool IsListAtHand(const std::string& prefix) const;

    // Reads the value into `memory` where it has exactly that size. Returns the value's size, with
    // the contents of `memory` undefined if the two differ, or nullopt where the key is absent.
    virtual Result<std::optional<std::size_t>> GetInto(const std::string& key,
                                                       MutableByteSpan memory) const;

    // Reads `length` bytes from `offset`; fewer where the value ends before. False where absent.
    virtual Result<bool> GetRange(const std::string& key, std::uint64_t offset, std::size_t length,
                                  Buffer& value) const = 0;

    // Reads the last `length` bytes, or all of a value that has fewer. Returns the size of the
    // value, or nullopt where the key is absent. One request; the default takes more, or reads the
    // whole value, where VersionOf() does not tell its size.
    virtual Result<std::optional<std::uint64_t>> GetTail(const std::string& key, std::size_t length,
                                                         Buffer& value) const;

    // Replaces the value whole: a concurrent reader sees the old or the new one. The default
    // refuses, as a read-only store does.
    virtual Status Set(const std::string& key, ByteSpan value);
    // The same of a value that lies in parts, one after another. The default puts them together.
    virtual Status SetParts(const std::string& key, const std::vector<ByteSpan>& parts);
    // Removes the key; one that is absent is no error.
    virtual Status Erase(const std::string& key);
    // Removes several, by as few requests as the store can. The default removes one after another.
    virtual Status EraseMany(const std::vector<std::string>& keys);

    // What a store has of a prefix besides the keys below it: removes an empty folder, or a link to
    // a folder and nothing of where it leads. True where that was all there was, false where keys
    // are left or where, as in the default, the store has no directories.
    virtual Result<bool> ErasePrefix(const std::string& prefix);
    // Moves every key below `from` to below `to`, where there must be nothing, at once. False where
    // the store cannot, as in the default; then nothing has changed.
    virtual Result<bool> RenamePrefix(const std::string& from, const std::string& to);

    // Between these two, nothing is in the store but what is written through this object. A store
    // where each request takes a while then answers from what was written, and makes no request.
    // The defaults do nothing.
    virtual void BeginMaking() {}
    virtual void EndMaking() {}

    // Lets others who open the store see what was written to it, where they do not see it at once;
    // the default does nothing.
    virtual Status Flush();
    // Writes what the store has held back, where it does; the default does not. Nothing may be
    // written afterwards. A writer that is not closed is one that was given up.
    virtual Status Close();

    // The direct children of `prefix` ("" is the root, otherwise without trailing '/'), sorted by
    // name; empty where there are none. kUnsupported where the store cannot list.
    virtual Result<std::vector<StoreEntry>> List(const std::string& prefix) const = 0;

    // Calls `visit` with each direct child of a prefix, in any order, until it returns false. Of a
    // store that shows another one differently, with what that one has. kUnsupported where the
    // store cannot list, or where that costs more than asking for a key. The default lists.
    using EntryVisitor = std::function<bool(const StoreEntry&)>;
    virtual Status VisitEntries(const std::string& prefix, const EntryVisitor& visit) const;

    // Calls `visit` with what follows "PREFIX/" in every key below a prefix, in any order, and with
    // the size of its value in bytes where the listing tells; and `visit_prefix`, which may be
    // empty, with that of every prefix that the store shows on the way, as folders do. The default
    // lists each prefix, and takes sizes from VersionOf(). kUnsupported where the store cannot
    // list, or not reliably.
    using KeyVisitor = std::function<void(std::string_view, std::optional<std::uint64_t>)>;
    using PrefixVisitor = std::function<void(std::string_view)>;
    virtual Status ForEachKey(const std::string& prefix, const KeyVisitor& visit,
                              const PrefixVisitor& visit_prefix) const;
};

// What GetTail() reads of a value of `size` bytes.
struct TailPlace {
    TailPlace(std::uint64_t size, std::size_t wanted)
        : length(static_cast<std::size_t>(size < wanted ? size : wanted)), offset(size - length) {}

    std::size_t length;
    std::uint64_t offset;
};

inline constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

// Get() of a metadata document, of at most Limit::kMetadataSize bytes.
Result<bool> GetDocument(const Store& store, const std::string& key, Buffer& text);

// The kLimit error of Get().
Status ValueTooLarge(const std::string& key, std::uint64_t size, std::size_t limit);

// A read-only store that is another one, but for what a class derived from it changes.
class ForwardingStore : public Store {
  public:
    explicit ForwardingStore(std::shared_ptr<const Store> base) : base_(std::move(base)) {}

    std::string Describe() const override { return base_->Describe(); }
    std::string Identity() const override { return base_->Identity(); }
    std::string AccessOptions() const override { return base_->AccessOptions(); }
    std::size_t ReadsAtOnce() const override { return base_->ReadsAtOnce(); }
    bool WaitsForDisk(const std::string& key) const override { return base_->WaitsForDisk(key); }
    bool RemembersAbsence() const override { return base_->RemembersAbsence(); }
    ObjectVersion VersionOf(const std::string& key) const override { return base_->VersionOf(key); }
    ReadCost CostOfReads() const override { return base_->CostOfReads(); }
    bool PacksValues() const override { return base_->PacksValues(); }
    Status GetMany(const std::vector<std::string>& keys, const ReadManyOptions& options,
                   const ValueTaker& take) const override {
        return base_->GetMany(keys, options, take);
    }
    void Prefetch(const std::vector<std::string>& keys,
                  const std::vector<std::string>& prefixes) const override {
        base_->Prefetch(keys, prefixes);
    }
    bool IsAtHand(const std::string& key) const override { return base_->IsAtHand(key); }
    bool IsListAtHand(const std::string& prefix) const override {
        return base_->IsListAtHand(prefix);
    }
    Result<bool> Get(const std::string& key, Buffer& value, std::size_t limit) const override {
        return base_->Get(key, value, limit);
    }
    Result<std::optional<std::size_t>> GetInto(const std::string& key,
                                               MutableByteSpan memory) const override {
        return base_->GetInto(key, memory);
    }
    Result<bool> GetRange(const std::string& key, std::uint64_t offset, std::size_t length,
                          Buffer& value) const override {
        return base_->GetRange(key, offset, length, value);
    }
    Result<std::optional<std::uint64_t>> GetTail(const std::string& key, std::size_t length,
                                                 Buffer& value) const override {
        return base_->GetTail(key, length, value);
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

  protected:
    const Store& base() const { return *base_; }

  private:
    const std::shared_ptr<const Store> base_;
};

}  // namespace zarr
