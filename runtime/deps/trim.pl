#!/usr/bin/perl
# usage: trim.pl openssl|curl DIR
# Takes out of the sources in DIR what a TLS 1.2/1.3 client and server with RSA and EC certificates never runs, and which no
# option of theirs takes out. OpenSSL keeps its algorithms in tables, and whatever a table names is linked: the tables keep
# what is listed here. A function that is cut keeps its name and fails at once. Each name must be found in the sources: what
# no longer applies must not pass.
use strict;
use warnings;

my ($which, $dir) = @ARGV;

sub edit {  # file, function on its text
  my ($file, $change) = @_;
  open(my $in, '<', "$dir/$file") or die "trim.pl: $dir/$file: $!\n";
  local $/;
  local $_ = <$in>;
  $change->();
  open(my $out, '>', "$dir/$file") or die "trim.pl: $dir/$file: $!\n";
  print $out $_;
  close($out) or die "trim.pl: $dir/$file: $!\n";
}

# Drops the entries of a table, those that the pattern matches and whose $1 is not among the names.
sub keep {
  my ($file, $entry, @names) = @_;
  my %found = map { $_ => 0 } @names;
  edit($file, sub {
    s{$entry}{ my ($all, $name) = ($&, $1 // $2); $name =~ s/\s+//g; exists $found{$name} ? (++$found{$name}, $all)[1] : '' }ge;
  });
  my @missing = grep { !$found{$_} } @names;
  die "trim.pl: $file: not found: @missing\n" if @missing;
}

# Begins a function with a statement that leaves it.
sub cut {
  my ($file, $statement, @functions) = @_;
  for my $function (@functions) {
    edit($file, sub {
      my $n = s/(\n\w[\w *]*\b\Q$function\E\([^;{}]*\)\s*\{)/$1\n    $statement/g;
      die "trim.pl: $file: expected one $function, found " . ($n || 0) . "\n" unless $n == 1;
    });
  }
}

sub replace {  # file, old, new
  my ($file, $old, $new) = @_;
  edit($file, sub {
    my $n = s/\Q$old\E/$new/g;
    die "trim.pl: $file: expected once, found " . ($n || 0) . " times: $old\n" unless $n == 1;
  });
}

if ($which eq 'openssl') {
  # Twenty years of algorithms. SHA-3 and SHAKE are for ML-KEM, AES in ECB and CTR mode for the random generator.
  keep('providers/defltprov.c',
       qr/[ ]*(?:\{\s*(?:PROV_NAMES_\w+|"\w+"),[^{}]*?(ossl_\w+_functions)[^{}]*?\}|ALGC?\(PROV_NAMES_\w+,\s*(ossl_\w+_functions)[^()]*\)),[ ]*\n/,
       qw(ossl_sha1_functions ossl_sha224_functions ossl_sha256_functions ossl_sha384_functions ossl_sha512_functions
          ossl_sha3_256_functions ossl_sha3_512_functions ossl_shake_128_functions ossl_shake_256_functions
          ossl_nullmd_functions
          ossl_aes256ecb_functions ossl_aes128ecb_functions ossl_aes256cbc_functions ossl_aes128cbc_functions
          ossl_aes256ctr_functions ossl_aes128ctr_functions ossl_aes256gcm_functions ossl_aes128gcm_functions
          ossl_null_functions ossl_hmac_functions
          ossl_kdf_hkdf_functions ossl_kdf_tls1_3_kdf_functions ossl_kdf_tls1_prf_functions
          ossl_ecdh_keyexch_functions ossl_x25519_keyexch_functions
          ossl_drbg_ctr_functions ossl_seed_src_functions
          ossl_rsa_signature_functions ossl_ecdsa_signature_functions ossl_mac_legacy_hmac_signature_functions
          ossl_rsa_asym_cipher_functions ossl_ml_kem_asym_kem_functions ossl_mlx_kem_asym_kem_functions
          ossl_rsa_keymgmt_functions ossl_rsapss_keymgmt_functions ossl_ec_keymgmt_functions
          ossl_x25519_keymgmt_functions ossl_mac_legacy_keymgmt_functions ossl_ml_kem_768_keymgmt_functions
          ossl_mlx_x25519_kem_kmgmt_functions ossl_mlx_p256_kem_kmgmt_functions ossl_generic_skeymgmt_functions));
  # Keys: read from certificates and PEM files; written by the tests' server alone.
  my $coder = qr/^[ED][EN]\wODER\w*\(\s*((?:[^()]|\n)*?)\),?[ \t]*\n/m;
  keep('providers/encoders.inc', $coder,
       split(' ', '"EC",ec,yes,der,SubjectPublicKeyInfo "EC",ec,yes,der,PrivateKeyInfo "EC",ec,yes,pem,PrivateKeyInfo'));
  keep('providers/decoders.inc', $coder,
       split(' ', '"EC",der,PrivateKeyInfo,ec,yes "EC",der,SubjectPublicKeyInfo,ec,yes "EC",der,type_specific_no_pub,ec,yes
                  "RSA",der,PrivateKeyInfo,rsa,yes "RSA",der,SubjectPublicKeyInfo,rsa,yes
                  "RSA",der,type_specific_keypair,rsa,yes "RSA-PSS",der,SubjectPublicKeyInfo,rsapss,yes
                  "DER",der,SubjectPublicKeyInfo,der,yes "DER",pem,der,yes'));
  # Files of certificates are read without the STORE of URIs.
  keep('providers/stores.inc', qr/^STORE\("(\w+)".*\n/m);
  # The base provider offers the same encoders, decoders and stores once more.
  keep('crypto/provider_predefined.c', qr/^ +\{ "(\w+)", NULL, ossl_\w+_provider_init, NULL, \d \},\n/m, qw(default));
  # The methods of keys from before there were providers.
  cut('crypto/evp/pmeth_lib.c', 'return NULL;', qw(EVP_PKEY_meth_find));
  keep('crypto/asn1/standard_methods.h', qr/^ +&(ossl_\w+_asn1_meths?)(?:\[\d\])?,\n/m,
       qw(ossl_rsa_asn1_meths ossl_eckey_asn1_meth ossl_rsa_pss_asn1_meth ossl_ecx25519_asn1_meth));
  # By these the library knows the number of what a provider brought.
  keep('crypto/evp/c_allc.c', qr/^ +EVP_add_cipher(?:_alias)?\((\w+)\W.*\n/m,
       qw(EVP_aes_128_cbc EVP_aes_128_ctr EVP_aes_128_gcm EVP_aes_256_cbc EVP_aes_256_ctr EVP_aes_256_gcm));
  keep('crypto/evp/c_alld.c', qr/^ +EVP_add_digest\((\w+)\W.*\n/m, qw(EVP_sha1 EVP_sha224 EVP_sha256 EVP_sha384 EVP_sha512));
  # Extensions of a certificate that verifying it, or writing the tests' ones, looks at.
  keep('crypto/x509/standard_exts.h', qr/^ +&(ossl_v3_\w+)(?:\[\d\])?,\n/m,
       qw(ossl_v3_nscert ossl_v3_skey_id ossl_v3_key_usage ossl_v3_alt ossl_v3_bcons ossl_v3_cpols ossl_v3_akey_id
          ossl_v3_crld ossl_v3_ext_ku ossl_v3_info ossl_v3_policy_constraints ossl_v3_pci ossl_v3_name_constraints
          ossl_v3_policy_mappings ossl_v3_inhibit_anyp));
  keep('crypto/ec/ec_curve.c', qr/^ +\{ (NID_\w+), &_EC_\w+\.h,[^{}]*\},?\n/m,
       qw(NID_X9_62_prime256v1 NID_secp384r1 NID_secp521r1));
  # Ed25519, Ed448 and X448 sign and agree on nothing here, and bring 55 KB of constants.
  cut('crypto/ec/curve25519.c', 'return 0;', qw(ossl_ed25519_sign ossl_ed25519_verify ossl_ed25519_public_from_private));
  cut('crypto/ec/curve448/eddsa.c', 'return 0;',
      qw(ossl_ed448_sign ossl_ed448_verify ossl_ed448_pubkey_verify ossl_ed448_public_from_private));
  cut('crypto/ec/curve448/curve448.c', 'return 0;', qw(ossl_x448));
  cut('crypto/ec/curve448/curve448.c', 'return;', qw(ossl_x448_public_from_private));
  # X25519's own key by the same ladder as the shared one, not by a table of 24 KB: RFC 7748, 6.1.
  cut('crypto/ec/curve25519.c',
      'static const uint8_t nine[32] = { 9 }; x25519_scalar_mult(out_public_value, private_key, nine); return;',
      qw(ossl_x25519_public_from_private));
  # Nobody makes RSA keys here, or goes by the policies of certificates.
  cut('providers/implementations/keymgmt/rsa_kmgmt.c', 'return NULL;', qw(rsa_gen));
  cut('providers/implementations/keymgmt/rsa_kmgmt.c', 'return 0;', qw(rsa_validate));
  cut('crypto/x509/pcy_tree.c', 'return X509_PCY_TREE_INTERNAL;', qw(X509_policy_check));
  # No configuration file is read, and nobody is asked for a password.
  cut('ssl/ssl_mcnf.c', 'return 1;', qw(ssl_ctx_system_config));
  cut('crypto/conf/conf_sap.c', 'return 1;', qw(ossl_config_int));
  cut('crypto/pem/pem_lib.c', 'return -1;', qw(PEM_def_callback));
  # P-256 without its table of 150 KB: multiples of the generator are computed like those of any other point.
  replace('crypto/ec/ecp_nistz256.c', 'if (preComputedTable == NULL && ecp_nistz256_is_affine_G(generator)) {', 'if (0) {');
  replace('crypto/ec/asm/ecp_nistz256-x86_64.pl', 'while (@line=splice(@arr,0,16)) {', 'while (0) {');
  replace('crypto/ec/asm/ecp_nistz256-armv8.pl', 'for(1..37) {', 'for(()) {');
  # Private RSA keys in AVX-512, and AES for processors of before 2010 that have more than SSSE3 has to offer.
  replace('crypto/bn/rsaz_exp.h', "#define RSAZ_ENABLED\n", '');
  replace('crypto/aes/build.info', 'aes-x86_64.s vpaes-x86_64.s bsaes-x86_64.s', 'aes-x86_64.s vpaes-x86_64.s');
  replace('crypto/aes/build.info', 'AESDEF_x86_64=AES_ASM VPAES_ASM BSAES_ASM', 'AESDEF_x86_64=AES_ASM VPAES_ASM');
  # no-dtls leaves its code.
  replace('ssl/ssl_local.h', '(SSL_CONNECTION_GET_SSL(s)->method->ssl3_enc->enc_flags & SSL_ENC_FLAG_DTLS)', '0');
  replace('ssl/ssl_local.h', '(ctx->method->ssl3_enc->enc_flags & SSL_ENC_FLAG_DTLS)', '0');
  # The C library's gmtime_r brings the files of time zones, its sscanf the floating-point numbers of four formats.
  cut('crypto/o_time.c',
      'memset(result, 0, sizeof(*result)); result->tm_year = 70; result->tm_mday = 1;'
      . ' return OPENSSL_gmtime_adj(result, (int)(*timer / 86400), (long)(*timer % 86400)) ? result : NULL;',
      qw(OPENSSL_gmtime));
  replace('crypto/http/http_lib.c', '#include <stdio.h> /* for sscanf() */', '#include <stdlib.h>');
  replace('crypto/http/http_lib.c', 'sscanf(port, "%u", &portnum) <= 0',
          "*port < '0' || *port > '9' || (portnum = (unsigned int)strtoul(port, NULL, 10)) > 65535");
  replace('crypto/http/http_lib.c', 'sscanf(port, "%d", &portnum) == 1', '(portnum = atoi(port)) > 0');
  # The texts of errors are put into a table of 3,400 entries when the first is asked for, not before the first handshake:
  # 0.15 ms and 150 KB of memory. Each library's loader, TLS's too, asks whether its first text is there, which would load
  # them all.
  replace('crypto/init.c', 'ret = ossl_err_load_crypto_strings();', 'ret = 1;');
  replace('crypto/init.c', "\n    ossl_err_load_SSL_strings();\n", "\n");
  cut('crypto/err/err.c', 'extern int ossl_err_load_crypto_strings(void), ossl_err_load_SSL_strings(void); static int loaded;'
      . ' if (!loaded) { loaded = 1; ossl_err_load_crypto_strings(); ossl_err_load_SSL_strings(); }',
      qw(ERR_lib_error_string ERR_reason_error_string));
  # The processor is asked what it can when the library is first used, not before main: each cpuid is a trap into the
  # hypervisor, and a function that makes no call needs none.
  replace('crypto/x86_64cpuid.pl', ".section	.init\n	call	OPENSSL_cpuid_setup\n", '');
} elsif ($which eq 'curl') {
  # Certificates of a client, and the text of a server's: nobody gives the one or asks for the other.
  cut('lib/vtls/openssl.c', 'failf(data, "client certificates are not built in"); return 0;', qw(cert_stuff));
  cut('lib/vtls/openssl.c', 'return CURLE_OK;', qw(ossl_certchain));
} else {
  die "usage: trim.pl openssl|curl DIR\n";
}
