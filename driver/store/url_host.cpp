// SPDX-License-Identifier: MIT
#include "driver/store/url_host.h"

#include <cpl_conv.h>
#include <cpl_string.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace zarr_driver {

namespace {

// Returns the host in `rest`, a URL without its scheme. libcurl ignores how many slashes follow the
// colon of the scheme.
std::string HostAfterScheme(std::string_view rest) {
    rest.remove_prefix(std::min(rest.find_first_not_of("/\\"), rest.size()));
    rest = rest.substr(0, rest.find_first_of("/?#"));
    rest.remove_prefix(rest.rfind('@') == std::string_view::npos ? 0 : rest.rfind('@') + 1);
    const std::size_t bracket = rest.find(']');
    if (rest.substr(0, 1) == "[" && bracket != std::string_view::npos)
        rest = rest.substr(0, bracket + 1);
    else
        rest = rest.substr(0, rest.find(':'));
    // Each "+" is encoded first, because CPLUnescapeString() would turn it into a space.
    std::string escaped;
    for (const char c : rest) escaped += c == '+' ? "%2B" : std::string(1, c);
    char* const decoded = CPLUnescapeString(escaped.c_str(), nullptr, CPLES_URL);
    std::string host = CPLString(decoded).tolower();
    CPLFree(decoded);
    return host;
}

// Returns the size of the scheme at the start of `url`, with its colon; 0 if there is none.
std::size_t SchemeSize(std::string_view url) {
    const std::size_t colon = url.find(':');
    if (colon == std::string_view::npos || url.find_first_of("/?#\\") < colon) return 0;
    return colon + 1;
}

}  // namespace

std::string HostOf(std::string_view url) {
    const std::size_t scheme = SchemeSize(url);
    return scheme == 0 ? std::string() : HostAfterScheme(url.substr(scheme));
}

std::string HostOfRedirect(std::string_view location) {
    location.remove_prefix(std::min(location.find_first_not_of(" \t"), location.size()));
    const bool has_host = location.size() > 1 && (location[0] == '/' || location[0] == '\\') &&
                          (location[1] == '/' || location[1] == '\\');
    return has_host ? HostAfterScheme(location) : HostOf(location);
}

bool IsLinkLocal(const std::string& host) {
    if (!host.empty() && host[0] == '[')
        return EQUALN(host.c_str() + 1, "fe8", 3) || EQUALN(host.c_str() + 1, "fe9", 3) ||
               EQUALN(host.c_str() + 1, "fea", 3) || EQUALN(host.c_str() + 1, "feb", 3) ||
               STARTS_WITH_CI(host.c_str(), "[::ffff:169.254.") ||
               STARTS_WITH_CI(host.c_str(), "[::ffff:a9fe:");
    // Parses an IPv4 address as inet_aton() does: one to four numbers, each decimal, octal or
    // hexadecimal.
    std::uint64_t address = 0;
    const char* at = host.c_str();
    for (int part = 0; part < 4 && *at != '\0'; ++part) {
        char* end = nullptr;
        const unsigned long long number = std::strtoull(at, &end, 0);
        if (end == at || (*end != '.' && *end != '\0')) return false;
        const bool is_last = *end == '\0' || (end[0] == '.' && end[1] == '\0');
        const int bytes = is_last ? 4 - part : 1;
        address = bytes == 4 ? number : (address << (8U * static_cast<unsigned>(bytes))) | number;
        at = *end == '\0' ? end : end + 1;
    }
    return !host.empty() && *at == '\0' && ((address >> 16U) & 0xffffU) == 0xa9feU;
}

bool IsHostIn(std::string_view host, std::string_view domain) {
    if (domain.empty() || host.size() < domain.size()) return false;
    const std::size_t before = host.size() - domain.size();
    return host.substr(before) == domain && (before == 0 || host[before - 1] == '.');
}

}  // namespace zarr_driver
