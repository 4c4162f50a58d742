// SPDX-License-Identifier: MIT
// Helpers for tests of codecs that decode with several threads.
#pragma once

#include <cstring>
#include <string>
#include <string_view>

#include "autotest/cpp/support/checks.h"
#include "autotest/cpp/support/guarded_memory.h"
#include "core/codec/pipeline.h"

namespace zarr::test {

constexpr std::size_t kThreads[] = {1, 2, 4, 16};

// Decodes from and to buffers of exactly the needed size. A page without access follows each
// buffer.
class GuardedDecoder {
  public:
    Status Decode(const Pipeline& pipeline, const std::string& encoded, std::size_t threads) {
        const ByteSpan input = input_.Copy(ByteSpan(encoded));
        const MutableByteSpan output = output_.Last(pipeline.chunk_bytes());
        if (output.size != 0) std::memset(output.data, 0xcc, output.size);
        return pipeline.Decode(input, output, scratch_, threads);
    }
    // Returns the bytes that the last Decode() wrote.
    std::string_view decoded(const Pipeline& pipeline) {
        return ByteSpan(output_.Last(pipeline.chunk_bytes())).text();
    }

  private:
    GuardedMemory input_;
    GuardedMemory output_;
    PipelineScratch scratch_;
};

// Returns random bytes with repetitions, so that compressors can reduce them.
inline std::string Compressible(Random& random, std::size_t size) {
    std::string bytes(size, '\0');
    for (std::size_t i = 0; i < size; ++i)
        bytes[i] = i % 192 < 64 ? static_cast<char>(random.Below(256)) : bytes[i - 64];
    return bytes;
}

}  // namespace zarr::test
