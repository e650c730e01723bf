#include "runtime/http/roots.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <memory>
#include <utility>

namespace trainwarden::http {
namespace {

struct FreeOpenSsl {
  void operator()(BIO* memory) const noexcept { BIO_free(memory); }
  void operator()(X509* certificate) const noexcept { X509_free(certificate); }
};

X509_STORE* store_of(void* store) { return static_cast<X509_STORE*>(store); }

}  // namespace

Roots::~Roots() { X509_STORE_free(store_of(store_)); }

void Roots::add(std::string_view pem) {
  if (store_ == nullptr || !read(std::exchange(unread_, {}))) return;
  read(pem);
}

void Roots::use_for(CURL* easy) {
  curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, &Roots::on_tls);
  curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, this);
}

void Roots::forget(CURL* easy) {
  curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, nullptr);
  curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, nullptr);
}

// Called before each handshake. libcurl itself would parse the roots for every connection.
CURLcode Roots::on_tls(CURL* /*easy*/, void* context, void* self) noexcept {
  Roots& roots = *static_cast<Roots*>(self);
  if (roots.store_ == nullptr) {
    X509_STORE* const store = X509_STORE_new();
    if (store == nullptr) return CURLE_OUT_OF_MEMORY;
    roots.store_ = store;
    // The flags that libcurl sets: a certificate that is itself trusted ends the search for an
    // issuer.
    X509_STORE_set_flags(store, X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_PARTIAL_CHAIN);
  }
  if (!roots.read(std::exchange(roots.unread_, {}))) return CURLE_SSL_CACERT_BADFILE;
  SSL_CTX_set1_cert_store(static_cast<SSL_CTX*>(context), store_of(roots.store_));
  return CURLE_OK;
}

bool Roots::read(std::string_view pem) {
  if (pem.empty()) return true;
  const std::unique_ptr<BIO, FreeOpenSsl> memory(
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  if (!memory) return false;
  bool any = false;
  while (const std::unique_ptr<X509, FreeOpenSsl> root{
      PEM_read_bio_X509(memory.get(), nullptr, nullptr, nullptr)}) {
    if (X509_STORE_add_cert(store_of(store_), root.get()) != 1) return false;
    any = true;
  }
  ERR_clear_error();  // the end of the text counts as one
  return any;
}

}  // namespace trainwarden::http
