// SPDX-License-Identifier: MIT
// Functions that find and check the host in a URL. The URLs come from documents that may not be
// trustworthy.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace zarr_driver {

// Returns the host of `url` as libcurl reads it: in lower case and percent-decoded, without user,
// password and port. Returns an empty string if `url` has no scheme.
std::string HostOf(std::string_view url);

// Returns the host to which `location`, the value of a header "Location", leads. Returns an empty
// string if `location` is relative, and so leads to the host of the request.
std::string HostOfRedirect(std::string_view location);

// True if `host`, in lower case, is spelled with the characters of a host name or of a numeric
// address. Other characters are escaped in punycode. libcurl may convert some of them to digits.
bool IsPlainHost(std::string_view host);

enum class HostAddress : std::uint8_t {
    // An address that references must not name: a link-local one (169.254.0.0/16, fe80::/10) in any
    // spelling and in IPv6 forms that contain IPv4 addresses, or a metadata server of a cloud. Such
    // servers give machines their credentials.
    kLinkLocal,
    kUnknown,  // the name cannot be resolved, and no proxy is set that could do so
    kOther,
};

// Returns to what kind of address this machine resolves `host`. May ask a name server, which may
// give another answer when the host is asked for data. Thread-safe.
HostAddress AddressOf(const std::string& host);

// True if `host` is `domain` or a host below it. Both must be in lower case.
bool IsHostIn(std::string_view host, std::string_view domain);

}  // namespace zarr_driver
