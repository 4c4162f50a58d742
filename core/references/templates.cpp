// SPDX-License-Identifier: MIT
#include "core/references/templates.h"

#include <cctype>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <optional>
#include <utility>

#include "core/base/checked.h"
#include "core/base/limits.h"
#include "core/base/text.h"

namespace zarr {

namespace {

using Value = Templates::Value;

Status TemplateTooLong() {
    return OverLimit(Limit::kTemplateLength, "a template has too many bytes");
}

Status Appended(std::string& text, std::string_view more) {
    if (text.size() + more.size() > LimitOf(Limit::kTemplateLength)) return TemplateTooLong();
    text += more;
    return {};
}

std::string TextOf(const Value& value) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
    return std::get<std::string>(value);
}

Status UnsupportedFormat(const std::string& format) {
    return Status::Unsupported("the format " + Quoted(format) + " of a template is unsupported");
}

// Formats a number as Python's operator % does, by checked `flags` with a width and a `conversion`
// of "dixXo". Returns nullopt for texts that snprintf() cannot write, such as "-ff".
std::optional<std::string> FormatNumber(std::int64_t number, const std::string& flags,
                                        char conversion) {
    const bool is_signed = conversion == 'd' || conversion == 'i';
    if (!is_signed && (number < 0 || flags.find_first_of("+ ") != std::string::npos))
        return std::nullopt;
    const std::string spec = "%" + flags + "ll" + (conversion == 'i' ? 'd' : conversion);
    char digits[128];
    // `spec` contains only checked parts, so the compiler's warning about format strings does not
    // apply.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    std::snprintf(digits, sizeof digits, spec.c_str(), static_cast<long long>(number));
#pragma GCC diagnostic pop
    return std::string(digits);
}

// Returns `format` with `value` inserted, like Python's `format % value`. Supports one conversion:
// d, i, x, X, o or s. A number may have flags and a width below 100.
Result<std::string> FormatLikePython(const std::string& format, const Value& value) {
    std::string text;
    bool is_used = false;
    for (std::size_t i = 0; i < format.size(); ++i) {
        if (format[i] != '%') {
            text += format[i];
            continue;
        }
        if (i + 1 < format.size() && format[i + 1] == '%') {
            text += '%';
            ++i;
            continue;
        }
        std::string flags;
        std::string width;
        for (++i; i < format.size() &&
                  std::string_view("-+ 0").find(format[i]) != std::string_view::npos;
             ++i)
            flags += format[i];
        for (; i < format.size() && std::isdigit(static_cast<unsigned char>(format[i])) != 0; ++i)
            width += format[i];
        const char conversion = i < format.size() ? format[i] : '\0';
        const bool is_number = std::string_view("dixXo").find(conversion) != std::string_view::npos;
        const bool is_text = conversion == 's' && flags.empty() && width.empty();
        if (is_used || width.size() > 2 || flags.size() > 4 || conversion == '\0' ||
            (!is_number && !is_text))
            return UnsupportedFormat(format);
        is_used = true;
        if (conversion == 's') {
            text += TextOf(value);
            continue;
        }
        const auto* const number = std::get_if<std::int64_t>(&value);
        if (number == nullptr)
            return Status::Corrupt("the format " + Quoted(format) +
                                   " of a template needs a number");
        const auto digits = FormatNumber(*number, flags + width, conversion);
        if (!digits) return UnsupportedFormat(format);
        text += *digits;
    }
    if (!is_used)
        return Status::Corrupt("the format " + Quoted(format) + " of a template uses no value");
    return text;
}

std::int64_t FloorDiv(std::int64_t a, std::int64_t b) {
    return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

}  // namespace

// Parses and evaluates one expression of a template.
class TemplateExpression {
  public:
    TemplateExpression(const Templates& templates, std::string_view text,
                       const Templates::Variables& variables, int depth, std::uint64_t& expressions)
        : templates_(templates),
          text_(text),
          variables_(variables),
          depth_(depth),
          expressions_(expressions) {}

    Result<std::string> Evaluate() {
        ZARR_ASSIGN_OR_RETURN(const Value value, Sum(0));
        SkipSpace();
        if (at_ != text_.size()) return Unsupported();
        return TextOf(value);
    }

  private:
    static constexpr int kMaxNesting = 32;

    Status Unsupported() const {
        return Status::Unsupported("the template expression " + Quoted(text_) + " is unsupported");
    }
    Status Overflow() const {
        return Status::Corrupt("the template expression " + Quoted(text_) +
                               " exceeds 64-bit integers");
    }

    void SkipSpace() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0)
            ++at_;
    }
    bool Take(std::string_view token) {
        SkipSpace();
        if (text_.substr(at_, token.size()) != token) return false;
        at_ += token.size();
        return true;
    }

    Result<Value> Sum(int nesting) {
        if (nesting > kMaxNesting) return Unsupported();
        ZARR_ASSIGN_OR_RETURN(Value left, Product(nesting));
        for (;;) {
            const bool is_plus = Take("+");
            if (!is_plus && !Take("-")) return left;
            ZARR_ASSIGN_OR_RETURN(const Value right, Product(nesting));
            ZARR_ASSIGN_OR_RETURN(left, Add(left, right, is_plus));
        }
    }
    Result<Value> Add(const Value& left, const Value& right, bool is_plus) const {
        const auto* const a = std::get_if<std::int64_t>(&left);
        const auto* const b = std::get_if<std::int64_t>(&right);
        if (a != nullptr && b != nullptr) {
            const auto sum = is_plus ? AddChecked(*a, *b) : SubtractChecked(*a, *b);
            return sum ? Result<Value>(Value(*sum)) : Result<Value>(Overflow());
        }
        if (a != nullptr || b != nullptr || !is_plus) return Unsupported();
        std::string text = std::get<std::string>(left);
        ZARR_RETURN_IF_ERROR(Appended(text, std::get<std::string>(right)));
        return Value(std::move(text));
    }

    Result<Value> Product(int nesting) {
        ZARR_ASSIGN_OR_RETURN(Value left, Factor(nesting));
        for (;;) {
            SkipSpace();
            char operation = '\0';
            if (Take("//"))
                operation = '/';
            else if (Take("*"))
                operation = '*';
            else if (Take("%"))
                operation = '%';
            if (operation == '\0') return left;
            if (operation == '*' && Take("*")) return Unsupported();
            ZARR_ASSIGN_OR_RETURN(const Value right, Factor(nesting));
            ZARR_ASSIGN_OR_RETURN(left, Multiply(left, right, operation));
        }
    }
    Result<Value> Multiply(const Value& left, const Value& right, char operation) const {
        if (const auto* const format = std::get_if<std::string>(&left)) {
            if (operation != '%') return Unsupported();
            ZARR_ASSIGN_OR_RETURN(std::string text, FormatLikePython(*format, right));
            if (text.size() > LimitOf(Limit::kTemplateLength)) return TemplateTooLong();
            return Value(std::move(text));
        }
        const std::int64_t a = std::get<std::int64_t>(left);
        const auto* const b = std::get_if<std::int64_t>(&right);
        if (b == nullptr) return Unsupported();
        if (operation == '*') {
            const auto product = MultiplyChecked(a, *b);
            return product ? Result<Value>(Value(*product)) : Result<Value>(Overflow());
        }
        if (*b == 0)
            return Status::Corrupt("the template expression " + Quoted(text_) + " divides by zero");
        if (*b == -1)
            return operation == '/' ? Add(Value(std::int64_t{0}), left, false)
                                    : Result<Value>(Value(std::int64_t{0}));
        const std::int64_t quotient = FloorDiv(a, *b);
        return Value(operation == '/' ? quotient : a - quotient * *b);
    }

    Result<Value> Factor(int nesting) {
        SkipSpace();
        if (at_ == text_.size()) return Unsupported();
        const char c = text_[at_];
        if (Take("(")) {
            ZARR_ASSIGN_OR_RETURN(Value value, Sum(nesting + 1));
            if (!Take(")")) return Unsupported();
            return value;
        }
        if (Take("-")) {
            if (nesting > kMaxNesting) return Unsupported();
            ZARR_ASSIGN_OR_RETURN(const Value value, Factor(nesting + 1));
            return Add(Value(std::int64_t{0}), value, false);
        }
        if (c == '\'' || c == '"') return Text(c);
        if (std::isdigit(static_cast<unsigned char>(c)) != 0) return Number();
        if (std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_') return Name(nesting);
        return Unsupported();
    }

    Result<Value> Text(char quote) {
        const std::size_t end = text_.find(quote, at_ + 1);
        if (end == std::string_view::npos) return Unsupported();
        std::string text(text_.substr(at_ + 1, end - at_ - 1));
        if (text.find('\\') != std::string::npos) return Unsupported();
        at_ = end + 1;
        return Value(std::move(text));
    }

    Result<Value> Number() {
        std::int64_t number = 0;
        const auto [end, error] =
            std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
        if (error != std::errc()) return Overflow();
        at_ = static_cast<std::size_t>(end - text_.data());
        // Numbers with a fraction or an exponent are unsupported in templates.
        if (at_ < text_.size() && (text_[at_] == '.' || text_[at_] == 'e')) return Unsupported();
        return Value(number);
    }

    std::string TakeName() {
        const std::size_t begin = at_;
        while (at_ < text_.size() &&
               (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
            ++at_;
        return std::string(text_.substr(begin, at_ - begin));
    }

    Result<Value> Name(int nesting) {
        const std::string name = TakeName();
        const bool is_call = Take("(");
        const auto variable = variables_.find(name);
        if (!is_call && variable != variables_.end()) return variable->second;
        const auto known = templates_.texts_.find(name);
        if (known == templates_.texts_.end())
            return Status::Corrupt("the template " + Quoted(name) + " does not exist");
        Templates::Variables arguments;
        if (is_call) ZARR_RETURN_IF_ERROR(TakeArguments(arguments, nesting));
        ZARR_ASSIGN_OR_RETURN(std::string text, templates_.ExpandAt(known->second, arguments,
                                                                    depth_ + 1, expressions_));
        return Value(std::move(text));
    }

    Status TakeArguments(Templates::Variables& arguments, int nesting) {
        if (Take(")")) return {};
        do {
            SkipSpace();
            std::string name = TakeName();
            if (name.empty() || !Take("=")) return Unsupported();
            ZARR_ASSIGN_OR_RETURN(Value value, Sum(nesting + 1));
            arguments[std::move(name)] = std::move(value);
        } while (Take(","));
        return Take(")") ? Status() : Unsupported();
    }

    const Templates& templates_;
    const std::string_view text_;
    const Templates::Variables& variables_;
    const int depth_;
    std::uint64_t& expressions_;
    std::size_t at_ = 0;
};

Result<std::string> Templates::Expand(std::string_view text, const Variables& variables) const {
    std::uint64_t expressions = 0;
    return ExpandAt(text, variables, 0, expressions);
}

Result<std::string> Templates::ExpandAt(std::string_view text, const Variables& variables,
                                        int depth, std::uint64_t& expressions) const {
    if (depth > kMaxDepth)
        return Status::Corrupt("templates refer to each other more than " +
                               std::to_string(kMaxDepth) + " deep");
    if (text.find("{%") != std::string_view::npos)
        return Status::Unsupported("the template " + Quoted(text) +
                                   " has statements, which are unsupported");
    std::string expanded;
    for (;;) {
        const std::size_t begin = text.find("{{");
        ZARR_RETURN_IF_ERROR(Appended(expanded, text.substr(0, begin)));
        if (begin == std::string_view::npos) return expanded;
        const std::size_t end = text.find("}}", begin);
        if (end == std::string_view::npos)
            return Status::Corrupt("the template " + Quoted(text) + " has no closing braces");
        // Nested templates can need very many expressions even if all values are empty, so the
        // number of expressions is limited.
        if (++expressions > LimitOf(Limit::kTemplateLength))
            return OverLimit(Limit::kTemplateLength, "a template has too many expressions");
        TemplateExpression expression(*this, text.substr(begin + 2, end - begin - 2), variables,
                                      depth, expressions);
        ZARR_ASSIGN_OR_RETURN(const std::string value, expression.Evaluate());
        ZARR_RETURN_IF_ERROR(Appended(expanded, value));
        text.remove_prefix(end + 2);
    }
}

}  // namespace zarr
