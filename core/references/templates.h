// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "core/base/status.h"

namespace zarr {

// Expands "{{...}}" in the locations and keys of kerchunk's JSON references (kerchunk's
// specification, "Version 1"). Supports names, templates with named arguments, strings, 'text' %
// value, and integers with + - * // % and parentheses. Other jinja2 syntax is kUnsupported.
// Thread-safe after all templates are added.
class Templates {
  public:
    using Value = std::variant<std::int64_t, std::string>;
    using Variables = std::map<std::string, Value, std::less<>>;

    // Adds the template `name`; replaces an earlier template of that name.
    void Add(std::string name, std::string text) { texts_[std::move(name)] = std::move(text); }
    bool empty() const { return texts_.empty(); }

    // Returns `text` with its expressions replaced by their values. A variable hides a template of
    // the same name. Fails if the result has more than Limit::kTemplateLength bytes or takes more
    // than that many expressions, or if templates are nested more than kMaxDepth deep.
    Result<std::string> Expand(std::string_view text, const Variables& variables) const;

    static constexpr int kMaxDepth = 16;

  private:
    friend class TemplateExpression;
    // `expressions` counts the expressions that were evaluated since the call of Expand().
    Result<std::string> ExpandAt(std::string_view text, const Variables& variables, int depth,
                                 std::uint64_t& expressions) const;

    std::map<std::string, std::string, std::less<>> texts_;
};

}  // namespace zarr
