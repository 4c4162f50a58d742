// SPDX-License-Identifier: MIT
#include "driver/base/secrets.h"

#include <gtest/gtest.h>

#include <string>

namespace zarr_driver {
namespace {

struct Case {
    const char* text;
    const char* shown;
};

TEST(Secrets, AreHiddenInNamesOfStores) {
    constexpr Case kCases[] = {
        {"/vsicurl/https://user:pass@host/x.zarr", "/vsicurl/https://***@host/x.zarr"},
        {"https://token@host:8080/x.zarr", "https://***@host:8080/x.zarr"},
        {"https://user:p@ss:w@host/a@b.zarr", "https://***@host/a@b.zarr"},
        {"https://user:pa/s?s@host/x.zarr", "https://***@host/x.zarr"},
        {"https://user:pass word@host/x.zarr: /a", "https://***@host/x.zarr: /a"},
        {"https://user:pass@[::1]:80/x.zarr", "https://***@[::1]:80/x.zarr"},
        {"ZARR:\"https://user:pass@host/x.zarr\":/a@b", "ZARR:\"https://***@host/x.zarr\":/a@b"},
        {"/vsizip//vsicurl/https://user:pass@host/x.zip/in",
         "/vsizip//vsicurl/https://***@host/x.zip/in"},
        {"/vsizip/{/vsicurl/https://host/x.zip?sig=abc}/in",
         "/vsizip/{/vsicurl/https://host/x.zip?sig=***}/in"},
        {"https://h/x.zarr?sv=2020-08-04&sp=r&sig=a%2Fb%3D&se=2026",
         "https://h/x.zarr?sv=2020-08-04&sp=r&sig=***&se=2026"},
        {"https://h/x.zarr?X-Amz-Date=1&X-Amz-Credential=AK%2F1&X-Amz-Signature=00&"
         "X-Amz-Security-Token=q/q+",
         "https://h/x.zarr?X-Amz-Date=1&X-Amz-Credential=***&X-Amz-Signature=***&"
         "X-Amz-Security-Token=***"},
        {"https://h/x?GoogleAccessId=a@b&Expires=1&Signature=c==&api_key=d&KEY=e#access_token=f",
         "https://h/x?GoogleAccessId=***&Expires=1&Signature=***&api_key=***&KEY=***"},
        {"https://h/x?f=json#access_token=abc", "https://h/x?f=json#access_token=***"},
        {"https://h/x.zarr?%73ig=abc&v=2", "https://h/x.zarr?%73ig=***&v=2"},
        {"https://h/x.zarr?abcdef", "https://h/x.zarr?***"},
        {"/vsicurl?use_head=no&userpwd=u:p&header.X=Bearer abc&url=https%3A%2F%2Fu%3Ap%40h%2Fx%3F"
         "sig%3Da%2526b%26v%3D2&cookie=c",
         "/vsicurl?use_head=no&userpwd=***&header.X=***&url=https%3A%2F%2F***%40h%2Fx%3F"
         "sig%3D***%26v%3D2&cookie=***"},
        {"/vsicurl?url=https%3A%2F%2Fhost&cookie=a@b",
         "/vsicurl?url=https%3A%2F%2Fhost&cookie=***"},
        {"/data/a?sig=abc&v=1/x.zarr", "/data/a?sig=***&v=1/x.zarr"},
    };
    for (const auto& [text, shown] : kCases)
        EXPECT_EQ(HideSecrets(text, UrlEnd::kAtSeparator), shown) << text;
}

TEST(Secrets, AreHiddenInSentences) {
    constexpr Case kCases[] = {
        {"cannot open https://u:p@h/x.zarr?sig=abc: refused (https://h/y?token=d).",
         "cannot open https://***@h/x.zarr?sig=***: refused (https://h/y?token=***)."},
        {"'https://u:p@h/x' and \"https://h/x?sig=a\" are 'x'",
         "'https://***@h/x' and \"https://h/x?sig=***\" are 'x'"},
        {"https://user:a-long-pas... is no store", "https://*** is no store"},
    };
    for (const auto& [text, shown] : kCases)
        EXPECT_EQ(HideSecrets(text, UrlEnd::kAtSpace), shown) << text;
}

TEST(Secrets, OtherTextIsUnchanged) {
    constexpr const char* kTexts[] = {"",
                                      "https://host:8080/x.zarr",
                                      "https://host:8080: cannot read",
                                      "https://host: no answer",
                                      "/vsis3/bucket/x.zarr: /a@b",
                                      "ZARR:https://host:/array",
                                      "/data/100%25 & more=2/x#3=a.zarr",
                                      "is it there? a=b: expected \"x&y=z\"",
                                      "SELECT=time=2020-01-01",
                                      "a;b=c",
                                      "%zz%",
                                      "%2",
                                      "https://h/x?version=3&use_head=no"};
    for (const char* const text : kTexts)
        for (const UrlEnd end : {UrlEnd::kAtSpace, UrlEnd::kAtSeparator})
            EXPECT_EQ(HideSecrets(text, end), text);
}

TEST(Secrets, TextsWithoutSecretsAreRecognised) {
    EXPECT_FALSE(MayHoldSecrets("/data/x.zarr"));
    EXPECT_TRUE(MayHoldSecrets("https://u:p@h/x"));
    EXPECT_TRUE(MayHoldSecrets("/vsicurl?url=https%3A%2F%2Fu%3Ap%40h"));
}

}  // namespace
}  // namespace zarr_driver
