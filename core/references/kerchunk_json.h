// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/status.h"
#include "core/references/reference.h"
#include "core/references/reference_index.h"
#include "core/references/templates.h"
#include "core/references/text_reader.h"

namespace zarr {

// References from a JSON document that kerchunk or VirtualiZarr wrote: versions 0 and 1 of
// kerchunk's "References specification". The document maps each key of a store to a string, a
// "base64:" string, a JSON object, or a reference [url] or [url, offset, length]. NaN, and a comma
// before a closing bracket, are accepted although JSON forbids both.
class KerchunkJson final : public ReferenceMap {
  public:
    // Reads a document. `identity` is returned by Identity(), and names the document and its
    // version.
    static Result<std::shared_ptr<const KerchunkJson>> Read(TextReader& text, std::string identity);

    Result<Reference> Find(const std::string& key) const override;
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const override {
        return index_.List(prefix);
    }
    Status ForEachKey(const std::string& prefix, const KeyVisitor& visit) const override {
        index_.ForEachKey(prefix, visit);
        return {};
    }
    std::string Identity() const override { return identity_; }

    // Returns the location of any target in the document, with templates expanded. If its templates
    // are invalid, they are not expanded. Returns "" if the document has no target.
    std::string SampleLocation() const;

  private:
    friend class KerchunkParser;
    explicit KerchunkJson(std::string identity) : identity_(std::move(identity)) {}

    const std::string identity_;
    ReferenceIndex index_;
    Templates templates_;
};

// True if `start`, the first bytes of a file, can be the start of a kerchunk document. The file
// must start with an object. The object's first member must be a member of kerchunk's version 1, or
// the key of a metadata document or chunk. `start` must be the whole file if the file is short.
bool MayBeKerchunkJson(std::string_view start);

}  // namespace zarr
