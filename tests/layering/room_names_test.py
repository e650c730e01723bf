#!/usr/bin/env python3
"""The files of a room are compiled as one (add_room in CMakeLists.txt), so that they share their unnamed namespaces. A
compiler refuses a name that is defined twice there; it says nothing where a call in one file finds a better overload in
another. This does: what one file of a room defines for itself, no other file of it may call.

usage: room_names_test.py [root of the repository]
"""

import pathlib
import re
import sys
import tempfile
import unittest

UNNAMED = re.compile(r'^namespace \{\n(.*?)^\}  // namespace$', re.S | re.M)
# clang-format leaves what stands in a namespace unindented.
FUNCTION = re.compile(r'^(?!\s|#|\}|using|struct|class|enum|namespace|template|static_assert)[^\n=;{]*?\b(\w+)\(', re.M)
LAYER = re.compile(r'trainwarden_layer\(\w+(?P<rest>[^)]*)\)')


def without_comments_and_strings(text):
    text = re.sub(r'R"(\w*)\(.*?\)\1"', ' ', text, flags=re.S)
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'', ' ', text, flags=re.S)


def rooms(root):
    """Of each room the sources, as CMakeLists.txt has them."""
    for file in sorted(root.glob('[!b.]*/**/CMakeLists.txt')):
        layer = LAYER.search(file.read_text())
        if not layer:
            continue
        words = layer['rest'].split()
        def after(key):
            begin = words.index(key) + 1 if key in words else len(words)
            end = next((i for i in range(begin, len(words)) if words[i].isupper() and len(words[i]) > 2), len(words))
            return words[begin:end]
        for wing in ['.', *after('WINGS')]:
            if wing not in after('ONE_BY_ONE'):
                found = sorted(p for p in (file.parent / wing).glob('*.cc') if p.name != 'main.cc' and not p.stem.endswith('_test'))
                if found:
                    yield (file.parent / wing).relative_to(root), found


def own_functions(text):
    return {name for block in UNNAMED.findall(text) for name in FUNCTION.findall(without_comments_and_strings(block))}


def has_one_inside(code, name):
    """A member function or a lambda of that name, which a call would find first."""
    return re.search(r'^[ \t]+(?!return|co_|else|case|if|for|while|TRY)[\w:<>,&*][\w:<>,&* ]*[ &*]' + name +
                     r'\([^;]*$|\b' + name + r' = \[', code, re.M)


def judge(sources):
    """sources: name -> text, of one room."""
    own = {name: own_functions(text) for name, text in sources.items()}
    code = {name: without_comments_and_strings(text) for name, text in sources.items()}
    for one, functions in own.items():
        for function in sorted(functions):
            for other in sources:
                if other == one or not re.search(r'(?<![\w.>:])' + function + r'\(', code[other]):
                    continue
                if function in own[other] and other < one:
                    continue  # told already
                if function in own[other] or not has_one_inside(code[other], function):
                    yield f'{other} calls {function}(), and {one} of the same room has a {function}() of its own: give that another name'


def judge_test(path, text):
    """All tests of a program share a file: what one of them defines has a namespace that says whose it is."""
    names = re.findall(r'^namespace ([\w:]+) \{$', text, re.M)
    if not names or not all(name.endswith('::' + path.stem) for name in names):
        yield f'{path} is in {" and ".join(names) or "no namespace"}: expected namespace …::{path.stem}'


class Judge(unittest.TestCase):
    ONE = 'namespace n {\nnamespace {\n\nint done(int x) { return x; }\n\n}  // namespace\n}  // namespace n\n'

    def said(self, other):
        return list(judge({'one.cc': self.ONE, 'other.cc': other}))

    def test_an_overload_in_another_file_is_found(self):
        self.assertEqual(len(self.said('namespace {\n\nint done(Kind kind) { return 0; }\n\n}  // namespace\nint f() { return done(kOne); }\n')), 1)
        self.assertEqual(len(self.said('int f() { return done(1); }\n')), 1)
        self.assertEqual(len(self.said('int f() {\n  return done(1);\n}\n')), 1)

    def test_what_only_looks_alike_is_not(self):
        for other in ('int f(Job job) { return job.done(1) + x::done(1) + p->done(2) + undone(1); }\n',
                      '// done(1)\nconst char* text = "done(1)";\n',
                      'struct S {\n  int done(int x) {\n    return 1;\n  }\n  int f() { return done(1); }\n};\n',
                      'int f() {\n  const auto done = [](int x) { return x; };\n  return done(1);\n}\n',
                      'int abandoned();\n'):
            self.assertEqual(self.said(other), [], other)

    def test_a_test_has_a_namespace_of_its_own(self):
        path = pathlib.Path('tests/a/one_test.cc')
        self.assertEqual(list(judge_test(path, 'namespace n::one_test {\nnamespace {\n')), [])
        for other in ('namespace n {\n', 'namespace n::another_test {\n', 'namespace n::one_test {\n}\nnamespace n {\n', 'int x;\n'):
            self.assertEqual(len(list(judge_test(path, other))), 1, other)

    def test_rooms_are_those_of_the_build(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name in ('lib/a.cc', 'lib/b_test.cc', 'lib/main.cc', 'lib/in/c.cc', 'lib/apart/d.cc'):
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text('')
            (root / 'lib/CMakeLists.txt').write_text('trainwarden_layer(lib WINGS in apart\n  DEPS x THIRD y ONE_BY_ONE apart)\n')
            found = {str(room): [path.name for path in sources] for room, sources in rooms(root)}
            self.assertEqual(found, {'lib': ['a.cc'], 'lib/in': ['c.cc']})


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()
    if not unittest.main(argv=['', '-q'], exit=False).result.wasSuccessful():
        return 1
    complaints, count = [], 0
    for room, files in rooms(root):
        count += 1
        complaints += [f'{room}/{line}' for line in judge({path.name: path.read_text() for path in files})]
    for path in sorted((root / 'tests').glob('**/*_test.cc')):
        complaints += judge_test(path.relative_to(root), path.read_text())
    for line in complaints:
        print(line)
    print(f'room names: {count} rooms, {len(complaints)} complaints')
    return 1 if complaints or count == 0 else 0


if __name__ == '__main__':
    sys.exit(main())
