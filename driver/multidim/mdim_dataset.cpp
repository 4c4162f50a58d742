// SPDX-License-Identifier: MIT
#include "driver/multidim/mdim_dataset.h"

#include <memory>
#include <new>
#include <vector>

#include "core/store/keys.h"
#include "driver/base/array_options.h"
#include "driver/base/builtin_driver.h"
#include "driver/base/exception_guard.h"
#include "driver/base/gdal_errors.h"
#include "driver/base/metadata_text.h"
#include "driver/base/progress.h"
#include "driver/base/store_options.h"
#include "driver/georef/georeferencing_write.h"
#include "driver/multidim/extended_type.h"
#include "driver/multidim/mdim_array.h"
#include "driver/multidim/mdim_group.h"
#include "driver/multidim/mdim_session.h"
#include "driver/multidim/references_copy.h"
#include "driver/store/open_node.h"
#include "driver/store/resolve.h"
#include "driver/store/store_in_use.h"
#include "driver/store/store_kind.h"
#include "driver/store/store_management.h"
#include "driver/store/store_replacement.h"
#include "driver/transport/vsi_store.h"

namespace zarr_driver {

MdimDataset::MdimDataset(std::shared_ptr<MdimSession> session, std::shared_ptr<ZarrMDArray> array)
    : session_(std::move(session)),
      root_(session_->OpenGroup(session_->root())),
      array_(std::move(array)) {
    // The dataset's driver is "Zarr", even if the program opened the dataset with "ZarrBuiltin".
    poDriver = GetGDALDriverManager()->GetDriverByName(kDriverName);
    if (session_->update() != nullptr) eAccess = GA_Update;
}

MdimDataset::~MdimDataset() {
    Guarded(session_->store_path(), [&] {
        // Close() may have finished the session, and has then reported a failure.
        if (!is_finished_) FinishSession();
    });
}

CPLErr MdimDataset::FinishSession() {
    is_finished_ = true;
    const zarr::Status status = session_->Finish();
    return status.ok() ? CE_None : EmitError(session_->store_path(), status);
}

#if ZARR_HAS_CLOSE
CPLErr MdimDataset::Close(ZARR_CLOSE_PARAMETERS) {
    return Guarded(session_->store_path(), [&]() -> CPLErr {
        if (nOpenFlags == OPEN_FLAGS_CLOSED) return CE_None;
        const CPLErr finished = FinishSession();
        const CPLErr closed = GDALDataset::Close(ZARR_CLOSE_ARGUMENTS);
        return finished == CE_None ? closed : finished;
    });
}
#endif

std::shared_ptr<GDALGroup> MdimDataset::GetRootGroup() const {
    return Guarded(session_->store_path(), [&]() -> std::shared_ptr<GDALGroup> { return root_; });
}

NameValueList MdimDataset::Description() {
    if (description_.empty()) DescribeState(session_->open_node(), description_);
    return description_.List();
}

char** MdimDataset::GetMetadataDomainList() {
    return Guarded(session_->store_path(), [&]() -> char** {
        if (Description() == nullptr) return GDALDataset::GetMetadataDomainList();
        return BuildMetadataDomainList(GDALDataset::GetMetadataDomainList(), TRUE, kZarrDomain,
                                       nullptr);
    });
}

NameValueList MdimDataset::GetMetadata(const char* pszDomain) {
    return Guarded(session_->store_path(), [&]() -> NameValueList {
        if (IsZarrDomain(pszDomain)) return Description();
        return GDALDataset::GetMetadata(pszDomain);
    });
}

const char* MdimDataset::GetMetadataItem(const char* pszName, const char* pszDomain) {
    return Guarded(session_->store_path(), [&]() -> const char* {
        if (IsZarrDomain(pszDomain)) return CSLFetchNameValue(Description(), pszName);
        return GDALDataset::GetMetadataItem(pszName, pszDomain);
    });
}

ZARR_FLUSH_RESULT MdimDataset::FlushCache(bool /*bAtClosing*/) {
    return Guarded(session_->store_path(), [&]() -> ZARR_FLUSH_RESULT {
        const zarr::Status status = session_->Flush();
        const CPLErr error = status.ok() ? CE_None : EmitError(session_->store_path(), status);
        ZARR_FLUSH_RETURN(error);
    });
}

using zarr::Result;
using zarr::Status;

namespace {

using SessionPtr = std::shared_ptr<MdimSession>;

// A new group to fill: the empty root group of a new store, or a group added to an existing store.
class NewRoot {
  public:
    static Result<NewRoot> Make(const std::string& name, const StoreOptions& options) {
        NewRoot made;
        ZARR_ASSIGN_OR_RETURN(made.format_, options.FormatOfNewStore());
        if (!options.consolidate) made.consolidated_ = zarr::WriteConsolidated::kNo;
        made.lock_wait_ = options.lock_wait;
        ZARR_ASSIGN_OR_RETURN(made.place_, FindTargetNode(name.c_str()));
        ZARR_ASSIGN_OR_RETURN(made.locks_, OpenSynchronizer(options.synchronizer));
        made.place_ = TargetOf(made.place_);
        if (IsInStore(made.place_)) {
            ZARR_RETURN_IF_ERROR(made.AddGroup(options.format));
            return made;
        }
        ZARR_RETURN_IF_ERROR(CheckWritable(made.place_));
        ZARR_ASSIGN_OR_RETURN(made.replacement_, StoreReplacement::Begin(made.place_));
        made.place_ = made.replacement_->folder().At(made.place_.node);
        ZARR_ASSIGN_OR_RETURN(const auto store, OpenStoreForUpdate(made.place_));
        ZARR_RETURN_IF_ERROR(
            made.UpdateOf(store, nullptr)->metadata().CreateGroup(made.place_.node));
        return made;
    }

    // Opens the new group for update, at the staging or final path of the store. After Commit(), a
    // zip file in an object store is opened for reading, because it cannot be changed.
    Result<SessionPtr> Open() const {
        ZARR_ASSIGN_OR_RETURN(OpenOptions options, OpenOptions::Parse(nullptr));
        OpenNode open_node;
        open_node.address = place_;
        open_node.node = place_.node;
        open_node.kind = zarr::NodeKind::kGroup;
        if (!IsStaging() && !CheckChangeable(open_node.address).ok()) {
            ZARR_ASSIGN_OR_RETURN(const auto made, OpenStore(open_node.address, {}));
            ZARR_ASSIGN_OR_RETURN(open_node.hierarchy, CurrentHierarchy(made));
            return std::make_shared<MdimSession>(std::move(open_node), std::move(options));
        }
        ZARR_ASSIGN_OR_RETURN(const auto store, OpenStoreForUpdate(open_node.address));
        ZARR_ASSIGN_OR_RETURN(open_node.hierarchy, CurrentHierarchy(store));
        auto update = UpdateOf(store, open_node.hierarchy);
        return std::make_shared<MdimSession>(std::move(open_node), std::move(options),
                                             std::move(update));
    }
    // Makes the new store permanent: renames it from its staging name to its final name. The store
    // must not be open.
    Status Commit() {
        if (is_added_) return {};
        ZARR_RETURN_IF_ERROR(replacement_->Commit());
        place_ = replacement_->folder().At(place_.node);
        return {};
    }
    // Deletes a group that was added to an existing store, because filling it failed. The group
    // must not be open. The destructor deletes a new store that was not committed.
    void Abandon() const {
        if (!is_added_) return;
        const auto store = OpenStoreForUpdate(place_);
        if (!store.ok()) return;
        const auto update = UpdateOf(*store, nullptr);
        static_cast<void>(update->metadata().DeleteNode(place_.node));
        static_cast<void>(update->Close());
    }
    bool IsStaging() const { return replacement_ != nullptr && replacement_->IsStaging(); }

  private:
    NewRoot() = default;

    Status AddGroup(std::optional<zarr::Format> stated) {
        ZARR_RETURN_IF_ERROR(CheckChangeable(place_));
        ZARR_ASSIGN_OR_RETURN(const auto store, OpenStoreForUpdate(place_));
        ZARR_ASSIGN_OR_RETURN(const auto hierarchy, CurrentHierarchy(store));
        ZARR_RETURN_IF_ERROR(CheckAddedFormat(stated, *hierarchy));
        ZARR_ASSIGN_OR_RETURN(const zarr::NodeKind kind, hierarchy->KindOf(place_.node));
        if (kind != zarr::NodeKind::kNone)
            return Status::Invalid("/" + place_.node + ": already exists");
        is_added_ = true;
        format_.reset();
        if (consolidated_ == zarr::WriteConsolidated::kYes)
            consolidated_ = zarr::WriteConsolidated::kIfPresent;
        const auto update = UpdateOf(store, hierarchy);
        ZARR_RETURN_IF_ERROR(update->metadata().CreateGroup(place_.node));
        return update->Close();
    }

    std::unique_ptr<StoreUpdate> UpdateOf(std::shared_ptr<zarr::Store> store,
                                          std::shared_ptr<const zarr::Hierarchy> hierarchy) const {
        auto update = std::make_unique<StoreUpdate>(std::move(store), consolidated_, locks_,
                                                    std::move(hierarchy), format_);
        if (is_added_) update->SetLockWait(lock_wait_);
        return update;
    }

    StoreAddress place_;
    bool is_added_ = false;
    std::optional<zarr::Format> format_;  // format of a new store
    zarr::WriteConsolidated consolidated_ = zarr::WriteConsolidated::kYes;
    std::shared_ptr<zarr::Synchronizer> locks_;
    zarr::LockWait lock_wait_;
    std::unique_ptr<StoreReplacement> replacement_;  // nullptr for an existing store
};

using DatasetPtr = std::unique_ptr<GDALDataset>;

// If `source` is a Zarr dataset, makes its empty arrays show their dimensions in the stored order,
// until the returned object is destroyed. Returns nullptr for other datasets.
std::unique_ptr<MdimSession::StoredOrder> KeepStoredOrder(const GDALDataset* source) {
    const auto* const own = dynamic_cast<const MdimDataset*>(source);
    return own != nullptr ? std::make_unique<MdimSession::StoredOrder>(own->session()) : nullptr;
}

// Opens and lists all groups of a Zarr source before the copy; a group keeps its list of members
// while its object lives. Otherwise, a copy into the source itself would find its own new groups.
std::vector<std::shared_ptr<ZarrGroup>> ListGroups(const GDALDataset* source) {
    std::vector<std::shared_ptr<ZarrGroup>> groups;
    const auto* const own = dynamic_cast<const MdimDataset*>(source);
    if (own == nullptr) return groups;
    groups.push_back(own->session().OpenGroup(own->session().root()));
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const auto group = groups[i];
        for (const std::string& name : group->GetGroupNames())
            groups.push_back(own->session().OpenGroup(zarr::JoinKey(group->path(), name)));
    }
    return groups;
}

Result<DatasetPtr> FillCopy(NewRoot& made, GDALDataset* source, int strict, CSLConstList options,
                            GDALProgressFunc progress, void* progress_data) {
    const Status is_told(zarr::StatusCode::kCancelled, "");
    WatchedProgress watched(progress, progress_data);
    const auto order = KeepStoredOrder(source);
    std::unique_ptr<CreationHold> hold;  // destroyed after `session`, whose destructor flushes
    ZARR_ASSIGN_OR_RETURN(SessionPtr session, made.Open());
    auto dataset = std::make_unique<MdimDataset>(session);
    hold = std::make_unique<CreationHold>(session->update()->store());
    CPLErrorReset();
    const CPLErr error = GDALDriver::DefaultCreateCopyMultiDimensional(
        source, dataset.get(), strict != 0, options, WatchedProgress::Report, &watched);
    // The return value of the copy and the user's cancellation decide about success. GDAL's error
    // counter does not, because it also counts errors that GDAL handled itself.
    if (watched.IsCancelled())
        return CPLGetLastErrorNo() == CPLE_UserInterrupt
                   ? is_told
                   : Status(zarr::StatusCode::kCancelled, "the copy was cancelled");
    if (error != CE_None) return is_told;
    hold.reset();
    // The last documents are written here, because GDAL ignores errors at closing.
    if (Status finished = session->Finish(); !finished.ok()) {
        hold = std::make_unique<CreationHold>(session->update()->store());
        return finished;
    }
    if (made.IsStaging()) {
        dataset.reset();
        session.reset();
    }
    ZARR_RETURN_IF_ERROR(made.Commit());
    if (dataset == nullptr) {
        ZARR_ASSIGN_OR_RETURN(session, made.Open());
        dataset = std::make_unique<MdimDataset>(session);
    }
    return DatasetPtr(std::move(dataset));
}

// Calls `make` and returns the dataset that `make` creates; the caller owns it. Emits an error and
// returns nullptr on failure.
template <class Work>
GDALDataset* RunToDataset(const char* name, const Work& make) {
    Result<DatasetPtr> made = make();
    if (made.ok()) return made->release();
    // A status without a message means that the error was emitted before.
    if (!made.status().message().empty()) EmitError(name, WithRefusalOf(name, made.status()));
    return nullptr;
}

}  // namespace

GDALDataset* CreateMultiDimensional(const char* name, CSLConstList /*group_options*/,
                                    CSLConstList options) {
    const LockTimeoutScope lock_timeout(options);
    return RunToDataset(name, [&]() -> Result<DatasetPtr> {
        if (AreReferencesAskedFor(options)) return NoReferencesWithoutSource();
        // Callers change the store after its creation. If a store at this path cannot be changed,
        // such as a remote zip file, CheckChangeable() fails before anything is created.
        ZARR_ASSIGN_OR_RETURN(const StoreAddress place, FindTargetNode(name));
        ZARR_RETURN_IF_ERROR(CheckChangeable(TargetOf(place)));
        if (!IsInStore(place)) ZARR_RETURN_IF_ERROR(CheckNotInUse(place, {}, "overwritten"));
        ZARR_ASSIGN_OR_RETURN(const auto parsed, StoreOptions::Parse(options));
        ZARR_ASSIGN_OR_RETURN(NewRoot made, NewRoot::Make(name, parsed));
        ZARR_RETURN_IF_ERROR(made.Commit());
        ZARR_ASSIGN_OR_RETURN(SessionPtr session, made.Open());
        return DatasetPtr(std::make_unique<MdimDataset>(std::move(session)));
    });
}

GDALDataset* CopyMultiDimensional(const char* name, GDALDataset* source, int strict,
                                  CSLConstList options, GDALProgressFunc progress,
                                  void* progress_data) {
    const LockTimeoutScope lock_timeout(options);
    return RunToDataset(name, [&]() -> Result<DatasetPtr> {
        if (AreReferencesAskedFor(options))
            return CopyAsReferences(name, source, options, progress, progress_data);
        const auto listed = ListGroups(source);
        ZARR_ASSIGN_OR_RETURN(const auto parsed, StoreOptions::Parse(options));
        ZARR_RETURN_IF_ERROR(DeleteReplacedNode(name, parsed.IsAppend()));
        ZARR_ASSIGN_OR_RETURN(NewRoot made, NewRoot::Make(name, parsed));
        auto filled = FillCopy(made, source, strict, options, progress, progress_data);
        if (!filled.ok()) made.Abandon();
        return filled;
    });
}

std::string MultiDimDatasetOptionList() {
    return "<MultiDimDatasetCreationOptionList>" + StoreOptionList() +
           "</MultiDimDatasetCreationOptionList>";
}

std::string MultiDimArrayOptionList() {
    return "<MultiDimArrayCreationOptionList>" + ArrayOptionList() + ListOf(kStringRows) +
           ListOf(kConventionRows) + "</MultiDimArrayCreationOptionList>";
}

}  // namespace zarr_driver
