// SPDX-License-Identifier: MIT
#include <filesystem>
#include <system_error>

#include "core/library/internal.h"
#include "core/library/zarr_core/store.h"
#include "core/store/directory_store.h"
#include "core/store/memory_store.h"

namespace zarr_core {

namespace {

zarr::Status FolderError(const std::string& path, const std::error_code& error) {
    const std::string message = path + ": " + error.message();
    if (error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory)
        return zarr::Status::NotFound(message);
    if (error == std::errc::permission_denied) return zarr::Status::Permission(message);
    return zarr::Status::Io(message);
}

zarr::Status CheckFolder(const std::string& path) {
    std::error_code error;
    const bool is_folder = std::filesystem::is_directory(std::filesystem::u8path(path), error);
    if (error) return FolderError(path, error);
    return is_folder ? zarr::Status() : zarr::Status::NotFound(path + ": is not a folder");
}

zarr::Result<Store> FolderAt(const std::string& path) {
    return WithImpl<Store>(std::make_shared<zarr::DirectoryStore>(path));
}

}  // namespace

Result<Store> Store::OpenFolder(const std::string& path) noexcept {
    return Guarded([&]() -> zarr::Result<Store> {
        ZARR_RETURN_IF_ERROR(CheckFolder(path));
        return FolderAt(path);
    });
}

Result<Store> Store::CreateFolder(const std::string& path) noexcept {
    return Guarded([&]() -> zarr::Result<Store> {
        std::error_code error;
        std::filesystem::create_directories(std::filesystem::u8path(path), error);
        if (error) return FolderError(path, error);
        ZARR_RETURN_IF_ERROR(CheckFolder(path));
        return FolderAt(path);
    });
}

Result<Store> Store::OpenZip(const std::string& path,
                             const std::optional<std::string>& inner) noexcept {
    return Guarded([&]() -> zarr::Result<Store> {
        ZARR_ASSIGN_OR_RETURN(std::shared_ptr<zarr::Store> store, OpenLocalZip(path, inner));
        return WithImpl<Store>(std::move(store));
    });
}

Result<Store> Store::InMemory() noexcept {
    return Guarded([&]() -> zarr::Result<Store> {
        return WithImpl<Store>(std::make_shared<zarr::MemoryStore>());
    });
}

Result<Store> Store::Wrap(std::shared_ptr<KeyValueStore> store) noexcept {
    return Guarded([&]() -> zarr::Result<Store> {
        if (store == nullptr) return zarr::Status::Invalid("the store is nullptr");
        return WithImpl<Store>(MakeCallerStore(std::move(store)));
    });
}

Result<std::string> Store::name() const noexcept {
    return Guarded([&]() -> zarr::Result<std::string> { return impl_->store->Describe(); });
}

Store::Store(std::shared_ptr<const Impl> impl) noexcept : impl_(std::move(impl)) {}

}  // namespace zarr_core
