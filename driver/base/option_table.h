// SPDX-License-Identifier: MIT
// Tables of options. GDAL's lists, parsing, errors and the tables of docs/options.md
// (docs/make_option_tables.py) come from the rows.
#pragma once

#include <cpl_port.h>
#include <cpl_string.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/status.h"

namespace zarr_driver {

// What users read about an option. All texts are literals.
struct OptionText {
    const char* names;   // "NAME", or "NAME|OTHER|..." with older names; the first given one counts
    const char* type;    // GDAL's type with its bounds: "boolean", "int min='1'"
    const char* preset;  // default, as users read it; empty: `help` says what happens then
    // Markdown. Only docs/options.md has the text after a line break.
    const char* help;
    // Values: "A|B=C", where C means the same as B. Empty if values are not listed.
    const char* values = "";
    const char* config = "";  // "NAME|NAME": configuration options that apply without the option
};

// A value that is given for an option.
struct GivenOption {
    std::string label;  // "creation option LEVEL", as messages begin
    const char* text;   // borrowed from the caller's list, or from GDAL's configuration
    const OptionText* option;

    // Returns the error "LABEL: expected EXPECTED, got TEXT".
    zarr::Status Refuse(const std::string& expected) const;
    // Returns the position of the value in the option's list of values. YES and NO have the other
    // words that GDAL has for them. Fails for other values.
    zarr::Result<std::size_t> Index() const;
};

// A row of a table that is parsed into an `Options`.
template <class Options>
struct OptionRow {
    OptionText text;
    zarr::Status (*set)(Options&, const GivenOption&);
};

// Kinds of options, as errors call them.
inline constexpr const char* kOpenOption = "open option ";
inline constexpr const char* kCreationOption = "creation option ";

// Looks up an option in GDAL's NULL-terminated list of NAME=VALUE, else in GDAL's configuration.
// `kind` begins the label. The name of a boolean without "=" means YES, as in GDAL.
std::optional<GivenOption> FindOption(const char* kind, CSLConstList options,
                                      const OptionText& option);

// Sets the members of `parsed` for which the list or the configuration has a value. Errors name the
// option.
template <class Rows, class Options>
zarr::Status ParseOptions(const char* kind, CSLConstList options, const Rows& rows,
                          Options& parsed) {
    for (const auto& row : rows)
        if (const auto given = FindOption(kind, options, row.text))
            ZARR_RETURN_IF_ERROR(row.set(parsed, *given));
    return {};
}

// Returns the <Option> elements that describe options to GDAL.
std::string ToXml(const OptionText& option);
template <class Rows>
std::string ListOf(const Rows& rows) {
    std::string xml;
    for (const auto& row : rows) xml += ToXml(row.text);
    return xml;
}

// Returns the words as one text, with `last_separator` before the last one.
std::string JoinWords(const std::vector<std::string>& words, const char* separator,
                      const char* last_separator);

// Functions that read a value.
zarr::Result<std::string> ReadText(const GivenOption& given);
zarr::Result<std::uint64_t> ReadCount(const GivenOption& given);               // from 1 on
zarr::Result<std::vector<std::uint64_t>> ReadSizes(const GivenOption& given);  // each from 1 on
// YES are all words but NO, FALSE, OFF and 0, as in GDAL.
template <auto Yes, auto No>
zarr::Result<decltype(Yes)> ReadYesNo(const GivenOption& given) {
    return CPLTestBool(given.text) ? Yes : No;
}
inline constexpr auto ReadBool = ReadYesNo<true, false>;
// Returns the template argument that has the position of the given value in the list of values.
template <auto First, auto... More>
zarr::Result<decltype(First)> ReadOneOf(const GivenOption& given) {
    static constexpr std::array<decltype(First), 1 + sizeof...(More)> kMeanings{First, More...};
    ZARR_ASSIGN_OR_RETURN(const std::size_t index, given.Index());
    return kMeanings.at(index);
}

template <class Member>
struct OptionMember;
template <class Owner, class Type>
struct OptionMember<Type Owner::*> {
    using Options = Owner;
};

// Function of a row that sets the member `Member` to what the function `Read` returns.
template <auto Member, auto Read>
zarr::Status Into(typename OptionMember<decltype(Member)>::Options& parsed,
                  const GivenOption& given) {
    ZARR_ASSIGN_OR_RETURN(parsed.*Member, Read(given));
    return {};
}
// Function of a row whose table has a single value.
template <class Value, auto Read>
zarr::Status To(Value& value, const GivenOption& given) {
    ZARR_ASSIGN_OR_RETURN(value, Read(given));
    return {};
}
// Function of a row whose value is accepted and not used.
template <class Options>
zarr::Status Unused(Options& /*parsed*/, const GivenOption& /*given*/) {
    return {};
}

// Returns the error "creation option NAME: expected ..., got ...", for values that contradict
// others.
zarr::Status RefuseOption(const char* name, const std::string& expected, const char* got);

// Returns a warning that Zarr does not have the option value `value` of other drivers, and that the
// default `used` replaces it.
std::string UnknownToZarr(const char* option, const char* value, const char* used);

}  // namespace zarr_driver
