// SPDX-License-Identifier: MIT
#include "driver/transport/http_body.h"

#include <cpl_vsi.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <utility>

namespace zarr_driver {

namespace {

// Collects a body that arrives in pieces. The memory comes from GDAL's allocator, because a
// CPLHTTPResult takes it over.
class BodyCollector {
  public:
    explicit BodyCollector(const BodyPart& part) : part_(part) {}
    ~BodyCollector() { VSIFree(bytes_); }
    BodyCollector(const BodyCollector&) = delete;
    BodyCollector& operator=(const BodyCollector&) = delete;

    // Implements CPLHTTPFetchWriteFunc. A result other than the number of bytes aborts the request.
    static std::size_t Take(void* data, std::size_t size, std::size_t count, void* collector) {
        auto& self = *static_cast<BodyCollector*>(collector);
        const std::size_t bytes = size * count;
        return self.Add(static_cast<const std::uint8_t*>(data), bytes) ? bytes : 0;
    }

    HttpReply Finish(HttpAnswer answer) {
        HttpReply reply;
        reply.answer = std::move(answer);
        reply.is_longer = is_longer_;
        reply.size = is_longer_ ? part_.most + 1 : received_;
        reply.is_out_of_memory = is_out_of_memory_;
        if (part_.is_end) DropStart();
        reply.first = part_.is_end ? received_ - size_ : std::min(part_.skipped, received_);
        if (reply.answer == nullptr || bytes_ == nullptr) return reply;
        VSIFree(reply.answer->pabyData);
        reply.answer->pabyData = bytes_;
        reply.answer->nDataLen = static_cast<int>(size_);
        bytes_ = nullptr;
        return reply;
    }

  private:
    bool Add(const std::uint8_t* data, std::size_t count) {
        const std::uint64_t before = received_;
        received_ += count;
        is_longer_ = received_ > part_.most;
        if (is_longer_) return false;
        if (part_.is_end) {
            // The start is dropped only when the memory is much larger than needed, so that few
            // bytes are moved.
            if (size_ / 2 > std::max(Most(), kLeast)) DropStart();
            return Append(data, count);
        }
        const auto skipped = static_cast<std::size_t>(
            std::min<std::uint64_t>(part_.skipped > before ? part_.skipped - before : 0, count));
        return Append(data + skipped, std::min(count - skipped, Most() - size_));
    }

    void DropStart() {
        const std::size_t kept = std::min(size_, Most());
        if (kept < size_) std::memmove(bytes_, bytes_ + (size_ - kept), kept);
        size_ = kept;
    }

    bool Append(const std::uint8_t* data, std::size_t count) {
        if (size_ + count > capacity_) {
            const std::size_t wanted = std::max({kLeast, 2 * capacity_, size_ + count});
            const std::size_t capacity =
                part_.is_end ? wanted : std::min(std::max(Most(), kLeast), wanted);
            void* const grown = VSIRealloc(bytes_, capacity);
            is_out_of_memory_ = grown == nullptr;
            if (is_out_of_memory_) return false;
            bytes_ = static_cast<GByte*>(grown);
            capacity_ = capacity;
        }
        if (count != 0) std::memcpy(bytes_ + size_, data, count);
        size_ += count;
        return true;
    }

    // GDAL counts the bytes of a body as an int.
    std::size_t Most() const { return std::min<std::size_t>(part_.kept, INT_MAX); }

    static constexpr std::size_t kLeast = std::size_t{64} << 10;

    const BodyPart part_;
    GByte* bytes_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
    std::uint64_t received_ = 0;
    bool is_longer_ = false;
    bool is_out_of_memory_ = false;
};

}  // namespace

HttpReply FetchBodyPart(const char* url, CSLConstList options, const BodyPart& part) {
    BodyCollector collector(part);
    HttpAnswer answer(
        CPLHTTPFetchEx(url, options, nullptr, nullptr, BodyCollector::Take, &collector));
    return collector.Finish(std::move(answer));
}

}  // namespace zarr_driver
