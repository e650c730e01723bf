"""Which AWS calls the code can make, read from the code itself.

declared(): the operations that awsapi knows how to send.
called_by(function): those that the sources of one function call: its main.cc and all that it includes, each header with
the .cc beside it. A typed call PutMetricAlarm is made by a method put_metric_alarm, or put_metric_alarm_call.
anywhere(): those that any file of the functions calls.
linked_into(bootstrap): those whose names a release binary still holds. The linker drops most of what nothing calls, and
never what something calls.
"""
import pathlib
import re

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
FUNCTIONS = {'StateFunction': 'state', 'AlarmFunction': 'alarm'}


def without_comments(text, strings=True):
    def blank(match):
        return match[0] if strings and match[0][0] in '"\'R' else ' '
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'', blank, text, flags=re.S)


def snake_case(operation):
    return re.sub(r'(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])', '_', operation).lower()


def declared(operations, root=REPOSITORY):
    """operations: those that are known. What is sent as `…call("Name"` or `{&kService, "Name"` is found without."""
    text = '\n'.join(without_comments(path.read_text()) for path in sorted((root / 'awsapi').glob('*.[ch]*')))
    found = set(re.findall(r'call\w*\(\s*(?:&?\w+,\s*)?"([A-Z][A-Za-z]+)"', text))
    found |= set(re.findall(r'&k\w+,\s*"([A-Z][A-Za-z]+)"', text))
    return found | {operation for operation in operations if f'"{operation}"' in text}


def sources_of(folder, root=REPOSITORY):
    """The files that a function is made of, as far as includes tell."""
    todo, files = [f'handlers/{folder}/main.cc'], set()
    while todo:
        name = todo.pop()
        if name in files or not (root / name).is_file():
            continue
        files.add(name)
        if name.endswith('.h'):
            todo.append(name[:-2] + '.cc')
        todo += re.findall(r'^\s*#\s*include\s*"([^"]+)"', (root / name).read_text(), flags=re.M)
    return sorted(files)


def anywhere(operations, root=REPOSITORY):
    files = [path.relative_to(root) for path in (root / 'handlers').rglob('*.[ch]*') if path.suffix in ('.h', '.cc')]
    return calls_in([path.as_posix() for path in files if 'cli' not in path.parts], operations, root)


def called_by(function, operations, root=REPOSITORY):
    return calls_in([name for name in sources_of(FUNCTIONS[function], root) if name.startswith('handlers/')], operations, root)


def calls_in(handlers, operations, root):
    text = '\n'.join(without_comments((root / name).read_text(), strings=False) for name in handlers)
    return {operation for operation in operations
            if re.search(rf'(?:\.|->|::)\s*{snake_case(operation)}(?:_call)?\s*\(', text)}


def linked_into(bootstrap, operations):
    data = bootstrap.read_bytes()
    return {operation for operation in operations if re.search(rb'(?<![A-Za-z0-9])' + operation.encode() + rb'\0', data)}
