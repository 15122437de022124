#!/usr/bin/env python3
"""Who may include whom (design, section 4), and no cycles. Prints every offence as FILE:LINE and exits 1 if there is one."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# A file below the folder may include files below these.
ALLOWED = {
    "generator/ir": ["generator/ir"],
    "generator/case": ["generator/ir", "generator/case"],
    "generator/draw": ["generator/ir", "generator/case", "generator/draw"],
    "oracle": ["generator/ir", "generator/case", "oracle"],
    "engine": ["generator/ir", "generator/case", "engine"],
    "fuzz": ["generator/ir", "generator/case", "generator/draw", "oracle", "engine", "fuzz"],
}

# Attribution must not know what was planted: only the engine itself, the score, the bench and the command line reach the table of
# faults, directly or through other headers.
FAULTS = "engine/kernel/fault.h"
KNOWS_FAULTS = re.compile(r"engine/|fuzz/score|fuzz/bench|fuzz/command|fuzz/main\.cc|fuzz/.*_test\.cc")

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def includes(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1)


def reach(name, graph):
    seen, todo = set(), [name]
    while todo:
        for _, target in graph.get(todo.pop(), []):
            if target not in seen:
                seen.add(target)
                todo.append(target)
    return seen


def main():
    files = [p for folder in ALLOWED for p in sorted((ROOT / folder).rglob("*")) if p.suffix in (".h", ".cc")]
    graph = {str(p.relative_to(ROOT)): list(includes(p)) for p in files}
    offences = []
    for name, lines in graph.items():
        folder = next(f for f in ALLOWED if name.startswith(f + "/"))
        for number, target in lines:
            known = target in graph
            if not known and not target.startswith(tuple(ALLOWED)):
                offences.append(f"{name}:{number}: {target} is no path from the root of the project")
            elif not target.startswith(tuple(f + "/" for f in ALLOWED[folder])):
                offences.append(f"{name}:{number}: {folder} may not include {target}")
        reached = reach(name, graph)
        if name in reached:
            offences.append(f"{name}: includes itself through other files")
        if FAULTS in reached and not KNOWS_FAULTS.match(name):
            offences.append(f"{name}: reaches {FAULTS}, which attribution must not read")
    print("\n".join(offences) if offences else f"{len(graph)} files, no offence")
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())
