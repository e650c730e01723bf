#!/usr/bin/env python3
"""Turns signatures.json into the C++ tables that signatures.cc reads: generate.py IN OUT.

The texts of all signatures become one block, grouped by a hash of their first three characters, so
that nothing is built when the program starts and a place in a line is compared only with texts that
begin like it.
"""

import json
import sys

BUCKETS = 2048
ANCHOR = 3
RANKS = ["machine", "cause", "exception", "symptom", "hint", "consequence", "wrapper",
         "harmless"]
ABOUT = {"": "kNothing", "names": "kNames", "values": "kValues"}


def parts_of(text):
    """(begins anywhere, ends anywhere, parts) of `~a * b~`."""
    before, after = text.startswith("~"), text.endswith("~")
    return before, after, [part.strip().encode() for part in text.strip("~").split("*")]


def bucket(anchor):
    return (((anchor[0] << 16 | anchor[1] << 8 | anchor[2]) * 2654435761) & 0xffffffff) >> 21


def entry_of(index, after, parts):
    joined = b"*".join(parts)
    return bytes([index & 255, (index >> 8) | (128 if after else 0), len(joined)]) + joined


def literal(data):
    out = []
    for begin in range(0, len(data), 60):
        out.append('    "' + "".join(f"\\{byte:03o}" if byte < 32 or byte > 126 or byte in b'"\\?'
                                     else chr(byte) for byte in data[begin:begin + 60]) + '"')
    return "\n".join(out) or '    ""'


def string(text):
    return '"' + "".join(f"\\{byte:03o}" if byte < 32 or byte > 126 or byte in b'"\\' else chr(byte)
                         for byte in text.encode()) + '"'


def texts_block(signatures):
    """The block of texts and where each bucket begins in it."""
    buckets = [[] for _ in range(BUCKETS)]
    for index, signature in enumerate(signatures):
        for text in signature["texts"]:
            before, after, parts = parts_of(text)
            if len(parts[0]) < ANCHOR or not all(parts):
                sys.exit(f"{signature['id']}: `{text}`: expected at least {ANCHOR} characters before"
                         f" the first `*`, and none empty")
            if not before:
                buckets[bucket(parts[0])].append(entry_of(index, after, parts))
    block, begins = b"", []
    for texts in buckets:
        begins.append(len(block))
        block += b"".join(texts)
    return block, begins + [len(block)]


def inner_block(signatures):
    """The texts that may begin within a word, one behind the other."""
    block = b""
    for index, signature in enumerate(signatures):
        for text in signature["texts"]:
            before, after, parts = parts_of(text)
            if before:
                block += entry_of(index, after, parts)
    return block


def rank(name, where):
    if name not in RANKS:
        sys.exit(f"{where}: rank `{name}`: expected one of {', '.join(RANKS)}")
    return "Rank::k" + name.capitalize()


def main():
    data = json.load(open(sys.argv[1], encoding="utf-8"))
    signatures = data["signatures"]
    ids = [entry["id"] for entry in signatures]
    for twice in {i for i in ids if ids.count(i) > 1}:
        sys.exit(f"{twice}: two signatures have this id")
    block, begins = texts_block(signatures)
    inner = inner_block(signatures)
    out = ["// Made of signatures.json by generate.py.",
           '#include "handlers/rules/failure/tables.h"', "", "namespace trainwarden::rules {", "",
           "namespace {", "constexpr Signature kSignatures[] = {"]
    for entry in signatures:
        unless = "\x1f".join(entry.get("unless", []))
        out.append(f"    {{{string(entry['id'])}, {rank(entry['rank'], entry['id'])}, "
                   f"{string(entry.get('label', ''))}, {string(entry.get('resume', ''))}, {string(entry['why'])}, "
                   f"{string(unless)}, {'true' if entry.get('anywhere') else 'false'}}},")
    out += ["};", "constexpr std::uint32_t kBegins[] = {"]
    out += ["    " + ", ".join(map(str, begins[i:i + 16])) + "," for i in range(0, len(begins), 16)]
    out += ["};", "constexpr char kTexts[] =", literal(block) + ";",
            "constexpr char kInner[] =", literal(inner) + ";",
            "constexpr ExceptionType kExceptions[] = {"]
    for entry in sorted(data["exceptions"], key=lambda e: e["match"] != "whole"):
        for name in entry["names"]:
            out.append(f"    {{{string(name)}, {'true' if entry['match'] == 'whole' else 'false'}, "
                       f"{rank(entry['rank'], name)}, {string(entry['label'])}, "
                       f"{string(entry['resume'])}, About::{ABOUT[entry.get('about', '')]}}},")
    out += ["};", "constexpr Subject kSubjects[] = {"]
    out += [f"    {{{string(words)}, {string(label)}}}," for words, label in data["subjects"]]
    out += ["};", "}  // namespace", "",
            "const Tables kTables = {kSignatures, kBegins, {kTexts, sizeof(kTexts) - 1},",
            "                        {kInner, sizeof(kInner) - 1}, kExceptions,",
            "                        kSubjects};", "", "}  // namespace trainwarden::rules", ""]
    open(sys.argv[2], "w", encoding="ascii").write("\n".join(out))


main()
