// SPDX-License-Identifier: MIT
#include "driver/transport/url_host.h"

#include <cpl_conv.h>
#include <cpl_string.h>

#ifdef _WIN32
#include <winsock2.h>
#include <ws2tcpip.h>
#else
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#endif

#include <algorithm>
#include <cstring>
#include <iterator>

using namespace std::string_view_literals;

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

// Returns `host` without the brackets and the zone of an IPv6 address, and without dots at its end.
std::string WithoutBrackets(std::string_view host) {
    if (!host.empty() && host.front() == '[')
        host = host.substr(1, std::min(host.find_first_of("]%"), host.size()) - 1);
    while (!host.empty() && host.back() == '.') host.remove_suffix(1);
    return std::string(host);
}

// Bytes of an address, in network byte order.
using Address = std::string_view;

bool StartsWith(Address address, Address prefix) {
    return address.substr(0, prefix.size()) == prefix;
}

// True for an IPv4 address, of 4 bytes, that references must not name.
bool IsForbiddenV4(Address address) {
    // Alibaba, Azure and Oracle have metadata servers that are not link-local.
    return StartsWith(address, "\xa9\xfe"sv) || address == "\x64\x64\x64\xc8"sv ||
           address == "\xa8\x3f\x81\x10"sv || address == "\xc0\0\0\xc0"sv;
}

// A kind of IPv6 addresses that contain an IPv4 address.
struct Embedding {
    Address prefix;
    std::size_t offset;  // of the IPv4 address, in bytes
};
constexpr Embedding kEmbeddings[] = {
    {"\0\0\0\0\0\0\0\0\0\0\xff\xff"sv, 12},  // mapped, ::ffff:0:0/96
    {"\0\0\0\0\0\0\0\0\xff\xff\0\0"sv, 12},  // translated, ::ffff:0:0:0/96
    {"\0\0\0\0\0\0\0\0\0\0\0\0"sv, 12},      // compatible, ::/96
    {"\x00\x64\xff\x9b"sv, 12},              // NAT64, 64:ff9b::/96 and 64:ff9b:1::/48
    {"\x20\x02"sv, 2},                       // 6to4, 2002::/16
};

// True for an IPv6 address, of 16 bytes, that references must not name.
bool IsForbiddenV6(Address address) {
    constexpr std::size_t kV4Size = 4;
    // The other two are the metadata servers fd00:ec2::254 of Amazon and fd20:ce::254 of Google.
    if ((address[0] == '\xfe' && (static_cast<unsigned char>(address[1]) & 0xc0U) == 0x80U) ||
        address == "\xfd\0\x0e\xc2\0\0\0\0\0\0\0\0\0\0\x02\x54"sv ||
        address == "\xfd\x20\0\xce\0\0\0\0\0\0\0\0\0\0\x02\x54"sv)
        return true;
    return std::any_of(std::begin(kEmbeddings), std::end(kEmbeddings), [&](const Embedding& each) {
        return StartsWith(address, each.prefix) &&
               IsForbiddenV4(address.substr(each.offset, kV4Size));
    });
}

bool IsForbidden(const sockaddr* address) {
    if (address->sa_family == AF_INET) {
        sockaddr_in v4{};
        std::memcpy(&v4, address, sizeof v4);
        char bytes[sizeof v4.sin_addr];
        std::memcpy(bytes, &v4.sin_addr, sizeof bytes);
        return IsForbiddenV4({bytes, sizeof bytes});
    }
    if (address->sa_family != AF_INET6) return false;
    sockaddr_in6 v6{};
    std::memcpy(&v6, address, sizeof v6);
    char bytes[sizeof v6.sin6_addr];
    std::memcpy(bytes, &v6.sin6_addr, sizeof bytes);
    return IsForbiddenV6({bytes, sizeof bytes});
}

// True if the user has set a proxy, which resolves names instead of this machine.
bool HasProxy() {
    // CPLGetConfigOption() also reads the environment, and with it curl's variables.
    constexpr const char* kOptions[] = {"GDAL_HTTP_PROXY", "GDAL_HTTPS_PROXY", "http_proxy",
                                        "https_proxy",     "all_proxy",        "HTTPS_PROXY",
                                        "ALL_PROXY"};
    return std::any_of(std::begin(kOptions), std::end(kOptions), [](const char* option) {
        return CPLGetConfigOption(option, "")[0] != '\0';
    });
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

bool IsPlainHost(std::string_view host) {
    const bool is_bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
    if (is_bracketed) host = host.substr(1, host.size() - 2);
    return !host.empty() &&
           host.find_first_not_of(is_bracketed ? "abcdefghijklmnopqrstuvwxyz0123456789-_.:%"
                                               : "abcdefghijklmnopqrstuvwxyz0123456789-_.") ==
               std::string_view::npos;
}

HostAddress AddressOf(const std::string& host) {
    const std::string name = WithoutBrackets(host);
    for (const char* const metadata : {"metadata.google.internal", "metadata.goog"})
        if (IsHostIn(name, metadata)) return HostAddress::kLinkLocal;
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (name.empty() || getaddrinfo(name.c_str(), nullptr, &hints, &found) != 0)
        return HasProxy() ? HostAddress::kOther : HostAddress::kUnknown;
    bool is_forbidden = false;
    for (const addrinfo* each = found; each != nullptr; each = each->ai_next)
        is_forbidden = is_forbidden || IsForbidden(each->ai_addr);
    freeaddrinfo(found);
    return is_forbidden ? HostAddress::kLinkLocal : HostAddress::kOther;
}

bool IsHostIn(std::string_view host, std::string_view domain) {
    if (domain.empty() || host.size() < domain.size()) return false;
    const std::size_t before = host.size() - domain.size();
    return host.substr(before) == domain && (before == 0 || host[before - 1] == '.');
}

}  // namespace zarr_driver
