"""Which parts of a program its start and its first event touch, and the linker script that puts them side by side.

The kernel reads a program in by windows of 64 KiB, each at the price of a page fault and of resident memory. What a start
runs is a tenth of the code, and lies in most windows unless the linker is told (handlers/function/start_order.ld).
`./dev budgets --order` writes that script anew; a budget judges how many windows a start touches.
"""
import bisect
import collections
import re
import signal
import subprocess

from measure import Folder, ROOT, tool
from runtime_api import RuntimeApi, wait_until_asleep

SCRIPT = ROOT / 'handlers/function/start_order.ld'
WINDOW = 1 << 16  # /sys/kernel/debug/fault_around_bytes, as Linux sets it
LARGE = 1 << 14  # a table of which a start reads a line: it stays where it is
WIDTH = 120
LONGEST = 100  # of a name, of which so much tells it from others

Section = collections.namedtuple('Section', 'address size name file')
# What many sections are called, so that the object has to be named as well.
COMMON = re.compile(r'\.(text|rodata|data|bss)(\.(unlikely|startup|hot|exit|evex|evex512|avx|rel|local|ro|str\d+\.\d+|cst\d+))*$')
# glibc has one form of such a function for each kind of processor, and Lambda has several kinds.
FORM = re.compile(r'(?P<function>\w+?)-(?:avx|evex|sse|ssse|erms)[\w-]*\.o$')
# What looks into the vDSO, the kernel's own library, and clears memory for it: valgrind hides the vDSO from programs.
VDSO = ['*libc.a:dl-object.o(.text)', '*libc.a:dl-setup_hash.o(.text)', '*libc.a:dl-lookup.o(.text)',
        *(f'*libc.a:{function}-*(.text.avx .text.evex .text.evex512)' for function in ('memset', 'strcmp'))]
ADDRESS = re.compile(r'^(?:I | L| S| M) +([0-9a-f]+),', re.M)

HEAD = '''\
/* What a start and the first event of the functions touch, side by side: code, then constants. The kernel reads a
   program in by windows of 64 KiB, so these are few page faults, and little memory. Written by `./dev budgets --order`;
   what is not found here stays where the linker puts it, and a name that is gone does nothing. */
'''


def addresses(program, events, log_format='JSON'):
    """Where the program runs and reads from exec until it waits for the event after so many, each address once, in order."""
    tool('valgrind', '--version')
    with Folder(program) as folder, RuntimeApi() as api:
        log = folder / 'trace'
        process = subprocess.Popen(['valgrind', '--tool=lackey', '--vgdb=no', '--trace-mem=yes', f'--log-file={log}', './bootstrap'],
                                   cwd=folder, env={**api.environment, 'AWS_LAMBDA_LOG_FORMAT': log_format}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            api.serve(events)
            wait_until_asleep(process.pid)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(30)
        return [int(address, 16) for address in dict.fromkeys(ADDRESS.findall(log.read_text(errors='replace')))]


def read_only(program):
    """The parts of the file that are mapped and never written: (begin, end) of each."""
    out = subprocess.run(['readelf', '-lW', program], check=True, capture_output=True, text=True).stdout
    parts = re.findall(r'^ +LOAD +\S+ +0x(\w+) +\S+ +\S+ +0x(\w+) +(R E|R  )', out, re.M)
    return [(int(begin, 16), int(begin, 16) + int(size, 16)) for begin, size, _ in parts]


def windows(program):
    """How many windows of the file a start touches."""
    parts = read_only(program)
    return len({address // WINDOW for address in addresses(program, 0) if any(begin <= address < end for begin, end in parts)})


def sections(link_map):
    """The sections of the objects that were linked, in the order of their addresses."""
    text = link_map.read_text(errors='replace')
    text = text[text.index('Linker script and memory map'):]
    found = re.finditer(r'^ (\.[\w.$]+)\n? +0x([0-9a-f]+) +0x([0-9a-f]+) (\S.*)$', text, re.M)
    return sorted(Section(int(one[2], 16), int(one[3], 16), one[1], one[4]) for one in found if int(one[2], 16) != 0)


def touched(all_of, places):
    """The sections that hold the addresses, in the order in which they are touched first. Where a merged string comes from
    cannot be told by its address."""
    starts = [section.address for section in all_of]
    found = {}
    for place in places:
        section = all_of[bisect.bisect_right(starts, place) - 1]
        if section.address <= place < section.address + section.size and not re.search(r'\.(str|cst)\d', section.name):
            found[section] = None
    return list(found)


def constants_of(all_of, used):
    """The strings and numbers of the functions and tables that are used, but for our own strings (literals_of): the compiler
    names a function's by the function."""
    by_name = collections.defaultdict(list)
    for section in all_of:
        if section.name.startswith('.rodata') and section.size < LARGE and not (unit_of(section) and '.str' in section.name):
            owner = re.sub(r'(\.str\d+|\.cst\d+)(\.\d+)?$', '', section.name.removeprefix('.rodata'))
            by_name[section.file, owner].append(section)
    found = {}
    for section in used:
        owner = '' if COMMON.match(section.name) else re.sub(r'^\.(text|rodata|data\.rel\.ro\.local|data\.rel\.ro|data)(\.unlikely)?(?=\.)', '', section.name)
        owners = [owner] if section.name.startswith('.text') else [owner, '']  # a table's strings are in nobody's name
        found.update((one, None) for each in owners for one in by_name[section.file, each])
    return list(found)


def unit_of(section):
    """Of our own code, how the linker calls the unit that it comes from; empty of others' code."""
    unit = re.search(r'(libtrainwarden_\w+\.a)\((.+)\)$', section.file)
    return f'*{unit[1]}:{unit[2]}' if unit else ''


def literals_of(used):
    """The texts of our units that are used, all of each: functions of a unit share a text, in the name of any of them."""
    units = dict.fromkeys(unit_of(section) for section in used if section.name.startswith('.text'))
    return [f'{unit}(.rodata.*.str* .rodata.str*)' for unit in units if unit]


def pattern(section):
    """The section in the language of the linker."""
    if not COMMON.match(section.name):
        name = re.sub(r'(CSWTCH|isra|part|constprop)\.\d+', r'\1.*', section.name)  # numbers that change with each build
        return f'*({name})' if len(name) <= LONGEST else f'*({name[:LONGEST]}*)'
    member = re.search(r'([\w.+-]+\.a)\(([^)]+)\)$', section.file)
    if member is None:
        return f'*{section.file.rsplit("/", 1)[-1]}({section.name})'
    form = FORM.match(member[2])
    if form:
        return f'*{member[1]}:{form["function"]}-*(.text.avx .text.evex .text.evex512)'
    return f'*{member[1]}:{member[2]}({section.name})'


def block(name, after, patterns):
    lines = ['']
    for one in dict.fromkeys(patterns):
        if len(lines[-1]) + len(one) + 1 > WIDTH:
            lines.append('')
        lines[-1] += f' {one}' if lines[-1] else f'  {one}'
    body = '\n'.join(lines)
    return f'SECTIONS {{\n{name} : {{\n{body}\n}}\n}} INSERT {after};\n'


def script(build):
    """The linker script for both functions: the start and an event of the state function, then what the alarm function's
    start has besides, with the other format of logs."""
    code, constants = [], []
    for function, events, log_format in (('state', 1, 'JSON'), ('alarm', 0, 'Text')):
        program = build / 'bin' / function / 'bootstrap'
        all_of = sections(program.with_name('bootstrap.map'))
        used = touched(all_of, addresses(program, events, log_format))
        code += [pattern(section) for section in used if section.name.startswith('.text')]
        constants += [pattern(section) for section in used if section.name.startswith('.rodata') and section.size < LARGE]
        constants += literals_of(used)
        constants += [pattern(section) for section in constants_of(all_of, used)]
    return (HEAD + block('.text.start', 'BEFORE .text', VDSO + code) +
            block('.rodata.start', 'AFTER .rodata', [*constants, '*(.rodata.cst4 .rodata.cst8 .rodata.cst16 .rodata.cst32)']))


def write(build):
    SCRIPT.write_text(script(build))
