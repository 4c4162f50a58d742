// SPDX-License-Identifier: MIT
#include "driver/multidim/references_copy.h"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>

#include <cerrno>
#include <functional>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "core/hierarchy/reference_export.h"
#include "core/references/kerchunk_json.h"
#include "core/references/kerchunk_json_writer.h"
#include "core/references/kerchunk_parquet_writer.h"
#include "driver/base/builtin_driver.h"
#include "driver/base/gdal_errors.h"
#include "driver/base/progress.h"
#include "driver/base/store_options.h"
#include "driver/multidim/mdim_dataset.h"
#include "driver/multidim/mdim_session.h"
#include "driver/multidim/raw_block_source.h"
#include "driver/store/open_node.h"
#include "driver/store/resolve.h"
#include "driver/store/staged.h"
#include "driver/store/store_address.h"
#include "driver/store/store_kind.h"
#include "driver/store/store_replacement.h"
#include "driver/store/value_references.h"
#include "driver/transport/vsi_store.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

// Returns `source` as a multidimensional dataset; nullptr if another driver opened `source`. For a
// raster of this driver, opens the store again; `opened` then owns the result.
MdimDataset* FindOwn(GDALDataset* source, std::unique_ptr<GDALDataset>& opened) {
    if (auto* const own = dynamic_cast<MdimDataset*>(source)) return own;
    const GDALDriver* const driver = source->GetDriver();
    if (driver == nullptr || !EQUAL(driver->GetDescription(), kDriverName)) return nullptr;
    const char* const drivers[] = {kDriverName, nullptr};
    opened.reset(GDALDataset::Open(source->GetDescription(), GDAL_OF_MULTIDIM_RASTER, drivers,
                                   source->GetOpenOptions()));
    return dynamic_cast<MdimDataset*>(opened.get());
}

// Returns the path in the connection string `name`, which is the target for the references.
Result<StoreAddress> FindTarget(const char* name) {
    ZARR_ASSIGN_OR_RETURN(StoreAddress target, Resolve(name));
    if (target.has_node)
        return Status::Invalid("references are written as a whole, not as a node of a store");
    return target;
}

Status CheckNoServerOrZip(const StoreAddress& target) {
    return target.kind() == StorePath::Kind::kWebServer || !target.archive.empty()
               ? Status::Unsupported("references are not written to web servers and zip files")
               : Status();
}

// Returns Ok if references may be written to `path` as JSON. The name must end in ".json", and an
// existing file must be empty or hold references.
Status CheckDocumentTarget(const StoreAddress& path) {
    ZARR_RETURN_IF_ERROR(CheckNoServerOrZip(path));
    if (!EQUAL(CPLGetExtension(path.c_str()), "json"))
        return Status::Invalid(
            "the name of references in JSON ends in .json, so that readers recognise them");
    const QuietErrors quiet;
    VSIStatBufL stat;
    if (VSIStatL(path.c_str(), &stat) != 0) return {};
    if (VSI_ISDIR(stat.st_mode)) return Status::Invalid("is a folder, so it is not overwritten");
    const VsiFile file(VSIFOpenL(path.c_str(), "rb"));
    if (file == nullptr) return Status::Io("cannot be read, so it is not overwritten");
    std::string start(1024, '\0');
    start.resize(VSIFReadL(start.data(), 1, start.size(), file.get()));
    return start.empty() || zarr::MayBeKerchunkJson(start)
               ? Status()
               : Status::Invalid("is a file without references, so it is not overwritten");
}

// Wraps the progress function that the GDAL caller gave.
class Progress {
  public:
    Progress(GDALProgressFunc progress, void* data) : watched_(progress, data) {}
    zarr::ExportProgress Function() {
        return [this](double complete) {
            return WatchedProgress::Report(complete, nullptr, &watched_) != FALSE;
        };
    }

  private:
    WatchedProgress watched_;
};

// A file that replaces another one when it is complete.
class StagedFile final : public zarr::ByteSink {
  public:
    explicit StagedFile(const StorePath& path) : staged_(path) {}

    Status Create() {
        const int error = staged_.Create([this](const std::string& staging) {
            errno = 0;
            file_.reset(VSIFOpenL(staging.c_str(), "wb"));
            return file_ != nullptr ? 0 : errno != 0 ? errno : EIO;
        });
        return error == 0 ? Status() : StagingFailure("cannot be created", error);
    }
    Status Write(zarr::ByteSpan bytes) override {
        if (bytes.size == 0) return {};
        const QuietErrors quiet;
        errno = 0;
        if (VSIFWriteL(bytes.data, 1, bytes.size, file_.get()) == bytes.size) return {};
        return StagingFailure("cannot be written", errno);
    }
    Status Commit() {
        const QuietErrors quiet;
        errno = 0;
        if (VSIFCloseL(file_.release()) != 0) return StagingFailure("cannot be written", errno);
        return staged_.Commit();
    }

  private:
    Staged staged_;
    VsiFile file_;  // closed before the destructor of staged_ removes it
};

// Writes all references of a source to `writer`.
using Export = std::function<Status(zarr::ReferenceWriter& writer)>;

Status WriteJson(const StoreAddress& path, const Export& export_to) {
    ZARR_RETURN_IF_ERROR(CheckDocumentTarget(path));
    StagedFile file(path);
    ZARR_RETURN_IF_ERROR(file.Create());
    zarr::KerchunkJsonWriter writer(file);
    ZARR_RETURN_IF_ERROR(export_to(writer));
    return file.Commit();
}

Status WriteParquet(const StoreAddress& folder, const Export& export_to) {
    ZARR_RETURN_IF_ERROR(CheckNoServerOrZip(folder));
    ZARR_ASSIGN_OR_RETURN(const auto replacement, StoreReplacement::Begin(folder));
    const auto store = OpenFolder(replacement->folder());
    zarr::KerchunkParquetWriter writer(*store);
    ZARR_RETURN_IF_ERROR(export_to(writer));
    ZARR_RETURN_IF_ERROR(store->Flush());
    return replacement->Commit();
}

Status ExportOwn(MdimSession& session, zarr::ReferenceWriter& writer,
                 const zarr::ExportProgress& progress) {
    ZARR_RETURN_IF_ERROR(session.Flush());
    const zarr::Hierarchy& hierarchy = session.hierarchy();
    ZARR_ASSIGN_OR_RETURN(const auto locations,
                          ValueReferences::Of(session.address(), hierarchy.store()));
    zarr::ReferenceExport part;
    part.root = session.root();
    if (const std::string* const array = session.single_array()) part.array = *array;
    const zarr::ReferenceFinder find = [&](const std::string& key, bool is_known) {
        return locations.Find(key, is_known);
    };
    return zarr::ExportReferences(hierarchy, part, find, writer, progress);
}

Status ExportOther(GDALDataset& source, zarr::ReferenceWriter& writer,
                   const zarr::ExportProgress& progress) {
    if (source.GetRootGroup() == nullptr)
        return Status::Unsupported(
            "references can be made only for Zarr stores and multidimensional datasets, and the "
            "source is neither");
#if ZARR_HAS_RAW_BLOCK_INFO
    ZARR_ASSIGN_OR_RETURN(const auto blocks, RawBlockSource::Open(source));
    const zarr::ReferenceFinder find = [&](const std::string& key, bool /*is_known*/) {
        return blocks->Find(key);
    };
    return zarr::ExportReferences(blocks->hierarchy(), {}, find, writer, progress);
#else
    static_cast<void>(writer);
    static_cast<void>(progress);
    const GDALDriver* const driver = source.GetDriver();
    return Status::Unsupported(
        "references to the chunks of a dataset of another driver need GDAL 3.12 or later, and the "
        "source is a dataset of the driver " +
        std::string(driver != nullptr ? driver->GetDescription() : "none"));
#endif
}

Result<std::unique_ptr<GDALDataset>> OpenReferences(const StorePath& path) {
    ZARR_ASSIGN_OR_RETURN(OpenOptions options, OpenOptions::Parse(nullptr));
    ZARR_ASSIGN_OR_RETURN(OpenNode open_node, OpenNodeAt(StoreAddress(path), options));
    return std::unique_ptr<GDALDataset>(std::make_unique<MdimDataset>(
        std::make_shared<MdimSession>(std::move(open_node), std::move(options))));
}

}  // namespace

Result<std::unique_ptr<GDALDataset>> CopyAsReferences(const char* name, GDALDataset* source,
                                                      CSLConstList options,
                                                      GDALProgressFunc progress,
                                                      void* progress_data) {
    ZARR_ASSIGN_OR_RETURN(const ReferenceForm form, ParseReferenceForm(options));
    ZARR_ASSIGN_OR_RETURN(const StoreAddress path, FindTarget(name));
    std::unique_ptr<GDALDataset> opened;
    MdimDataset* const own = FindOwn(source, opened);
    Progress watched(progress, progress_data);
    const Export export_to = [&](zarr::ReferenceWriter& writer) {
        return own != nullptr ? ExportOwn(own->session(), writer, watched.Function())
                              : ExportOther(*source, writer, watched.Function());
    };
    ZARR_RETURN_IF_ERROR(form == ReferenceForm::kJson ? WriteJson(path, export_to)
                                                      : WriteParquet(path, export_to));
    return OpenReferences(path);
}

}  // namespace zarr_driver
