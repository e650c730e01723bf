#!/bin/bash
# usage: fetch.sh DIR            brings the pinned sources of curl, OpenSSL, fmt and cpp-httplib into DIR
#        fetch.sh --check DIR    says which pins are not the newest that the archive has; DIR holds apt's lists
# DIR/manifest says what was brought, one line each:
#   <name> <version> <debian|upstream> <file> <SHA-256 of the file>
# First choice is Debian's source package (upstream's tarball plus Debian's security patches), pinned by the SHA-256 of
# its .dsc, which in turn names the SHA-256 of every file. It comes from whatever Debian archive the machine's own apt
# configuration points to, the security archive included. A name may have several pins, the newest first: an older one
# is used, with a warning, where the archive lists the newer one and does not have its files. If none of the pins can
# be had, the archive's newest revision of that version is used, verified by apt's signature instead of a pin, and a
# warning says so. Where there is no Debian archive, upstream's own file is used, pinned by SHA-256, and a warning says
# that it lacks Debian's patches.
set -euo pipefail

suite=trixie
#     name         upstream  Debian revision     SHA-256 of the .dsc
pins="curl         8.14.1    8.14.1-2+deb13u7    a559b829ff852b2ee1ac0e448b5d9c18e0f94875bc820d037609d4d807ac6f57
      curl         8.14.1    8.14.1-2+deb13u5    9a9a2c95cdc8b5d76892c70858f25eaf2dc0b0a475a1e43e0b4ad428414752df
      openssl      3.5.7     3.5.7-1~deb13u3     9cdb0d9daf0773ca5c0f3f5ea1fc59b1106a99e005a5c048948b826e8d3b47e1
      openssl      3.5.7     3.5.7-1~deb13u2     25904642004d30c5c3da4642a72a7d09f8d9eb6e5ce62dab53c0371114faf8f2
      fmtlib       10.1.1    10.1.1+ds1-4        247aa59e5c4948cf9358443e278b3e1223d08e12f8ce81710e4754fd0b9cb01f
      cpp-httplib  0.18.7    0.18.7-1+deb13u1    2bd292aea7bf4326ff43f4d9263291c444e4cb18aca4d9acf686598cd7c14711"
#         name         SHA-256 of upstream's file                                        address
upstreams="curl        6766ada7101d292b42b8b15681120acd68effa4a9660935853cf6d61f0d984d4  https://curl.se/download/curl-8.14.1.tar.gz
           openssl     a8c0d28a529ca480f9f36cf5792e2cd21984552a3c8e4aa11a24aa31aeac98e8  https://github.com/openssl/openssl/releases/download/openssl-3.5.7/openssl-3.5.7.tar.gz
           fmtlib      78b8c0a72b1c35e4443a7e308df52498252d1cefc2b08c9a97bc9ee6cfe61f8b  https://github.com/fmtlib/fmt/archive/refs/tags/10.1.1.tar.gz
           cpp-httplib 4770f8ea3d3fcd27b0b713c783d9b53bce3baddbd5adad13714011df96142526  https://raw.githubusercontent.com/yhirose/cpp-httplib/v0.18.7/httplib.h"

check=
if [ "${1:-}" = --check ]; then check=1; shift; fi
dir=${1:?usage: fetch.sh [--check] DIR}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)

warn() { printf 'fetch.sh: WARNING: %s\n' "$*" >&2; }

sha_is() { [ -f "$2" ] && printf '%s  %s\n' "$1" "$2" | sha256sum --check --status; }

# Every file that a .dsc names is here and has the SHA-256 it states.
dsc_files_ok() {
  (cd "$dir" && sed -n '/^Checksums-Sha256:/,/^[^ ]/s/^ \([0-9a-f]\{64\}\) [0-9]* \(.*\)/\1  \2/p' "$1" |
    sha256sum --check --status 2>/dev/null)
}

apt_options=(-o "Dir::Etc::sourcelist=$dir/apt/src.list" -o Dir::Etc::sourceparts=/dev/null
             -o "Dir::State::lists=$dir/apt/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=
             -o APT::Sandbox::User=root)
apt_state=unknown

# A private source list for the suite, so that neither the machine's lists nor its configuration change. The security
# archive is asked where the machine's own apt names one; a mirror of the archive alone is better than nothing.
apt_ready() {
  if [ "$apt_state" = unknown ]; then
    apt_state=no
    local uris main security keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    command -v apt-get >/dev/null && command -v dpkg-source >/dev/null && [ -f "$keyring" ] || return 1
    uris=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | sort -u)
    main=$(grep -E '/debian/?$' <<< "$uris" | sed q)
    security=$(grep -E '/debian-security/?$' <<< "$uris" | sed q)
    [ -n "$main" ] || return 1
    mkdir -p "$dir/apt/lists/partial"
    { printf 'deb-src [signed-by=%s] %s %s main\n' "$keyring" "$main" "$suite"
      [ -z "$security" ] || printf 'deb-src [signed-by=%s] %s %s-security main\n' "$keyring" "$security" "$suite"
    } > "$dir/apt/src.list"
    [ -n "$security" ] || warn "this machine's apt names no security archive: security revisions are not looked for"
    apt-get "${apt_options[@]}" -qq update >"$dir/apt/log" 2>&1 && apt_state=yes
    grep -q '^[EW]:' "$dir/apt/log" && warn "the archive's lists cannot be had: $(grep '^[EW]:' "$dir/apt/log" | sed q)"
  fi
  [ "$apt_state" = yes ]
}

apt_source() {  # name revision
  (cd "$dir" && apt-get "${apt_options[@]}" -qq source --download-only --only-source "$1=$2") >/dev/null 2>"$dir/apt/log" ||
    { cat "$dir/apt/log" >&2; return 1; }
}

# The archive's newest revision of the pinned version, else of its x.y series.
apt_newest() {  # name upstream
  local all found
  all=$(apt-cache "${apt_options[@]}" showsrc --only-source "$1" | sed -n 's/^Version: //p' | sort -V)
  found=$(grep -F "$2" <<< "$all" | tail -n 1) || found=$(grep -F "${2%.*}." <<< "$all" | tail -n 1)
  [ -n "$found" ] && printf '%s\n' "$found"
}

entry() {  # name version origin file
  echo "$1 $2 $3 $4 $(sha256sum "$dir/$4" | cut -d' ' -f1)"
}

# One pin: from what was brought before, else from the archive.
from_pin() {  # name revision sha
  local dsc="$1_$2.dsc"
  if ! { sha_is "$3" "$dir/$dsc" && dsc_files_ok "$dsc"; }; then
    apt_ready || return 1
    apt_source "$1" "$2" 2>/dev/null && sha_is "$3" "$dir/$dsc" && dsc_files_ok "$dsc" || return 1
  fi
  entry "$1" "$2" debian "$dsc"
}

from_debian() {  # name
  local name upstream revision sha first= newest dsc
  while read -r name upstream revision sha; do
    [ "$name" = "$1" ] || continue
    if from_pin "$name" "$revision" "$sha"; then
      [ -z "$first" ] || warn "the archive lists $name $first and lacks its files, so the older pin $revision is used." \
        "It lacks what Debian mended since; Debian's security tracker says what, under $name." \
        "\`./dev deps\` tells when the newer one can be had, and how to build with it"
      return
    fi
    first=${first:-$revision}
  done <<< "$pins"
  upstream=$(upstream_of "$1")
  apt_ready && newest=$(apt_newest "$1" "$upstream") && apt_source "$1" "$newest" || return 1
  dsc="$1_${newest#*:}.dsc"
  dsc_files_ok "$dsc" || return 1
  warn "the archive has none of the pinned revisions of $1: using $newest, verified by apt's signature, not by our pin"
  entry "$1" "$newest" debian "$dsc"
}

from_upstream() {  # name
  local name sha url file upstream
  upstream=$(upstream_of "$1")
  while read -r name sha url; do [ "$name" != "$1" ] || break; done <<< "$upstreams"
  file="$1-$upstream-${url##*/}"
  if ! sha_is "$sha" "$dir/$file"; then
    curl -fsSL --retry 2 --connect-timeout 20 --max-time 300 -o "$dir/$file.part" "$url" || return 1
    sha_is "$sha" "$dir/$file.part" || { warn "$url does not have the pinned SHA-256"; return 1; }
    mv "$dir/$file.part" "$dir/$file"
  fi
  warn "$1 $upstream comes from upstream, without Debian's patches"
  entry "$1" "$upstream" upstream "$file"
}

names() { awk '!seen[$1]++ { print $1 }' <<< "$pins"; }
upstream_of() { awk -v name="$1" '$1 == name { print $2; exit }' <<< "$pins"; }
pin_of() { awk -v name="$1" '$1 == name { print $3; exit }' <<< "$pins"; }

# What a newer revision's changelog says since ours: its entries down to the pinned one.
changes_since() {  # name newest pinned
  local file log
  file="$1_${2#*:}"
  (cd "$dir" && apt-get "${apt_options[@]}" -qq source --download-only --diff-only "$1=$2") >/dev/null 2>&1 || return 1
  log=$(tar -xOf "$dir/$file.debian.tar.xz" debian/changelog 2>/dev/null) || return 1
  awk -v pinned="($3)" '/^[a-z0-9]/ { if ($2 == pinned) exit } { print "    " $0 }' <<< "$log"
}

check_pins() {
  local name pinned newest old=0
  apt_ready || { warn "the pins cannot be compared: this machine's apt reaches no Debian archive"; return 0; }
  for name in $(names); do
    pinned=$(pin_of "$name")
    newest=$(apt-cache "${apt_options[@]}" showsrc --only-source "$name" | sed -n 's/^Version: //p' | sort -V | tail -n 1)
    if [ -z "$newest" ]; then echo "$name $pinned: the archive lists no such package"; continue; fi
    if [ "$(printf '%s\n%s\n' "$pinned" "$newest" | sort -V | tail -n 1)" = "$pinned" ]; then
      echo "$name $pinned: the newest"
    else
      old=1
      echo "$name $pinned: WARNING: $suite has $newest"
      changes_since "$name" "$newest" "$pinned" || echo "    its changelog cannot be had from the archive"
    fi
  done
  return $old
}

# One at a time in one folder: apt and the manifest bear no more.
exec 8> "$dir/.lock"
flock 8

if [ -n "$check" ]; then check_pins; exit; fi

: > "$dir/manifest.part"
for name in $(names); do
  from_debian "$name" >> "$dir/manifest.part" || from_upstream "$name" >> "$dir/manifest.part" ||
    { echo "fetch.sh: cannot get $name $(upstream_of "$name"), neither from a Debian archive nor from upstream: no network?" >&2
      exit 1; }
done
mv "$dir/manifest.part" "$dir/manifest"
