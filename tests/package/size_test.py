"""What the functions must not grow by: parts of libraries that one careless call links."""

import os
import pathlib
import re
import unittest

BUILD = pathlib.Path(os.environ['TRAINWARDEN_BUILD'])
# object -> what brings it, and what to write instead
CARELESS = {'floating_to_chars.o': 'std::to_chars of a double (128 KB of tables): use fmt',
            'cow-locale_init.o': 'a stream or std::locale (400 KB): use fmt'}


def linked(text):
    """The objects of archives in a link map that are in the program."""
    return set(re.findall(r'^\S+\.a\(([^)]+)\)$', text, re.M))


class Careless(unittest.TestCase):
    def test_nothing_large_is_linked_by_accident(self):
        for function in ('state', 'alarm'):
            objects = linked((BUILD / 'bin' / function / 'bootstrap.map').read_text(errors='replace'))
            self.assertGreater(len(objects), 100, 'the map is not read')
            self.assertEqual({name: why for name, why in CARELESS.items() if name in objects}, {}, function)

    def test_the_check_bites(self):
        self.assertEqual(linked('/usr/lib/libstdc++.a(floating_to_chars.o)\n     by.a(alarms.cc.o) (std::to_chars)\n'),
                         {'floating_to_chars.o'})


if __name__ == '__main__':
    unittest.main()
