// SPDX-License-Identifier: MIT
#include "driver/remote_options.h"

#include <cpl_vsi.h>

namespace zarr_driver {

namespace {

// Of GDAL's documentation, "GDAL Virtual File Systems", and of its HTTP client.
constexpr const char* kOptions[] = {
    "AWS_S3_ENDPOINT",
    "AWS_HTTPS",
    "AWS_VIRTUAL_HOSTING",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_NO_SIGN_REQUEST",
    "AWS_REQUEST_PAYER",
    "AWS_PROFILE",
    "AWS_DEFAULT_PROFILE",
    "AWS_CONFIG_FILE",
    "CPL_AWS_CREDENTIALS_FILE",
    "AWS_ROLE_ARN",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "GS_ACCESS_KEY_ID",
    "GS_SECRET_ACCESS_KEY",
    "GS_NO_SIGN_REQUEST",
    "GS_OAUTH2_REFRESH_TOKEN",
    "GS_OAUTH2_CLIENT_ID",
    "GS_OAUTH2_CLIENT_SECRET",
    "GS_OAUTH2_PRIVATE_KEY",
    "GS_OAUTH2_PRIVATE_KEY_FILE",
    "GS_OAUTH2_CLIENT_EMAIL",
    "GS_USER_PROJECT",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "CPL_GS_CREDENTIALS_FILE",
    "CPL_GS_ENDPOINT",
    "AZURE_STORAGE_CONNECTION_STRING",
    "AZURE_STORAGE_ACCOUNT",
    "AZURE_STORAGE_ACCESS_KEY",
    "AZURE_STORAGE_ACCESS_TOKEN",
    "AZURE_STORAGE_SAS_TOKEN",
    "AZURE_SAS",
    "AZURE_NO_SIGN_REQUEST",
    "AZURE_TENANT_ID",
    "AZURE_CLIENT_ID",
    "AZURE_FEDERATED_TOKEN_FILE",
    "CPL_AZURE_ENDPOINT",
    "OSS_ENDPOINT",
    "OSS_HTTPS",
    "OSS_VIRTUAL_HOSTING",
    "OSS_ACCESS_KEY_ID",
    "OSS_SECRET_ACCESS_KEY",
    "SWIFT_STORAGE_URL",
    "SWIFT_AUTH_TOKEN",
    "SWIFT_AUTH_V1_URL",
    "SWIFT_USER",
    "SWIFT_KEY",
    "OS_AUTH_URL",
    "OS_USERNAME",
    "OS_PASSWORD",
    "OS_PROJECT_NAME",
    "OS_REGION_NAME",
    "WEBHDFS_USERNAME",
    "WEBHDFS_DELEGATION",
    "WEBHDFS_DATANODE_HOST",
    "GDAL_HTTP_HEADERS",
    "GDAL_HTTP_HEADER_FILE",
    "GDAL_HTTP_USERPWD",
    "GDAL_HTTP_AUTH",
    "GDAL_HTTP_BEARER",
    "GDAL_HTTP_COOKIE",
    "GDAL_HTTP_COOKIEFILE",
    "GDAL_HTTP_NETRC",
    "GDAL_HTTP_NETRC_FILE",
    "GDAL_HTTP_PROXY",
    "GDAL_HTTP_SSLCERT",
};

}  // namespace

std::string RemoteOptions(const std::string& path) {
    std::string options;
    for (const char* name : kOptions)
        if (const char* text = VSIGetPathSpecificOption(path.c_str(), name, nullptr))
            options += std::string("\n") + name + "=" + text;
    return options;
}

}  // namespace zarr_driver
