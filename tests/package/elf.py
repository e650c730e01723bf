"""What an ELF file's headers say about the protection that the kernel gives it. 64-bit, little-endian."""

import pathlib
import struct

ET_EXEC = 2
PT_LOAD, PT_DYNAMIC, PT_INTERP, PT_GNU_STACK, PT_GNU_RELRO = 1, 2, 3, 0x6474E551, 0x6474E552
EXECUTE, WRITE = 1, 2
SHF_ALLOC, SHF_EXECINSTR = 2, 4


class Elf:
    def __init__(self, path):
        self.data = pathlib.Path(path).read_bytes()
        if self.data[:6] != b'\x7fELF\x02\x01':
            raise ValueError(f'{path}: expected a 64-bit little-endian ELF file')
        (self.type, _, _, _, segments_at, sections_at, _, _, segment_size, segments, section_size, sections,
         names) = struct.unpack_from('<HHIQQQIHHHHHH', self.data, 16)
        # (type, flags, offset, address, size in the file)
        self.segments = [struct.unpack_from('<IIQQQQ', self.data, segments_at + i * segment_size) for i in range(segments)]
        self.segments = [(kind, flags, offset, address, size) for kind, flags, offset, address, _, size in self.segments]
        headers = [struct.unpack_from('<IIQQQQ', self.data, sections_at + i * section_size) for i in range(sections)]
        strings = headers[names][4] if headers else 0
        # (name, flags, offset, size)
        self.sections = [(self.text(strings + name), flags, offset, size) for name, _, flags, _, offset, size in headers]

    def text(self, at):
        return self.data[at:self.data.index(b'\0', at)].decode()

    def of(self, kind):
        return [segment for segment in self.segments if segment[0] == kind]


def complaints(path):
    """What a program of ours should have and has not, or has and should not."""
    elf = Elf(path)
    found = []
    if elf.type != ET_EXEC or elf.of(PT_INTERP) or elf.of(PT_DYNAMIC):
        found.append('not a static program at a fixed address')
    loaded = elf.of(PT_LOAD)
    if any(flags & WRITE and flags & EXECUTE for _, flags, _, _, _ in elf.segments):
        found.append('a segment is writable and executable')
    stack = elf.of(PT_GNU_STACK)
    if not stack or stack[0][1] & EXECUTE:
        found.append('the stack is executable')
    if not elf.of(PT_GNU_RELRO):
        found.append('no RELRO segment')
    for _, flags, offset, _, size in loaded:
        if not flags & EXECUTE:
            continue
        data = [name for name, section_flags, at, length in elf.sections
                if section_flags & SHF_ALLOC and not section_flags & SHF_EXECINSTR and length and offset <= at < offset + size]
        if offset == 0 or data:
            found.append('a code segment holds ' + ', '.join((['the ELF header'] if offset == 0 else []) + data))
    return found
