#!/usr/bin/env python3
"""usage: release.py --out DIR PROCESSOR=BUILD,DEPS,PACKAGE...

What a release carries, one folder a processor: the functions' zips, the programs trainwarden and localaws, a template whose
Code names the zips, a bill of materials for each, and the licences of all. Above them what those need who have nothing else:
release.md as its README, the shipped policy, its schema, the examples, the changes, the project's licence and SHA256SUMS.
BUILD: a release build with all four programs; DEPS: what runtime/deps/build.sh printed; PACKAGE: what package.py made of it.
The same sources, compiler and zlib give the same bytes, wherever and whenever.
"""

import argparse
import hashlib
import os
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / 'runtime' / 'deps'))
import sbom  # noqa: E402

DOCUMENTS = {'policy.json': 'handlers/policy.json', 'policy.schema.json': 'handlers/policy.schema.json',
             'CHANGELOG.md': '.github/CHANGELOG.md', 'LICENSE': 'LICENSE'}
FUNCTIONS = {'StateFunction': 'state', 'AlarmFunction': 'alarm'}
# For each program, what its linker's map does not show: its header-only libraries, and whether it trusts awsapi's roots.
PROGRAMS = {'trainwarden': (('rapidjson',), True), 'localaws': (('rapidjson', 'cpp-httplib'), False)}


def template(text, processor):
    """template.yaml for one processor: Code names the zips, as `aws cloudformation package` reads it."""
    for resource, zipped in FUNCTIONS.items():
        head = f'\n  {resource}:\n    Type: AWS::Lambda::Function\n'
        before, found, after = text.partition(head)
        code = '\n      Code: .\n'
        if not found or code not in after.split('\n\n', 1)[0]:
            raise ValueError(f'template.yaml: expected `Code: .` in {resource}')
        text = before + found + after.replace(code, f'\n      Code: {zipped}.zip\n', 1)
    begin = text.index('\n  Architecture:\n    Type: String\n')
    end = text.index('\n\n', begin)
    parameter = f'''
  Architecture:
    Type: String
    Default: {processor}
    AllowedValues: [{processor}]
    Description: The processor of both functions, for which the zips of this folder are built.'''
    return text[:begin] + parameter + text[end:]


def put(path, data, mode=0o644):
    path.write_bytes(data)
    path.chmod(mode)


def gather(folder, processor, build, deps, package):
    folder.mkdir(parents=True)
    components = {}
    for name in FUNCTIONS.values():
        put(folder / f'{name}.zip', (package / f'{name}.zip').read_bytes())
        put(folder / f'{name}.cdx.json', (package / name / 'sbom.cdx.json').read_bytes())
        for component in sbom.components_of(build / 'bin' / name / 'bootstrap.map', build, deps):
            components[component.kind.name] = component
    for name, (headers, roots) in PROGRAMS.items():
        program = build / 'bin' / name
        found = sbom.components_of(program.with_name(f'{name}.map'), build, deps, headers, roots)
        put(folder / name, program.read_bytes(), 0o755)
        put(folder / f'{name}.cdx.json', sbom.bill(name, program, found, build).encode())
        components.update((component.kind.name, component) for component in found)
    put(folder / 'template.yaml', template((ROOT / 'template.yaml').read_text(), processor).encode())
    own = (ROOT / 'LICENSE').read_text()
    put(folder / 'LICENSES.txt', sbom.licences([components[name] for name in sorted(components)], own).encode())


def gather_documents(folder, processors, build):
    """processors: the folders beside which the README stands; its commands are for the first of them."""
    info = sbom.build_info(build)
    words = {'VERSION': info['version'], 'COMMIT': info['commit'], 'FIRST': processors[0],
             'PROCESSORS': ', '.join(f'`{name}/`' for name in processors)}
    readme = re.sub(r'@([A-Z]+)@', lambda word: words[word[1]], (ROOT / 'handlers/release.md').read_text())
    put(folder / 'README.md', readme.encode())
    for name, source in DOCUMENTS.items():
        put(folder / name, (ROOT / source).read_bytes())
    examples = ROOT / 'tests/examples'
    for path in [examples / 'first-policy.json', *sorted((examples / 'policy-repository').rglob('*'))]:
        if path.is_file():
            copy = folder / 'examples' / path.relative_to(examples)
            copy.parent.mkdir(parents=True, exist_ok=True)
            put(copy, path.read_bytes())


def checksums(folder):
    """As sha256sum writes and checks them."""
    files = sorted(path for path in folder.rglob('*') if path.is_file())
    return ''.join(f'{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder).as_posix()}\n' for path in files)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.splitlines()[0].removeprefix('usage: '))
    parser.add_argument('--out', type=pathlib.Path, required=True)
    parser.add_argument('processors', nargs='+', metavar='PROCESSOR=BUILD,DEPS,PACKAGE')
    arguments = parser.parse_args()
    out = arguments.out
    unfinished = out.with_name(out.name + '.unfinished')
    for path in (out, unfinished):
        shutil.rmtree(path, ignore_errors=True)
    try:
        processors = []
        for text in arguments.processors:
            processor, _, folders = text.partition('=')
            build, deps, package = (pathlib.Path(folder) for folder in folders.split(','))
            gather(unfinished / processor, processor, build, deps, package)
            processors.append(processor)
        gather_documents(unfinished, processors, build)
        put(unfinished / 'SHA256SUMS', checksums(unfinished).encode())
    except (sbom.Unknown, OSError, ValueError) as error:
        sys.exit(f'release.py: {error}')
    os.rename(unfinished, out)
    latest = out.with_name('latest')  # a name that does not change with the version
    latest.unlink(missing_ok=True)
    latest.symlink_to(out.name)
    for path in sorted(path for path in out.rglob('*') if path.is_file()):
        print(f'{path.stat().st_size:>12,}  {path}')


if __name__ == '__main__':
    main()
