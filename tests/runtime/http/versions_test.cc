#include "runtime/http/versions.h"

#include <curl/curl.h>
#include <gtest/gtest.h>

namespace trainwarden::http::versions_test {
namespace {

TEST(LibraryVersions, AreThoseThatTheLibrariesTell) {
  const curl_version_info_data* const told = curl_version_info(CURLVERSION_NOW);
  EXPECT_EQ(library_versions().curl, told->version);
  EXPECT_EQ(library_versions().tls, told->ssl_version);
}

}  // namespace
}  // namespace trainwarden::http::versions_test
