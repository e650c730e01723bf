// OpenSSL's texts of errors: a table of 60 KB, filled when the first text is asked for and not
// before the first handshake (runtime/deps/trim.pl).
#include <gtest/gtest.h>
#include <malloc.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

namespace trainwarden::http::error_texts_test {
namespace {

std::size_t allocated() { return mallinfo2().uordblks; }

TEST(ErrorTexts, TakeNoMemoryBeforeOneIsAskedFor) {
  constexpr std::size_t kMost = std::size_t{16} << 10U;
  const std::size_t before = allocated();
  // As SSL_CTX_new does.
  ASSERT_EQ(
      OPENSSL_init_ssl(OPENSSL_INIT_LOAD_SSL_STRINGS | OPENSSL_INIT_LOAD_CRYPTO_STRINGS, nullptr),
      1);
  EXPECT_LT(allocated(), before + kMost);
}

TEST(ErrorTexts, AreThereOnceTheyAreAskedFor) {
  const unsigned long of_tls = ERR_PACK(ERR_LIB_SSL, 0, SSL_R_WRONG_VERSION_NUMBER);
  EXPECT_STREQ(ERR_reason_error_string(of_tls), "wrong version number");
  EXPECT_STREQ(ERR_lib_error_string(of_tls), "SSL routines");
  const unsigned long of_certificates =
      ERR_PACK(ERR_LIB_X509, 0, X509_R_CERT_ALREADY_IN_HASH_TABLE);
  EXPECT_STREQ(ERR_reason_error_string(of_certificates), "cert already in hash table");
  EXPECT_EQ(ERR_reason_error_string(ERR_PACK(ERR_LIB_SSL, 0, 4000)), nullptr);
}

}  // namespace
}  // namespace trainwarden::http::error_texts_test
