"""What a program consists of, as a CycloneDX 1.6 bill of materials, and the licences of all that.

The linker's map says which files went into the program. Each of them belongs to a component that is known here, or there
is no bill: what is linked and not named would be worse than none. Where a component comes from, build.sh has recorded
(SOURCES) or the machine's dpkg tells; without dpkg the version is read from the thing itself, and the purl is a generic
one. Nothing in a bill changes from one build of the same sources on the same machine to the next.
"""

import dataclasses
import fnmatch
import hashlib
import json
import pathlib
import re
import subprocess
import urllib.parse
import uuid


class Unknown(Exception):
    """Something that a bill would have to name and cannot."""


@dataclasses.dataclass(frozen=True)
class Kind:
    name: str
    licence: str  # an SPDX expression
    files: tuple = ()  # names of what it gives to the linker
    type: str = 'library'


# By the name in SOURCES. Those without files are headers.
FETCHED = {
    'curl': Kind('curl', 'curl', ('libcurl.a',)),
    'openssl': Kind('openssl', 'Apache-2.0', ('libssl.a', 'libcrypto.a')),
    'fmtlib': Kind('fmt', 'MIT', ('libfmt.a',)),
    'rapidjson': Kind('rapidjson', 'MIT'),
    'cpp-httplib': Kind('cpp-httplib', 'MIT'),  # in localaws alone
}
GCC_LICENCE = 'GPL-3.0-or-later WITH GCC-exception-3.1'
MACHINE = [
    Kind('glibc', 'LGPL-2.1-or-later', ('libc.a', 'libm.a', 'libm-*.a', 'libmvec.a', 'libpthread.a', 'libdl.a', 'librt.a',
                                        'libresolv.a', 'crt1.o', 'crti.o', 'crtn.o')),
    Kind('libstdc++', GCC_LICENCE, ('libstdc++.a',)),
    Kind('libgcc', GCC_LICENCE, ('libgcc.a', 'libgcc_eh.a', 'crtbegin*.o', 'crtend*.o')),
]
ROOTS = Kind('ca-certificates', 'MPL-2.0', type='data')
# cpp-httplib names its licence in its header, and its archive has no other copy of the text here.
MIT = '''Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
'''
COMMON_LICENCES = pathlib.Path('/usr/share/common-licenses')


@dataclasses.dataclass
class Component:
    kind: Kind
    version: str
    purl: str
    sha256: str
    hashed: str  # what the hash is of
    licence_text: str
    files: list  # what of it was linked


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def purl(kind, name, version, **qualifiers):
    quoted = urllib.parse.quote
    text = f'pkg:{kind}/{quoted(name, safe="/")}' + (f'@{quoted(version, safe="")}' if version else '')
    if qualifiers:
        text += '?' + '&'.join(f'{key}={quoted(value, safe=":")}' for key, value in sorted(qualifiers.items()))
    return text


def linked_files(map_file, build):
    """The archives and objects that the linker took something from, but for the program's own."""
    text = map_file.read_text(errors='replace')
    members = re.search(r'^Archive member included to satisfy reference by file \(symbol\)\n(.*?)^\S[^\n(]*$', text, re.M | re.S)
    if not members:
        raise Unknown(f'{map_file}: expected a link map of GNU ld')
    names = set(re.findall(r'^(\S[^\n(]*)\([^\n)]*\)', members[1], re.M))
    names |= {name for name in re.findall(r'^LOAD (\S.*)$', text, re.M) if name.endswith('.o')}
    paths = {(build / name).resolve() for name in names}
    return sorted(path for path in paths if build.resolve() not in path.parents)


def os_release():
    try:
        lines = pathlib.Path('/etc/os-release').read_text().splitlines()
    except OSError:
        return {}
    return {name: value.strip('"') for name, _, value in (line.partition('=') for line in lines)}


def package_of(path):
    """The Debian package that a file belongs to, as a dict; None without dpkg, or where no package owns the file."""
    try:
        owner = subprocess.run(['dpkg-query', '-S', path], capture_output=True, text=True)
    except OSError:
        return None
    if owner.returncode != 0:
        return None
    package = owner.stdout.split(': ')[0]
    fields = ('Package', 'Version', 'Architecture', 'source:Package')
    shown = subprocess.run(['dpkg-query', '-W', '-f', '\t'.join('${%s}' % field for field in fields), package],
                           capture_output=True, text=True, check=True).stdout
    return dict(zip(fields, shown.split('\t')))


def package_purl(package):
    system = os_release()
    distro = '-'.join(filter(None, (system.get('ID', 'debian'), system.get('VERSION_ID'))))
    upstream = {} if package['source:Package'] == package['Package'] else {'upstream': package['source:Package']}
    return purl('deb', f'{system.get("ID", "debian")}/{package["Package"]}', package['Version'],
                arch=package['Architecture'], distro=distro, **upstream)


def text_of(path, otherwise):
    try:
        return path.read_text(errors='replace')
    except OSError:
        return otherwise


def from_machine(kind, path, digest, hashed, files, version):
    """A component that the machine's packages brought; version() tells it where there is no package."""
    package = package_of(path)
    no_text = f'This machine has no copy of the text: see https://spdx.org/licenses/, {kind.licence}.\n'
    if package is None:
        found = version()
        return Component(kind, found or 'unknown', purl('generic', kind.name, found), digest, hashed, no_text, files)
    text = text_of(pathlib.Path('/usr/share/doc') / package['Package'] / 'copyright', no_text)
    return Component(kind, package['Version'], package_purl(package), digest, hashed, text, files)


def glibc_version(path):
    found = re.search(rb'GNU C Library [^\n]*release version (\d[\d.]*\d)', path.read_bytes())
    return found[1].decode() if found else None


def compiler_version(build):
    cache = (build / 'CMakeCache.txt').read_text()
    compiler = re.search(r'^CMAKE_CXX_COMPILER:\w+=(.*)$', cache, re.M)[1]
    return subprocess.run([compiler, '-dumpfullversion'], capture_output=True, text=True, check=True).stdout.strip()


def licence_of(name, deps):
    try:
        return (deps / 'licenses' / name).read_text(errors='replace')
    except FileNotFoundError:
        if name != 'cpp-httplib':
            raise
    notice = re.search(r'Copyright \(c\)[^\n]*', (deps / 'include/httplib/httplib.h').read_text())
    return f'MIT License\n\n{notice[0]}\n\n{MIT}'


def fetched_components(deps, linked, headers=('rapidjson',)):
    """headers: those of which nothing but headers went in, so that no file of the linker tells of them."""
    components = []
    for line in (deps / 'SOURCES').read_text().splitlines():
        name, version, origin, file, digest = line.split(' ')
        if name not in FETCHED:
            continue
        kind = FETCHED[name]
        files = [path for path in linked if path.parent == (deps / 'lib').resolve() and path.name in kind.files]
        if not files and name not in headers:
            continue
        if origin == 'machine':
            package = package_of(pathlib.Path(file) / 'rapidjson.h')
            told = version if version != 'unknown' else None
            where = package_purl({**package, 'Version': version}) if package and told else purl('generic', name, told)
        elif origin == 'debian':
            where = purl('deb', f'debian/{name}', version, arch='source')
        else:
            where = purl('generic', name, version, checksum=f'sha256:{digest}')
        components.append(Component(kind, version, where, digest, file, licence_of(name, deps), files))
    return components


def machine_components(build, linked):
    components = []
    for kind in MACHINE:
        files = [path for path in linked if any(fnmatch.fnmatchcase(path.name, pattern) for pattern in kind.files)]
        if not files:
            continue
        main = next((path for path in files if path.name == kind.files[0]), files[0])
        version = (lambda: glibc_version(main)) if kind.name == 'glibc' else (lambda: compiler_version(build))
        components.append(from_machine(kind, main, sha256(main.read_bytes()), main.name, files, version))
    return components


def roots_component(build):
    paths = [pathlib.Path(line) for line in (build / 'generated/awsapi/roots.list').read_text().splitlines()]
    digest = sha256(b''.join(path.read_bytes() for path in paths))
    names = ', '.join(path.name for path in paths)
    return from_machine(ROOTS, paths[0], digest, f'{names}, one after the other', [], lambda: None)


def components_of(program_map, build, deps, headers=('rapidjson',), roots=True):
    """roots: whether the program trusts the certificates of awsapi."""
    linked = linked_files(program_map, build)
    components = [*fetched_components(deps, linked, headers), *machine_components(build, linked)]
    if roots:
        components.append(roots_component(build))
    named = {path for component in components for path in component.files}
    for path in linked:
        if path not in named:
            raise Unknown(f'{program_map}: {path} is linked in, and runtime/deps/sbom.py knows no component that it belongs to')
    return sorted(components, key=lambda component: component.kind.name)


def licences_field(expression):
    return [{'expression': expression}] if ' ' in expression else [{'license': {'id': expression}}]


def hashes_field(digest):
    return [{'alg': 'SHA-256', 'content': digest}]


def shown(component):
    name = component.kind.name
    entry = {'type': component.kind.type, 'bom-ref': name, 'name': name, 'version': component.version,
             'hashes': hashes_field(component.sha256), 'licenses': licences_field(component.kind.licence),
             'purl': component.purl, 'properties': [{'name': 'trainwarden:hash-of', 'value': component.hashed}]}
    if component.files:
        entry['components'] = [{'type': 'file', 'bom-ref': f'{name}/{path.name}', 'name': path.name,
                                'hashes': hashes_field(sha256(path.read_bytes()))} for path in component.files]
    return entry


DESCRIPTIONS = {'state': 'the state function', 'alarm': 'the alarm function', 'trainwarden': 'the command',
                'localaws': 'the embedded AWS'}


def build_info(build):
    """The version and the commit of a build."""
    return json.loads((build / 'generated/base/build_info.json').read_text())


def bill(name, program, components, build):
    """The bill of a program, as text."""
    info = build_info(build)
    document = {
        '$schema': 'http://cyclonedx.org/schema/bom-1.6.schema.json',
        'bomFormat': 'CycloneDX',
        'specVersion': '1.6',
        'version': 1,
        'metadata': {'component': {
            'type': 'application', 'bom-ref': 'trainwarden', 'name': 'trainwarden', 'version': info['version'],
            'description': DESCRIPTIONS[name], 'hashes': hashes_field(sha256(program.read_bytes())),
            'licenses': licences_field('Apache-2.0'), 'purl': purl('generic', 'trainwarden', info['version']),
            'properties': [{'name': 'trainwarden:commit', 'value': info['commit']}]}},
        'components': [shown(component) for component in components],
        'dependencies': [{'ref': 'trainwarden', 'dependsOn': [component.kind.name for component in components]}],
    }
    # Not a random one: the same build has the same number.
    number = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(document, sort_keys=True))
    return json.dumps({**document, 'serialNumber': f'urn:uuid:{number}'}, indent=1, sort_keys=True) + '\n'


def licences(components, own):
    """All licences as one text, each once; own is the project's. Texts of one licence follow each other: they share most of
    their words, which the zip then holds once."""
    texts = [('Apache-2.0', 'trainwarden: Apache-2.0', own)]
    texts += [(c.kind.licence, f'{c.kind.name} {c.version}: {c.kind.licence}', c.licence_text) for c in components]
    for name in ('LGPL-2.1', 'GPL-3', 'MPL-2.0'):  # which Debian's files refer to
        text = text_of(COMMON_LICENCES / name, None)
        if text is not None:
            texts.append((name, str(COMMON_LICENCES / name), text))
    parts, seen = [], {}
    for licence, title, text in sorted(texts, key=lambda one: one[0]):
        first = seen.setdefault(text, title)
        if first != title:
            text = f'The same text as for {first.partition(":")[0].partition(" ")[0]}.\n'
        parts.append(f'{"=" * 80}\n{title}\n{"=" * 80}\n\n{text}')
    return '\n'.join(parts)
