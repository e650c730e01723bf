"""What the functions must not grow by: parts of libraries that one careless call links."""

import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import zipfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'handlers'))
import package  # noqa: E402

BUILD = pathlib.Path(os.environ['TRAINWARDEN_BUILD'])
# object -> what brings it, and what to write instead
CARELESS = {'floating_to_chars.o': 'std::to_chars of a double (128 KB of tables): use fmt',
            'floating_from_chars.o': 'std::from_chars of a double (50 KB with what it calls): use base/leading_double.h',
            'cp-demangle.o': "libstdc++'s terminate handler (47 KB): lambda/terminate.cc stands in for it",
            'vfscanf-internal.o': 'scanf (90 KB with the floating-point numbers of four formats)',
            'cow-locale_init.o': 'a stream or std::locale (400 KB): use fmt'}


def linked(text):
    """The objects of archives of which a link map has something at an address: what was discarded has none."""
    return set(re.findall(r' 0x0*[1-9a-f][0-9a-f]* +0x0*[1-9a-f][0-9a-f]* \S+\.a\(([^)]+)\)$', text, re.M))


class Careless(unittest.TestCase):
    def test_nothing_large_is_linked_by_accident(self):
        for function in ('state', 'alarm'):
            objects = linked((BUILD / 'bin' / function / 'bootstrap.map').read_text(errors='replace'))
            self.assertGreater(len(objects), 100, 'the map is not read')
            self.assertEqual({name: why for name, why in CARELESS.items() if name in objects}, {}, function)

    def test_the_check_bites(self):
        text = ('/usr/lib/libstdc++.a(debug.o)\n     by.a(alarms.cc.o) (std::__glibcxx_assert_fail)\n'
                ' .text          0x0000000000000000     0x1200 /usr/lib/libstdc++.a(debug.o)\n'
                ' .text.one\n                0x00000000004a1000       0x3f /usr/lib/libstdc++.a(floating_to_chars.o)\n'
                ' .data          0x00000000004a2000        0x0 /usr/lib/libstdc++.a(empty.o)\n')
        self.assertEqual(linked(text), {'floating_to_chars.o'})


def deflated(data, level):
    compressor = zlib.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS)
    return len(compressor.compress(data) + compressor.flush())


class Zips(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = pathlib.Path(made.name) / 'state'
        self.folder.mkdir()
        self.data = (BUILD / 'bin/state/bootstrap').read_bytes()[:1 << 20]
        (self.folder / 'bootstrap').write_bytes(self.data)

    def packed(self):
        package.pack(self.folder)
        with zipfile.ZipFile(self.folder.with_suffix('.zip')) as archive:
            entry = archive.getinfo('bootstrap')
            self.assertEqual(archive.read('bootstrap'), self.data)
        self.assertEqual((entry.external_attr >> 16, entry.date_time), (0o100755, (1980, 1, 1, 0, 0, 0)))
        return entry.compress_size

    def test_they_are_packed_as_tightly_as_zlib_can(self):
        self.assertLess(deflated(self.data, 9), deflated(self.data, 6))
        with unittest.mock.patch('shutil.which', return_value=None):
            self.assertEqual(self.packed(), deflated(self.data, 9))

    @unittest.skipUnless(shutil.which('advzip'), 'advzip is not installed')
    def test_advzip_packs_them_tighter_and_the_same_each_time(self):
        with self.empty_cache():
            size = self.packed()
        self.assertLess(size, deflated(self.data, 9) * 0.98)
        first = self.folder.with_suffix('.zip').read_bytes()
        with self.empty_cache() as cache:
            self.packed()
            self.assertEqual(self.folder.with_suffix('.zip').read_bytes(), first)
            [kept] = pathlib.Path(cache).iterdir()
            self.assertEqual(kept.read_bytes(), first)
            with unittest.mock.patch('subprocess.run', wraps=subprocess.run) as run:
                self.packed()  # from the cache
            self.assertEqual(self.folder.with_suffix('.zip').read_bytes(), first)
            self.assertEqual([call.args[0][1] for call in run.call_args_list], ['--version'])

    @contextlib.contextmanager
    def empty_cache(self):
        with tempfile.TemporaryDirectory() as cache, unittest.mock.patch.object(package, 'CACHE', pathlib.Path(cache)):
            yield cache


if __name__ == '__main__':
    unittest.main()
