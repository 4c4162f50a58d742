// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/array/array_writer.h"
#include "core/hierarchy/hierarchy.h"
#include "core/hierarchy/node_documents.h"
#include "core/json/value.h"
#include "core/metadata/nczarr_documents.h"
#include "core/store/store.h"
#include "core/store/synchronizer.h"

namespace zarr {

// Whether Finish() writes `.zmetadata`.
enum class WriteConsolidated { kIfPresent, kYes, kNo };

enum class IfExists { kFail, kReplace };

// Creates and changes the nodes of a store. Documents are spelled as zarr-python spells them and
// written in an order in which a reader, and the next writer after one that was killed, sees
// whole nodes only: `.zarray` comes after everything it needs and goes before it.
//
// Consolidated metadata that a change makes wrong (`.zmetadata` at the root or in a group above the
// change) are erased before the change and written anew by Finish(), so that they are never stale;
// without Finish() they stay away.
//
// In a store of netCDF-C's what that adds to it is kept right, see NczarrDocuments.
//
// Paths may be in any form that NormalizePath() takes; "" is the root. Errors name the key; what is
// asked for and cannot be is kInvalidArgument, also a path with a reserved name (".zarray", ...) in
// it. After an error of the store the call can be repeated (but see RenameNode()). All methods may
// be called from several threads, one runs at a time. Against other writers to the same store only
// a Synchronizer guards, and only in part: `.zattrs` and `.zarray` are replaced under their locks,
// as zarr-python does it, and `.zmetadata` are written under theirs, so that they hold what each
// writer has changed from the end of its Finish() on. Without locks they do once all have ended.
class HierarchyWriter {
  public:
    // `format` is that of a store that is made; without, the store is asked.
    explicit HierarchyWriter(std::shared_ptr<Store> store,
                             WriteConsolidated consolidated = WriteConsolidated::kIfPresent,
                             std::shared_ptr<Synchronizer> locks = nullptr,
                             std::optional<Format> format = std::nullopt)
        : store_(std::move(store)),
          locks_(std::move(locks)),
          nczarr_(store_, locks_),
          consolidated_(consolidated) {
        if (format) documents_.emplace(*store_, nczarr_, *format);
    }

    // Writes `.zgroup` for the group and for each group above it, from the root down, where there
    // is none yet. Chunks without an array, left by a deletion that was killed, are removed.
    Status CreateGroup(std::string_view path);

    // The version of the format that the store is of, or is to be of.
    Result<Format> StoreFormat();

    // Makes an array with attributes, and the groups above it. What is at `path` already is deleted
    // where `if_exists` says so, but not at the root; else it is an error. Chunks without an array,
    // left by a deletion that failed, are removed.
    Status CreateArray(std::string_view path, const ArrayMetadata& metadata,
                       const json::Object& attributes = {}, IfExists if_exists = IfExists::kFail);

    // Replaces all attributes of a node. `attributes` is an object; an empty one erases `.zattrs`.
    Status SetAttributes(std::string_view path, const json::Value& attributes);

    // Changes the attributes of a node, as they are stored by now, by what is not the same in two
    // objects: members that `after` has and `before` has not, or not so, are set, those that only
    // `before` has are removed. What others have changed meanwhile stays.
    Status ChangeAttributes(std::string_view path, const json::Value& before,
                            const json::Value& after);

    // Gives an array other metadata. Members of the stored document that the format does not define
    // and `metadata` lacks are kept. The chunks are not touched.
    Status ReplaceMetadata(std::string_view path, const ArrayMetadata& metadata);

    // Deletes a node and every key below it. Not the root. kNotFound where there is nothing.
    Status DeleteNode(std::string_view path);

    // Gives a node another name in its group, where nothing may have it yet. At once where the
    // store can rename; else by copying, and the new node appears before the old one goes: where
    // only erasing the old one fails, both names remain until DeleteNode() of the old one.
    Status RenameNode(std::string_view path, std::string_view new_name);

    // Copies a node, with all below it, from `from_path` of a store of the same format to `path`,
    // where nothing may be, and makes the groups above it. Not to the root. After a failure nothing
    // of the copy is left.
    Status CopyNode(const Store& from, std::string_view from_path, std::string_view path);

    // Writes the root's `.zmetadata`, whatever the constructor was told, but not for a store that
    // has no nodes, as it was deleted meanwhile.
    Status Consolidate();

    // Writes the `.zmetadata` that changes have erased and, with kYes, the root's. The writer can
    // be used on; later changes need another call.
    Status Finish();

  private:
    Status MakeGroups(const std::string& path);
    // Ok where a node can be made at `path`, as far as that and what is above it say.
    Status CheckPlace(const std::string& path) const;
    Status ReplaceAttributes(const std::string& node, const json::Value& attributes);
    Result<bool> IsOccupied(const std::string& path) const;
    Result<bool> EraseStrayChunks(const std::string& path);
    Status EraseNode(const std::string& path);
    Status MoveNode(const std::string& path, const std::string& target);
    Status EraseConsolidated(const std::string& path);
    enum class IfAbsent { kLeave, kWrite };
    Status WriteConsolidatedAt(const std::string& path, IfAbsent if_absent);
    Result<NodeDocuments*> Documents() const;
    // Makes a change of a document of the node, without stale consolidated metadata meanwhile.
    Status Change(const std::string& node,
                  const std::function<Result<NodeDocuments::Change>()>& make);

    std::mutex mutex_;
    std::shared_ptr<Store> store_;
    std::shared_ptr<Synchronizer> locks_;
    mutable NczarrDocuments nczarr_;
    mutable std::optional<NodeDocuments> documents_;  // once the format is known
    WriteConsolidated consolidated_;
    std::set<std::string> touched_;  // groups in and below which something has changed
    std::set<std::string> erased_;   // groups whose `.zmetadata` are to be written anew
    bool is_finished_ = false;       // Finish() has succeeded before
};

// Erases the chunks of an array that lie outside of the grid of `kept`, which is the array's own or
// that of another shape; under `locks`, which may be nullptr, where they are stored with others.
Status EraseChunksOutside(Store& store, const Array& array, const ArrayMetadata& kept,
                          const std::shared_ptr<Synchronizer>& locks);

// Stores the chunks of `array` that are absent, as chunks of its fill value, so that they keep it
// under other metadata. `writer` writes the array with another fill value, or without one.
// kUnsupported where the store cannot list.
Status StoreAbsentChunks(const Array& array, ArrayWriter& writer, std::size_t threads);

// Gives an array another shape. What is cut off is gone: the chunks outside of the new shape are
// erased, and elements beyond its edge in chunks that it cuts through become the fill value, so
// that an array that grows again finds the fill value there. A process that is killed meanwhile
// leaves an array of the old or the new shape that reads; where it shrinks, what was to be cut off
// may be the fill value already.
//
// `writer` writes the array as it is now and must not be used afterwards; nothing of it may be
// pending. The array is to be opened anew.
Status ResizeArray(HierarchyWriter& metadata, Store& store, ArrayWriter& writer,
                   const std::vector<std::uint64_t>& shape, std::size_t threads);

}  // namespace zarr
