"""What a start touches lies side by side (start_order.py), and the list of it is what the functions are linked by.

usage: TRAINWARDEN_BUILD=build/release python3 -m unittest start_order_test
"""
import os
import pathlib
import re
import tempfile
import unittest

import start_order
from start_order import Section

BUILD = pathlib.Path(os.environ['TRAINWARDEN_BUILD'])
LIBC = '/usr/lib/x86_64-linux-gnu/libc.a'
OURS = 'rules/libtrainwarden_rules.a(policy.cc.o)'
MAP = f'''\
Discarded input sections

 .text._Zgone   0x0000000000000000       0x10 {OURS}

Linker script and memory map

LOAD {LIBC}
 *(.text.unlikely .text.*_unlikely .text.unlikely.*)
 .text          0x0000000000401000      0x100 {LIBC}(malloc.o)
                0x0000000000401000                malloc
 .text._Z4readv
                0x0000000000401100       0x40 {OURS}
 .text._Z5writev
                0x0000000000401140       0x40 {OURS}
 .text.evex     0x0000000000401180       0x40 {LIBC}(memcpy-evex-unaligned-erms.o)
 .rodata._Z4readv.str1.1
                0x0000000000501000       0x20 {OURS}
 .rodata._Z5writev.str1.8
                0x0000000000501020       0x20 {OURS}
 .rodata._ZL5kFacts
                0x0000000000501040       0x40 {OURS}
 .rodata.str1.1 0x0000000000501080      0x400 {OURS}
 .rodata.str1.1 0x0000000000501480       0x40 {LIBC}(malloc.o)
 .rodata.CSWTCH.12
                0x00000000005014c0       0x10 {OURS}
 .rodata        0x00000000005014d0     0x8000 {LIBC}(C-ctype.o)
'''


class Script(unittest.TestCase):
    def setUp(self):
        with tempfile.NamedTemporaryFile('w', suffix='.map') as file:
            file.write(MAP)
            file.flush()
            self.all_of = start_order.sections(pathlib.Path(file.name))

    def used(self, *places):
        return start_order.touched(self.all_of, places)

    def patterns(self, *places):
        return [start_order.pattern(section) for section in self.used(*places)]

    def test_a_map_is_read_without_what_was_discarded(self):
        self.assertEqual(len(self.all_of), 11)
        self.assertEqual(self.all_of[1], Section(0x401100, 0x40, '.text._Z4readv', OURS))

    def test_what_is_touched_is_in_the_order_of_the_first_touch(self):
        self.assertEqual(self.patterns(0x401110, 0x401004, 0x401111), ['*(.text._Z4readv)', '*libc.a:malloc.o(.text)'])

    def test_what_is_outside_all_sections_is_nobodys(self):
        self.assertEqual(self.patterns(0x400fff, 0x4011c0, 0x7fff00000000), [])

    def test_strings_come_with_their_function_or_table_and_not_by_address(self):
        self.assertEqual(self.patterns(0x501001, 0x501481), [])
        for place, names in ((0x401100, []), (0x401000, ['.rodata.str1.1']), (0x501040, ['.rodata._ZL5kFacts'])):
            with self.subTest(names):
                self.assertEqual([one.name for one in start_order.constants_of(self.all_of, self.used(place))], names)

    def test_our_units_share_their_strings(self):
        ours = '*libtrainwarden_rules.a:policy.cc.o(.rodata.*.str* .rodata.str*)'
        for places, expected in (((0x401100,), [ours]), ((0x401140, 0x401100), [ours]), ((0x401000,), []), ((0x501040,), [])):
            with self.subTest(places):
                self.assertEqual(start_order.literals_of(self.used(*places)), expected)

    def test_all_forms_of_a_function_of_libc(self):
        self.assertEqual(self.patterns(0x401180), ['*libc.a:memcpy-*(.text.avx .text.evex .text.evex512)'])

    def test_names_that_change_from_build_to_build(self):
        self.assertEqual(self.patterns(0x5014c0), ['*(.rodata.CSWTCH.*)'])
        self.assertEqual(start_order.pattern(Section(1, 1, '.text._Z4readv.isra.0', OURS)), '*(.text._Z4readv.isra.*)')
        self.assertEqual(start_order.pattern(Section(1, 1, '.text.' + 'a' * 200, OURS)), f'*(.text.{"a" * 94}*)')

    def test_lines_are_short_and_nothing_is_said_twice(self):
        text = start_order.block('.text.start', 'BEFORE .text', ['*(.text._Z4readv)', '*(.text._Z5writev)'] * 40)
        self.assertEqual(text, 'SECTIONS {\n.text.start : {\n  *(.text._Z4readv) *(.text._Z5writev)\n}\n} INSERT BEFORE .text;\n')
        self.assertLessEqual(max(map(len, start_order.SCRIPT.read_text().splitlines())), start_order.WIDTH)


class Programs(unittest.TestCase):
    def test_they_are_linked_by_the_list(self):
        for function in ('state', 'alarm'):
            found = (BUILD / 'bin' / function / 'bootstrap.map').read_text(errors='replace')
            for name, least in (('.text.start', 100_000), ('.rodata.start', 10_000)):
                with self.subTest(function=function, section=name):
                    size, = re.findall(rf'^{re.escape(name)} +0x\w+ +0x(\w+)$', found, re.M)
                    self.assertGreater(int(size, 16), least)


if __name__ == '__main__':
    unittest.main()
