"""The zips' bill of materials: whole, true to what the linker takes, and the same each time."""

import copy
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
import urllib.parse
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ['TRAINWARDEN_BUILD'])
DEPS = pathlib.Path(os.environ['TRAINWARDEN_DEPS'])
NINJA = os.environ['TRAINWARDEN_NINJA']
sys.path.insert(0, str(ROOT / 'runtime' / 'deps'))
import sbom  # noqa: E402

PARTS = {'curl', 'openssl', 'fmt', 'rapidjson', 'glibc', 'libstdc++', 'libgcc', 'ca-certificates'}


def package(out):
    return subprocess.run([sys.executable, ROOT / 'handlers' / 'package.py', '--build', BUILD, '--deps', DEPS, '--out', out],
                          capture_output=True, text=True)


def wrong_with(bill):
    """What CycloneDX 1.6, or we ourselves, ask of a bill and this one lacks."""
    wrong = []

    def need(holds, what):
        if not holds:
            wrong.append(what)

    need(bill.get('bomFormat') == 'CycloneDX' and bill.get('specVersion') == '1.6' and bill.get('version') == 1, 'head')
    need(re.fullmatch(r'urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}', bill.get('serialNumber', '')), 'serialNumber')
    need('timestamp' not in bill.get('metadata', {}), 'timestamp')
    entries = [bill.get('metadata', {}).get('component', {}), *bill.get('components', [])]
    files = [file for entry in entries for file in entry.get('components', [])]
    for entry in entries + files:
        name = entry.get('name', '?')
        need(isinstance(entry.get('name'), str), f'{name}: name')
        need(entry.get('type') in ('application', 'library', 'data', 'file'), f'{name}: type')
        hashes = entry.get('hashes') or [{}]
        need(all(one.get('alg') == 'SHA-256' and re.fullmatch('[0-9a-f]{64}', one.get('content', '')) for one in hashes),
             f'{name}: hashes')
    for entry in entries:
        name = entry.get('name', '?')
        need(re.fullmatch(r'pkg:(deb/\w+|generic)/[\w.%-]+(@[\w.%~-]+)?(\?[\w.%~:=&-]+)?', entry.get('purl', '')), f'{name}: purl')
        need(entry.get('version'), f'{name}: version')
        licences = entry.get('licenses') or [{}]
        need(all(one.get('license', {}).get('id') or one.get('expression') for one in licences), f'{name}: licenses')
    refs = [entry.get('bom-ref') for entry in entries + files]
    need(len(set(refs)) == len(refs) and None not in refs, 'bom-ref')
    for dependency in bill.get('dependencies', []):
        need({dependency['ref'], *dependency['dependsOn']} <= set(refs), 'dependencies')
    return wrong


class Sbom(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.out = pathlib.Path(folder.name)
        made = package(cls.out / 'one')
        assert made.returncode == 0, made.stderr
        cls.zips = {}
        for function in ('state', 'alarm'):
            with zipfile.ZipFile(cls.out / 'one' / f'{function}.zip') as archive:
                cls.zips[function] = {name: archive.read(name) for name in archive.namelist()}
        cls.bills = {function: json.loads(files['sbom.cdx.json']) for function, files in cls.zips.items()}

    def test_the_bill_is_whole(self):
        for function, bill in self.bills.items():
            with self.subTest(function):
                self.assertEqual(wrong_with(bill), [])
                self.assertEqual({entry['name'] for entry in bill['components']}, PARTS)
                program = bill['metadata']['component']
                info = json.loads((BUILD / 'generated/base/build_info.json').read_text())
                self.assertEqual((program['name'], program['version']), ('trainwarden', info['version']))
                self.assertEqual(program['hashes'][0]['content'],
                                 hashlib.sha256(self.zips[function]['bootstrap']).hexdigest())

    def test_a_bill_that_lacks_something_is_not_whole(self):
        for member in ('name', 'version', 'purl', 'licenses', 'hashes', 'bom-ref', 'type'):
            bill = copy.deepcopy(self.bills['state'])
            del bill['components'][0][member]
            with self.subTest(member):
                self.assertTrue(wrong_with(bill))
        for member in ('bomFormat', 'specVersion', 'serialNumber', 'metadata'):
            bill = copy.deepcopy(self.bills['state'])
            del bill[member]
            with self.subTest(member):
                self.assertTrue(wrong_with(bill))

    def linked(self):
        """The archives and objects that the linker takes for the state function, by its own word: it links once more."""
        commands = subprocess.run([NINJA, '-C', BUILD, '-t', 'commands', 'bin/state/bootstrap'], check=True,
                                  capture_output=True, text=True).stdout
        link = next(line for line in reversed(commands.splitlines()) if ' -o bin/state/bootstrap ' in line)
        link = link.strip().removeprefix(': && ').removesuffix(' && :')
        command = [word for word in shlex.split(link) if not word.startswith('-Wl,-Map=')]
        command[command.index('-o') + 1] = str(self.out / 'again')
        traced = subprocess.run([*command, '-Wl,--trace,--trace'], cwd=BUILD, check=True, capture_output=True, text=True)
        # (archive)member, and objects; an archive alone was opened, perhaps in vain.
        names = re.findall(r'^\(?(\S+\.a(?=\)\S)|[^(\s]\S*\.o$)', traced.stdout, re.M)
        return {(BUILD / name).resolve() for name in names}

    def test_it_names_each_archive_that_the_linker_takes_from(self):
        outside = {path for path in self.linked() if BUILD.resolve() not in path.parents}
        self.assertLess({'libc.a', 'libstdc++.a', 'libgcc.a', 'libcurl.a', 'libssl.a', 'libcrypto.a', 'libfmt.a', 'crt1.o'},
                        {path.name for path in outside})
        named = {file['name']: file['hashes'][0]['content'] for entry in self.bills['state']['components']
                 for file in entry.get('components', [])}
        self.assertEqual(named, {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in outside})

    def test_an_archive_that_nobody_knows_stops_the_packaging(self):
        other = self.out / 'libother.a'
        other.write_bytes(b'!<arch>\n')
        text = (BUILD / 'bin/state/bootstrap.map').read_text(errors='replace')
        changed = self.out / 'bootstrap.map'
        head = 'Archive member included to satisfy reference by file (symbol)\n'
        self.assertIn(head, text)
        changed.write_text(text.replace(head, f'{head}\n{other}(other.o)\n                              main.o (other)\n', 1))
        with self.assertRaisesRegex(sbom.Unknown, 'libother.a is linked in'):
            sbom.components_of(changed, BUILD, DEPS)
        (self.out / 'no.map').write_text('nothing\n')
        with self.assertRaisesRegex(sbom.Unknown, 'expected a link map'):
            sbom.components_of(self.out / 'no.map', BUILD, DEPS)

    def test_the_sources_are_those_that_were_built(self):
        parts = {entry['name']: entry for entry in self.bills['state']['components']}
        for line in (DEPS / 'SOURCES').read_text().splitlines():
            name, version, _, _, digest = line.split(' ')
            if name == 'cpp-httplib':  # the local AWS uses it, no function does
                self.assertNotIn(name, parts)
                continue
            entry = parts['fmt' if name == 'fmtlib' else name]
            self.assertEqual((entry['version'], entry['hashes'][0]['content']), (version, digest))
            self.assertIn(version, urllib.parse.unquote(entry['purl']))

    def test_sources_from_upstream_have_a_purl_with_their_checksum(self):
        deps = self.out / 'deps'
        deps.mkdir()
        for name in ('lib', 'licenses'):
            (deps / name).symlink_to(DEPS / name)
        (deps / 'SOURCES').write_text(f'curl 8.1.2 upstream curl-8.1.2.tar.gz {"a" * 64}\n'
                                      f'rapidjson unknown machine /usr/include/rapidjson {"b" * 64}\n')
        linked = sbom.linked_files(BUILD / 'bin/state/bootstrap.map', BUILD)
        parts = {part.kind.name: (part.version, part.purl) for part in sbom.fetched_components(deps, linked)}
        self.assertEqual(parts, {'curl': ('8.1.2', f'pkg:generic/curl@8.1.2?checksum=sha256:{"a" * 64}'),
                                 'rapidjson': ('unknown', 'pkg:generic/rapidjson')})
        # curl is linked, and OpenSSL no longer accounted for.
        with self.assertRaisesRegex(sbom.Unknown, r'lib(crypto|ssl|fmt)\.a is linked in'):
            sbom.components_of(BUILD / 'bin/state/bootstrap.map', BUILD, deps)

    def test_without_dpkg_versions_are_read_from_the_things_themselves(self):
        original = sbom.package_of
        sbom.package_of = lambda path: None
        self.addCleanup(setattr, sbom, 'package_of', original)
        parts = sbom.components_of(BUILD / 'bin/state/bootstrap.map', BUILD, DEPS)
        versions = {part.kind.name: (part.version, part.purl) for part in parts}
        self.assertRegex(versions['glibc'][0], r'^2\.\d+$')
        self.assertEqual(versions['glibc'][1], 'pkg:generic/glibc@' + versions['glibc'][0])
        self.assertRegex(versions['libgcc'][0], r'^\d+\.\d+\.\d+$')
        self.assertEqual(versions['libgcc'][0], versions['libstdc++'][0])
        self.assertEqual(versions['ca-certificates'], ('unknown', 'pkg:generic/ca-certificates'))
        self.assertEqual(wrong_with(json.loads(sbom.bill('state', BUILD / 'bin/state/bootstrap', parts, BUILD))), [])

    def test_the_licences_are_in_the_zip(self):
        for function, files in self.zips.items():
            text = files['LICENSES.txt'].decode()
            with self.subTest(function):
                for part in PARTS | {'trainwarden'}:
                    self.assertRegex(text, rf'(?m)^{re.escape(part)}[^\n]*: \S')
                for phrase in ('Apache License', 'COPYRIGHT AND PERMISSION NOTICE', 'Daniel Stenberg', 'Victor Zverovich',
                               'Milo Yip' if 'Milo Yip' in (DEPS / 'licenses/rapidjson').read_text() else 'THL A29'):
                    self.assertTrue(phrase in text, phrase)

    def test_the_zip_holds_what_it_should(self):
        for files in self.zips.values():
            self.assertEqual(sorted(files), ['LICENSES.txt', 'bootstrap', 'policy.json', 'sbom.cdx.json'])

    def test_twice_gives_the_same_bytes(self):
        self.assertEqual(package(self.out / 'two').returncode, 0)
        for function in ('state', 'alarm'):
            with self.subTest(function):
                self.assertEqual((self.out / 'one' / f'{function}.zip').read_bytes(),
                                 (self.out / 'two' / f'{function}.zip').read_bytes())


if __name__ == '__main__':
    unittest.main()
