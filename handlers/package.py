#!/usr/bin/env python3
"""usage: package.py --build DIR --deps DIR --out DIR

One zip a function, and beside it a folder with what it holds: the program, the policy, the bill of materials
(sbom.cdx.json) and the licences (LICENSES.txt). DIRs: a release build, what runtime/deps/build.sh printed, and where the
zips go. Where advzip is installed (Debian's advancecomp), it packs them tighter than zlib can, which takes ten seconds a
zip: what it made is kept in ~/.cache/trainwarden/zips. The same sources, compiler and packer give the same bytes: names
are sorted, times and modes fixed.
"""

import argparse
import concurrent.futures
import contextlib
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / 'runtime' / 'deps'))
import sbom  # noqa: E402

FUNCTIONS = ('state', 'alarm')
KEPT = 16  # zips, of two megabytes each
CACHE = pathlib.Path(os.environ.get('TRAINWARDEN_ZIPS') or pathlib.Path(os.environ.get('XDG_CACHE_HOME') or pathlib.Path.home() / '.cache') /
                     'trainwarden' / 'zips')


def fill(folder, function, build, deps):
    program = build / 'bin' / function / 'bootstrap'
    components = sbom.components_of(program.with_name('bootstrap.map'), build, deps)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(program, folder / 'bootstrap')
    shutil.copyfile(ROOT / 'handlers' / 'policy.json', folder / 'policy.json')
    (folder / 'sbom.cdx.json').write_text(sbom.bill(function, program, components, build))
    (folder / 'LICENSES.txt').write_text(sbom.licences(components, (ROOT / 'LICENSE').read_text()))


def pack_tighter(path):
    """With advzip, or as it did before with the same zip."""
    packer = ['advzip', '--recompress', '--shrink-insane', '--quiet']
    version = subprocess.run(['advzip', '--version'], check=True, capture_output=True).stdout
    key = hashlib.sha256(b'\0'.join([version, *map(str.encode, packer), path.read_bytes()])).hexdigest()
    known = CACHE / f'{key}.zip'
    try:
        packed = known.read_bytes()
    except OSError:
        subprocess.run([*packer, path], check=True)
        keep(known, path.read_bytes())
    else:
        path.write_bytes(packed)
        with contextlib.suppress(OSError):
            os.utime(known)


def keep(known, packed):
    """Few zips are kept: the last ones that were asked for. Where none can be kept, each is packed anew."""
    with contextlib.suppress(OSError):
        CACHE.mkdir(parents=True, exist_ok=True)
        made = CACHE / f'{os.getpid()}.{known.stem}.tmp'
        made.write_bytes(packed)
        made.replace(known)
        for old in sorted(CACHE.glob('*.zip'), key=lambda file: file.stat().st_mtime)[:-KEPT]:
            old.unlink(missing_ok=True)


def pack(folder):
    path = folder.with_suffix('.zip')
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.iterdir()):
            entry = zipfile.ZipInfo(file.name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            entry.external_attr = (0o100755 if file.name == 'bootstrap' else 0o100644) << 16
            archive.writestr(entry, file.read_bytes(), compresslevel=9)  # entries ignore the archive's level
    if shutil.which('advzip'):
        pack_tighter(path)
    size = path.stat().st_size
    return (f'{path}: {size:,} bytes ({size / 1e6:.2f} MB; bootstrap {(folder / "bootstrap").stat().st_size / 1e6:.2f} MB)')


def main():
    parser = argparse.ArgumentParser(usage=__doc__.splitlines()[0].removeprefix('usage: '))
    for name in ('build', 'deps', 'out'):
        parser.add_argument(f'--{name}', type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    folders = [arguments.out / function for function in FUNCTIONS]
    for folder in folders:
        try:
            fill(folder, folder.name, arguments.build, arguments.deps)
        except (sbom.Unknown, OSError) as error:
            sys.exit(f'package.py: {error}')
    with concurrent.futures.ThreadPoolExecutor() as pool:  # advzip is a process of its own
        for said in pool.map(pack, folders):
            print(said)


if __name__ == '__main__':
    main()
