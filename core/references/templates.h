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

// Texts with expressions in "{{...}}", as Kerchunk's JSON references have them (its specification,
// "Version 1"). An expression is a subset of jinja2: names, calls of templates with arguments by
// name, integers with + - * // % and parentheses, texts, and the format operator 'text' % value.
// Anything else is kUnsupported. Immutable after the templates are added; thread-safe then.
class Templates {
  public:
    using Value = std::variant<std::int64_t, std::string>;
    using Variables = std::map<std::string, Value, std::less<>>;

    // Adds a template by name; replaces one of that name.
    void Add(std::string name, std::string text) { texts_[std::move(name)] = std::move(text); }
    bool empty() const { return texts_.empty(); }

    // Returns `text` with its expressions evaluated. `variables` count before templates. The result
    // has at most Limit::kTemplateLength bytes; templates refer to each other at most kMaxDepth
    // deep.
    Result<std::string> Expand(std::string_view text, const Variables& variables) const;

    static constexpr int kMaxDepth = 16;

  private:
    friend class TemplateExpression;
    Result<std::string> ExpandAt(std::string_view text, const Variables& variables,
                                 int depth) const;

    std::map<std::string, std::string, std::less<>> texts_;
};

}  // namespace zarr
