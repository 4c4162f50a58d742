// SPDX-License-Identifier: MIT
// "cast_value" of zarr-extensions: casts real numbers to another data type and back. The
// configuration has rules for rounding, for numbers out of range, and for single values.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "core/base/endian.h"
#include "core/base/row_converter.h"
#include "core/codec/factories.h"
#include "core/codec/v3_configuration.h"
#include "core/codec/v3_numbers.h"

namespace zarr {

namespace {

// Rounding modes, in the order of the names that ParseRules() accepts.
enum class Rounding : std::uint8_t {
    kNearestEven,
    kTowardsZero,
    kTowardsPositive,
    kTowardsNegative,
    kNearestAway,
};
enum class OutOfRange : std::uint8_t { kFails, kClamp, kWrap };

// An entry of "scalar_map": an input and its output. For this input, the entry overrides all other
// rules.
struct MappedScalar {
    std::uint64_t key = 0;  // result of KeyOf() for the input scalar
    std::string output;     // bytes of the output scalar
};

// Rules for one direction, encoding or decoding.
struct CastRules {
    Rounding rounding = Rounding::kNearestEven;
    OutOfRange out_of_range = OutOfRange::kFails;
    unsigned from_bits = 0;
    unsigned to_bits = 0;
    IntegerRange to_range;             // range of the target type, if it is an integer type
    std::vector<MappedScalar> mapped;  // entries of "scalar_map", sorted by key
};

template <class T>
double AsDouble(T number) {
    if constexpr (std::is_same_v<T, Half>)
        return static_cast<double>(HalfToFloat(number.bits));
    else
        return static_cast<double>(number);
}

// Returns a key to look up `number`. Equal numbers have equal keys; all NaN have one key.
template <class T>
std::uint64_t KeyOf(T number) {
    if constexpr (std::is_integral_v<T>) {
        return static_cast<std::uint64_t>(number);
    } else {
        const double value = AsDouble(number);
        if (std::isnan(value)) return ~std::uint64_t{0};
        return value == 0 ? 0 : LoadNative<std::uint64_t>(&value);
    }
}

double RoundToInteger(double number, Rounding rounding) {
    switch (rounding) {
        case Rounding::kTowardsZero:
            return std::trunc(number);
        case Rounding::kTowardsPositive:
            return std::ceil(number);
        case Rounding::kTowardsNegative:
            return std::floor(number);
        case Rounding::kNearestAway:
            return std::round(number);
        default:
            return std::nearbyint(number);
    }
}

template <class T>
struct FloatFormat;
template <>
struct FloatFormat<Half> {
    static constexpr int kBits = 11;        // significand bits, including the implicit one
    static constexpr int kLeast = -24;      // exponent of the smallest positive number
    static constexpr double kMost = 65504;  // largest finite number
    static Half Make(double number) { return {DoubleToHalf(number)}; }
};
template <>
struct FloatFormat<float> {
    static constexpr int kBits = 24;
    static constexpr int kLeast = -149;
    static constexpr double kMost = std::numeric_limits<float>::max();
    static float Make(double number) { return static_cast<float>(number); }
};
template <>
struct FloatFormat<double> {
    static constexpr int kBits = 53;
    static constexpr int kLeast = -1074;
    static constexpr double kMost = std::numeric_limits<double>::max();
    static double Make(double number) { return number; }
};

// Rounds a finite `number` to the precision of the float type To. The result may exceed To's
// largest finite number.
template <class To>
double RoundToFloat(double number, Rounding rounding) {
    using Format = FloatFormat<To>;
    if (std::is_same_v<To, double> || number == 0) return number;
    int exponent = 0;
    static_cast<void>(std::frexp(number, &exponent));
    const int unit = std::max(exponent - Format::kBits, Format::kLeast);
    return std::ldexp(RoundToInteger(std::ldexp(number, -unit), rounding), unit);
}

// Rounds an integer, given by magnitude and sign, to the precision of the float type To.
template <class To>
double RoundMagnitude(std::uint64_t magnitude, bool is_negative, Rounding rounding) {
    int dropped = 0;
    while (dropped < 64 - FloatFormat<To>::kBits &&
           (magnitude >> dropped) >> FloatFormat<To>::kBits != 0)
        ++dropped;
    std::uint64_t kept = magnitude >> dropped;
    if (dropped > 0) {
        const std::uint64_t rest = magnitude - (kept << dropped);
        const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
        const bool is_up =
            rounding == Rounding::kNearestEven   ? rest > half || (rest == half && (kept & 1) != 0)
            : rounding == Rounding::kNearestAway ? rest >= half
            : rounding == Rounding::kTowardsZero
                ? false
                : rest != 0 && is_negative == (rounding == Rounding::kTowardsNegative);
        kept += is_up ? 1 : 0;
    }
    const double number = std::ldexp(static_cast<double>(kept), dropped);
    return is_negative ? -number : number;
}

// Functions that cast one number to type To. Each returns false if the configured rules give no
// number of type To.

// Converts `rounded`, a number with the precision of To, to type To. `rounded` may exceed To's
// range.
template <class To>
bool MakeFloat(const CastRules& rules, double rounded, To& to) {
    if (std::fabs(rounded) > FloatFormat<To>::kMost) {
        if (rules.out_of_range != OutOfRange::kClamp) return false;
        rounded = std::copysign(std::numeric_limits<double>::infinity(), rounded);
    }
    to = FloatFormat<To>::Make(rounded);
    return true;
}

template <class From, class To>
bool CastToInteger(const CastRules& rules, From from, To& to) {
    if constexpr (std::is_integral_v<From>) {
        if (rules.to_range.Has(from)) {
            to = static_cast<To>(from);  // NOLINT(bugprone-signed-char-misuse): a number
        } else if (rules.out_of_range == OutOfRange::kClamp) {
            to = from < 0 ? static_cast<To>(rules.to_range.least)
                          : static_cast<To>(rules.to_range.largest);
        } else if (rules.out_of_range == OutOfRange::kWrap) {
            to = TruncateToBits<To>(static_cast<std::uint64_t>(from), rules.to_bits);
        } else {
            return false;
        }
        return true;
    } else {
        constexpr double kTwoTo64 = 18446744073709551616.0;
        const double number = AsDouble(from);
        if (!std::isfinite(number)) return false;
        const double rounded = RoundToInteger(number, rules.rounding);
        const double end =
            std::ldexp(1.0, static_cast<int>(rules.to_bits) - (std::is_signed_v<To> ? 1 : 0));
        if (rounded >= static_cast<double>(rules.to_range.least) && rounded < end) {
            to = static_cast<To>(rounded);
        } else if (rules.out_of_range == OutOfRange::kClamp) {
            to = rounded < 0 ? static_cast<To>(rules.to_range.least)
                             : static_cast<To>(rules.to_range.largest);
        } else if (rules.out_of_range == OutOfRange::kWrap) {
            const double rest = std::fmod(rounded, kTwoTo64);
            const auto magnitude = static_cast<std::uint64_t>(std::fabs(rest));
            to = TruncateToBits<To>(rest < 0 ? 0 - magnitude : magnitude, rules.to_bits);
        } else {
            return false;
        }
        return true;
    }
}

template <class From, class To>
bool CastToFloat(const CastRules& rules, From from, To& to) {
    if constexpr (std::is_same_v<From, To>) {
        to = from;
        return true;
    } else if constexpr (std::is_integral_v<From>) {
        if (std::numeric_limits<From>::digits <= FloatFormat<To>::kBits) {
            to = FloatFormat<To>::Make(static_cast<double>(from));
            return true;
        }
        const bool is_negative = from < 0;
        const auto bits =
            static_cast<std::uint64_t>(from);  // NOLINT(bugprone-signed-char-misuse): a number
        return MakeFloat(
            rules, RoundMagnitude<To>(is_negative ? 0 - bits : bits, is_negative, rules.rounding),
            to);
    } else {
        const double number = AsDouble(from);
        if (!std::isfinite(number)) {
            to = FloatFormat<To>::Make(number);
            return true;
        }
        return MakeFloat(rules, RoundToFloat<To>(number, rules.rounding), to);
    }
}

const MappedScalar* FindMapped(const CastRules& rules, std::uint64_t key) {
    const auto found = std::lower_bound(
        rules.mapped.begin(), rules.mapped.end(), key,
        [](const MappedScalar& scalar, std::uint64_t wanted) { return scalar.key < wanted; });
    return found != rules.mapped.end() && found->key == key ? &*found : nullptr;
}

// Casts elements until one cannot be cast to type To. Returns the index of that element;
// `run.count` if all were cast.
template <class From, class To>
std::size_t CastRun(const CastRules& rules, const ItemRun& run) {
    for (std::size_t i = 0; i < run.count; ++i) {
        From from = LoadNative<From>(run.src + i * sizeof(From));
        if constexpr (std::is_integral_v<From>)
            from = TruncateToBits<From>(static_cast<std::uint64_t>(from), rules.from_bits);
        std::uint8_t* const dst = run.dst + i * sizeof(To);
        if (!rules.mapped.empty()) {
            if (const MappedScalar* scalar = FindMapped(rules, KeyOf(from))) {
                std::memcpy(dst, scalar->output.data(), sizeof(To));
                continue;
            }
        }
        To to{};
        bool is_cast = false;
        if constexpr (std::is_integral_v<To>)
            is_cast = CastToInteger(rules, from, to);
        else
            is_cast = CastToFloat(rules, from, to);
        if (!is_cast) return i;
        StoreNative(dst, to);
    }
    return run.count;
}

using Cast = std::size_t (*)(const CastRules& rules, const ItemRun& run);

Cast CastBetween(const DataType& from, const DataType& to) {
    return VisitReal(from, [&](auto from_tag) {
        using From = typename decltype(from_tag)::type;
        return VisitReal(
            to, [](auto to_tag) -> Cast { return CastRun<From, typename decltype(to_tag)::type>; });
    });
}

class CastValue final : public RealFilter {
  public:
    CastValue(const DataType& decoded_type, const DataType& encoded_type, CastRules decoding,
              CastRules encoding)
        : RealFilter(decoded_type, encoded_type),
          decoding_(std::move(decoding)),
          encoding_(std::move(encoding)),
          decode_(CastBetween(encoded_type, decoded_type)),
          encode_(CastBetween(decoded_type, encoded_type)) {}

  protected:
    Status DecodeItems(const ItemRun& run) const override {
        const std::size_t done = decode_(decoding_, run);
        if (done == run.count) return {};
        return Status::Corrupt(NoCounterpart(encoded_type_, decoded_type_, run, done));
    }
    Status EncodeItems(const ItemRun& run) const override {
        const std::size_t done = encode_(encoding_, run);
        if (done == run.count) return {};
        return Status::Invalid(NoCounterpart(decoded_type_, encoded_type_, run, done));
    }

  private:
    static std::string NoCounterpart(const DataType& from, const DataType& to, const ItemRun& run,
                                     std::size_t index) {
        return "the " + NumberTypeName(from) + " " +
               RealNumberText(from, run.src + index * from.size) + " cannot be converted to " +
               NumberTypeName(to);
    }

    CastRules decoding_;
    CastRules encoding_;
    Cast decode_;
    Cast encode_;
};

// Parses "encode" or "decode" of "scalar_map", a list of pairs of an input and an output.
Result<std::vector<MappedScalar>> ParseMap(const json::Value* list, const std::string& place,
                                           const DataType& from, const DataType& to) {
    std::vector<MappedScalar> mapped;
    if (list == nullptr) return mapped;
    if (list->as_array() == nullptr) return json::Expected(place, "an array of pairs", *list);
    for (const json::Value& entry : *list->as_array()) {
        const std::string where = place + "[" + std::to_string(mapped.size()) + "]";
        const json::Array* pair = entry.as_array();
        if (pair == nullptr || pair->size() != 2)
            return json::Expected(where, "a pair of scalars", entry);
        ZARR_ASSIGN_OR_RETURN(const std::string input, ParseRealScalar(from, (*pair)[0], where));
        ZARR_ASSIGN_OR_RETURN(std::string output, ParseRealScalar(to, (*pair)[1], where));
        const std::uint64_t key = VisitReal(from, [&](auto tag) {
            return KeyOf(LoadNative<typename decltype(tag)::type>(input.data()));
        });
        mapped.push_back({key, std::move(output)});
    }
    // If two entries of the map have equal inputs, the first entry applies.
    const auto is_less = [](const MappedScalar& a, const MappedScalar& b) { return a.key < b.key; };
    const auto is_same = [](const MappedScalar& a, const MappedScalar& b) {
        return a.key == b.key;
    };
    std::stable_sort(mapped.begin(), mapped.end(), is_less);
    mapped.erase(std::unique(mapped.begin(), mapped.end(), is_same), mapped.end());
    return mapped;
}

// Parses the rules for casts from `from` to `to`. `list` names the member of "scalar_map" to use:
// "encode" or "decode".
Result<CastRules> ParseRules(const json::Value& config, const std::string& list,
                             const DataType& from, const DataType& to) {
    CastRules rules;
    ZARR_ASSIGN_OR_RETURN(const std::size_t rounding,
                          OptionalName(config, "rounding",
                                       {"nearest-even", "towards-zero", "towards-positive",
                                        "towards-negative", "nearest-away"}));
    rules.rounding = static_cast<Rounding>(rounding);
    if (config.Find("out_of_range") != nullptr) {
        ZARR_ASSIGN_OR_RETURN(const std::size_t out_of_range,
                              RequiredName(config, "out_of_range", {"clamp", "wrap"}));
        rules.out_of_range = out_of_range == 0 ? OutOfRange::kClamp : OutOfRange::kWrap;
    }
    rules.from_bits = BitsOf(from);
    rules.to_bits = BitsOf(to);
    if (to.kind != DataKind::kFloat) rules.to_range = IntegerRange::Of(to);
    if (const json::Value* map = config.Find("scalar_map")) {
        ZARR_RETURN_IF_ERROR(CheckMembers(*map, {"encode", "decode"}).WithContext("scalar_map"));
        ZARR_ASSIGN_OR_RETURN(rules.mapped,
                              ParseMap(map->Find(list), "scalar_map." + list, from, to));
    }
    return rules;
}

}  // namespace

CodecResult MakeCastValue(const json::Value& config, const CodecContext& context) {
    ZARR_RETURN_IF_ERROR(
        CheckMembers(config, {"data_type", "rounding", "out_of_range", "scalar_map"}));
    ZARR_RETURN_IF_ERROR(CheckRealType(context.dtype));
    ZARR_ASSIGN_OR_RETURN(const json::Value* data_type, json::Require(config, "data_type"));
    ZARR_ASSIGN_OR_RETURN(const DataType stored, ParseRealType(*data_type, "data_type"));
    ZARR_ASSIGN_OR_RETURN(CastRules encoding, ParseRules(config, "encode", context.dtype, stored));
    ZARR_ASSIGN_OR_RETURN(CastRules decoding, ParseRules(config, "decode", stored, context.dtype));
    if (encoding.out_of_range == OutOfRange::kWrap && stored.kind == DataKind::kFloat)
        return Status::Corrupt("out_of_range: \"wrap\" requires an integer data_type, got " +
                               NumberTypeName(stored));
    return std::unique_ptr<Codec>(std::make_unique<CastValue>(
        context.dtype, stored, std::move(decoding), std::move(encoding)));
}

}  // namespace zarr
