#!/usr/bin/env python3
"""Turns signatures.json into the C++ tables of tables.h: generate.py IN OUT."""

import json
import sys

MOST_SIGNATURES = 256  # a byte tells them apart
MOST_TEXTS = 4096  # kMostTexts of tables.h
MOST_STARS = 768  # kMostStars of signatures.cc
MOST_BYTES = 72 * 1024  # kMostTextBytes of tables.h
LONGEST_TEXT = 63
ANCHOR = 3
BEGINS_ANYWHERE = 31  # of tables.h
MOST_SHARED = 30
RANKS = ["machine", "cause", "exception", "symptom", "hint", "consequence", "wrapper",
         "harmless"]
ABOUT = {"": "kNothing", "names": "kNames", "values": "kValues"}


def literal(text):
    """The C++ string literals of a text, or of bytes, in lines."""
    data = text if isinstance(text, bytes) else text.encode()
    out = []
    for begin in range(0, len(data), 60):
        out.append('"' + "".join(f"\\{byte:03o}" if byte < 32 or byte > 126 or byte in b'"\\?'
                                 else chr(byte) for byte in data[begin:begin + 60]) + '"')
    return "\n    ".join(out) or '""'


def block(texts, where):
    for text in texts:
        if "\n" in text:
            sys.exit(f"{where}: `{text}`: expected one line")
    return literal("".join(text + "\n" for text in texts))


def written(text, where):
    """`~a*b~` of `~a * b ~`, which signatures.cc reads: there what stands before a `*` ends a word."""
    if "*" in text and text.split("*")[0][-1:].isalnum():
        sys.exit(f"{where}: `{text}`: expected a blank before the first `*`")
    parts = [part.strip() for part in text.strip("~").split("*")]
    if any(ord(character) < ord(" ") for character in text):
        sys.exit(f"{where}: `{text}`: expected no control characters")
    if len(parts[0].encode()) < ANCHOR or not all(parts):
        sys.exit(f"{where}: `{text}`: expected at least {ANCHOR} characters before the first `*`,"
                 f" and none empty")
    before, after = ("~" if there else "" for there in (text.startswith("~"), text.endswith("~")))
    out = before + "*".join(parts) + after
    if len(out.encode()) > LONGEST_TEXT:
        sys.exit(f"{where}: `{text}`: expected at most {LONGEST_TEXT} bytes")
    return out


def coded(texts):
    """The texts as tables.h says: of each a head, and what it does not share with the one before it."""
    out, before = bytearray(), b""
    for text in texts:
        characters = text.removeprefix("~").encode()
        most = min(len(before), len(characters), MOST_SHARED)
        shared = next((i for i in range(most) if before[i] != characters[i]), most)
        if text.startswith("~"):
            out.append(BEGINS_ANYWHERE)
        out.append(shared)
        out += characters[shared:]
        before = characters
    return bytes(out)


def rank(name, where):
    if name not in RANKS:
        sys.exit(f"{where}: rank `{name}`: expected one of {', '.join(RANKS)}")
    return "Rank::k" + name.capitalize()


def verdict(entry):
    # What is harmless has none.
    label, resume = entry.get("label", "unknown"), entry.get("resume", "once")
    return f"verdict_of({literal(label)}, {literal(resume)})"


def truth(value):
    return "true" if value else "false"


def main():
    data = json.load(open(sys.argv[1], encoding="utf-8"))
    signatures = data["signatures"]
    ids = [entry["id"] for entry in signatures]
    for twice in {i for i in ids if ids.count(i) > 1}:
        sys.exit(f"{twice}: two signatures have this id")
    if len(signatures) > MOST_SIGNATURES:
        sys.exit(f"{len(signatures)} signatures: expected at most {MOST_SIGNATURES}")
    count = sum(len(entry["texts"]) for entry in signatures)
    if count > MOST_TEXTS:
        sys.exit(f"{count} texts: expected at most {MOST_TEXTS}; raise kMostTexts of tables.h, too")
    stars = sum("*" in text for entry in signatures for text in entry["texts"])
    if stars > MOST_STARS:
        sys.exit(f"{stars} texts with `*`: expected at most {MOST_STARS};"
                 f" raise kMostStars of signatures.cc, too")
    size = sum(len(text.encode()) for entry in signatures for text in entry["texts"])
    if size > MOST_BYTES:
        sys.exit(f"{size} bytes of texts: expected at most {MOST_BYTES};"
                 f" raise kMostTextBytes of tables.h, too")
    out = ["// Made of signatures.json by generate.py.",
           '#include "handlers/rules/failure/tables.h"', "", "namespace trainwarden::rules {", "",
           "namespace {", "constexpr Signature kSignatures[] = {"]
    for entry in signatures:
        out.append(f"    {{{rank(entry['rank'], entry['id'])}, {truth(entry.get('anywhere'))},"
                   f" {verdict(entry)},\n    {block(entry.get('unless', []), entry['id'])}}},")
    texts = sorted(((written(text, entry["id"]), i)
                    for i, entry in enumerate(signatures) for text in entry["texts"]),
                   # What stands before a `*` comes before all that goes on there.
                   key=lambda text: (text[0].strip("~").replace("*", "\0").encode(), text))
    out += ["};", "constexpr char kTexts[] =",
            "    " + literal(coded(text for text, _ in texts)) + ";",
            "constexpr std::uint8_t kOwners[] = {",
            "    " + ", ".join(str(owner) for _, owner in texts) + "};"]
    out += ["constexpr ExceptionTypes kExceptions[] = {"]
    for entry in sorted(data["exceptions"], key=lambda e: e["match"] != "whole"):
        where = entry["names"][0]
        out.append(f"    {{{truth(entry['match'] == 'whole')}, {rank(entry['rank'], where)},"
                   f" About::{ABOUT[entry.get('about', '')]}, {verdict(entry)},\n"
                   f"    {block(entry['names'], where)}}},")
    out += ["};", "constexpr Subjects kSubjects[] = {"]
    for label in dict.fromkeys(label for _, label in data["subjects"]):
        words = [words for words, of in data["subjects"] if of == label]
        out.append(f"    {{label_named({literal(label)}),\n    {block(words, label)}}},")
    out += ["};", "constexpr char kIdsAndReasons[] ="]
    out += ["    " + block([entry["id"], entry["why"]], entry["id"]) for entry in signatures]
    out += [";", "}  // namespace", "",
            "const Tables kTables = {kSignatures, {kTexts, sizeof(kTexts) - 1}, kOwners, kExceptions, kSubjects};",
            "const std::string_view kExplanations = {kIdsAndReasons, sizeof(kIdsAndReasons) - 1};",
            "", "}  // namespace trainwarden::rules", ""]
    open(sys.argv[2], "w", encoding="ascii").write("\n".join(out))


main()
