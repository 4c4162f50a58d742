// SPDX-License-Identifier: MIT
#include "core/conventions/cf/cf_units.h"

#include <algorithm>
#include <cmath>
#include <locale>
#include <sstream>

#include "core/base/text.h"

namespace zarr {

namespace {

constexpr double kDegree = kRadiansPerDegree;
constexpr double kUsFoot = 1200.0 / 3937;

struct UnitTerm {
    // Singular spelling in lower case, only letters and digits; see NameKey().
    std::string_view key;
    SpaceUnit::Kind kind;
    double factor;
    std::string_view name;
};

constexpr SpaceUnit::Kind kLength = SpaceUnit::Kind::kLength;
constexpr SpaceUnit::Kind kAngle = SpaceUnit::Kind::kAngle;

// Known units, with factors from EPSG's units of measure. Plain "foot", "yard" and "mile" are the
// international units, as in UDUNITS.
constexpr UnitTerm kTerms[] = {
    {"m", kLength, 1, "metre"},
    {"metre", kLength, 1, "metre"},
    {"meter", kLength, 1, "metre"},
    {"mtr", kLength, 1, "metre"},
    {"km", kLength, 1000, "kilometre"},
    {"kilometre", kLength, 1000, "kilometre"},
    {"kilometer", kLength, 1000, "kilometre"},
    {"dm", kLength, 0.1, "decimetre"},
    {"decimetre", kLength, 0.1, "decimetre"},
    {"decimeter", kLength, 0.1, "decimetre"},
    {"cm", kLength, 0.01, "centimetre"},
    {"centimetre", kLength, 0.01, "centimetre"},
    {"centimeter", kLength, 0.01, "centimetre"},
    {"mm", kLength, 0.001, "millimetre"},
    {"millimetre", kLength, 0.001, "millimetre"},
    {"millimeter", kLength, 0.001, "millimetre"},
    {"ft", kLength, 0.3048, "foot"},
    {"foot", kLength, 0.3048, "foot"},
    {"feet", kLength, 0.3048, "foot"},
    {"internationalfoot", kLength, 0.3048, "foot"},
    {"internationalfeet", kLength, 0.3048, "foot"},
    {"footinternational", kLength, 0.3048, "foot"},
    {"usft", kLength, kUsFoot, "US survey foot"},
    {"ftus", kLength, kUsFoot, "US survey foot"},
    {"footus", kLength, kUsFoot, "US survey foot"},
    {"usfoot", kLength, kUsFoot, "US survey foot"},
    {"usfeet", kLength, kUsFoot, "US survey foot"},
    {"ussurveyfoot", kLength, kUsFoot, "US survey foot"},
    {"ussurveyfeet", kLength, kUsFoot, "US survey foot"},
    {"surveyfoot", kLength, kUsFoot, "US survey foot"},
    {"surveyfeet", kLength, kUsFoot, "US survey foot"},
    {"yd", kLength, 0.9144, "yard"},
    {"yard", kLength, 0.9144, "yard"},
    {"mi", kLength, 1609.344, "Statute mile"},
    {"mile", kLength, 1609.344, "Statute mile"},
    {"internationalmile", kLength, 1609.344, "Statute mile"},
    {"statutemile", kLength, 1609.344, "Statute mile"},
    {"nmi", kLength, 1852, "nautical mile"},
    {"nmile", kLength, 1852, "nautical mile"},
    {"nauticalmile", kLength, 1852, "nautical mile"},
    {"rad", kAngle, 1, "radian"},
    {"radian", kAngle, 1, "radian"},
    {"mrad", kAngle, 1e-3, "milliradian"},
    {"milliradian", kAngle, 1e-3, "milliradian"},
    {"urad", kAngle, 1e-6, "microradian"},
    {"microrad", kAngle, 1e-6, "microradian"},
    {"microradian", kAngle, 1e-6, "microradian"},
    {"deg", kAngle, kDegree, "degree"},
    {"degree", kAngle, kDegree, "degree"},
    {"arcdegree", kAngle, kDegree, "degree"},
    {"angulardegree", kAngle, kDegree, "degree"},
    {"degreeeast", kAngle, kDegree, "degree"},
    {"degreenorth", kAngle, kDegree, "degree"},
    {"degreee", kAngle, kDegree, "degree"},
    {"degreen", kAngle, kDegree, "degree"},
    {"degreeseast", kAngle, kDegree, "degree"},
    {"degreesnorth", kAngle, kDegree, "degree"},
    {"degreese", kAngle, kDegree, "degree"},
    {"degreesn", kAngle, kDegree, "degree"},
    {"arcminute", kAngle, kDegree / 60, "arc-minute"},
    {"arcmin", kAngle, kDegree / 60, "arc-minute"},
    {"arcsecond", kAngle, kDegree / 3600, "arc-second"},
    {"arcsec", kAngle, kDegree / 3600, "arc-second"},
    {"grad", kAngle, kDegree * 0.9, "grad"},
    {"gon", kAngle, kDegree * 0.9, "grad"},
};

const UnitTerm* FindTerm(std::string key) {
    const auto look = [&key] {
        return std::find_if(std::begin(kTerms), std::end(kTerms),
                            [&key](const UnitTerm& term) { return term.key == key; });
    };
    const UnitTerm* found = look();
    if (found == std::end(kTerms) && key.size() > 2 && key.back() == 's') {
        key.pop_back();
        found = look();
    }
    return found == std::end(kTerms) ? nullptr : found;
}

// True if `symbol` is a plain unit name, not a power, product or quotient. False for "Mm" and
// "Mrad", which without regard to case look like "mm" and "mrad".
bool IsName(std::string_view symbol) {
    const bool plain = std::all_of(symbol.begin(), symbol.end(), [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
               std::string_view(" _-()").find(c) != std::string_view::npos;
    });
    constexpr std::string_view kNoFirst = " _-()";
    return plain && !symbol.empty() && kNoFirst.find(symbol.front()) == std::string_view::npos &&
           symbol != "Mm" && symbol != "Mrad";
}

// Returns the unit of a `symbol` with a sign beyond ASCII: the degree sign, or "rad" after one of
// the two Unicode signs for micro. nullptr for any other `symbol`.
const UnitTerm* FindSign(std::string_view symbol) {
    if (symbol == "\xc2\xb0") return FindTerm("degree");
    if (symbol == "\xc2\xb5rad" || symbol == "\xce\xbcrad") return FindTerm("urad");
    return nullptr;
}

// Removes the number at the start of `text` and returns the number: "1000 m" gives 1000 and leaves
// "m". Returns 1 if `text` does not start with a number.
double LeadingNumber(std::string_view& text) {
    std::size_t end = text.find_first_not_of("0123456789.eE+-");
    if (end == std::string_view::npos || end == 0) return 1;
    std::istringstream stream{std::string(text.substr(0, end))};
    stream.imbue(std::locale::classic());
    double number = 0;
    if (!(stream >> number) || !(stream >> std::ws).eof()) return 1;
    text.remove_prefix(std::min(text.find_first_not_of(' ', end), text.size()));
    return number;
}

}  // namespace

std::optional<SpaceUnit> ParseSpaceUnit(std::string_view text) {
    constexpr std::string_view kBlanks(" \t\r\n\0", 5);
    constexpr std::size_t kLongest = 64;
    while (!text.empty() && kBlanks.find(text.front()) != std::string_view::npos)
        text.remove_prefix(1);
    while (!text.empty() && kBlanks.find(text.back()) != std::string_view::npos)
        text.remove_suffix(1);
    if (text.size() > kLongest) return std::nullopt;
    std::string_view symbol = text;
    const double multiple = LeadingNumber(symbol);
    const UnitTerm* term = IsName(symbol) ? FindTerm(NameKey(symbol)) : FindSign(symbol);
    if (term == nullptr || !(multiple > 0)) return std::nullopt;
    if (multiple == 1) return SpaceUnit{term->kind, term->factor, std::string(term->name)};
    const double factor = multiple * term->factor;
    if (!std::isfinite(factor)) return std::nullopt;
    if (term->kind == SpaceUnit::Kind::kLength && factor == 1) return SpaceUnit{};
    if (term->kind == SpaceUnit::Kind::kLength && factor == 1000)
        return SpaceUnit{term->kind, factor, "kilometre"};
    return SpaceUnit{term->kind, factor, std::string(text)};
}

}  // namespace zarr
