#!/usr/bin/env python3
"""What nvfuser_direct's functions take, and whether a script's calls fit.

nvfuser_signatures.py read                    prints the table, with nvFuser installed (needs no kernel to run)
nvfuser_signatures.py check TABLE SCRIPT...   binds each call fd.NAME(...) and each DataType.NAME of the scripts
                                              to the table; prints FILE:LINE: what is wrong, exits 1 if anything is

A line of the table is one overload, `ops.sum(arg, dims, keepdim=False, dtype=None)`, or a dtype, `DataType.Half`;
overloads that differ in types only are one line. What has no name is called arg0, arg1, ... and goes by position
only. Defaults other than numbers and booleans read None: only whether there is one matters here.
"""

import ast
import inspect
import re
import sys


def parameters(signature):
    """'(x: nvfuser.Val, *, n: int = 3) -> nvfuser.Val' -> 'x, *, n=3'; types hold commas, but only in brackets."""
    inside, depth, parts = signature[1:], 0, [""]
    for c in inside:
        depth += (c in "([{<") - (c in ")]}>")
        if depth < 0:
            break
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    names = []
    for part in filter(None, map(str.strip, parts)):
        name = re.match(r"\*?\w*", part).group()
        default = re.search(r" = (.*)$", part)
        if default:
            name += "=" + (default.group(1) if re.fullmatch(r"-?[\d.]+|True|False", default.group(1)) else "None")
        names.append(name)
    names = [n for n in names if n != "self"]
    if any(re.fullmatch(r"arg\d+", n) for n in names):
        names.append("/")
    return ", ".join(names)


def overloads(function):
    """The signatures that pybind11 lists when no overload fits; docstrings need not have them."""
    try:
        function(object(), object(), no_such_argument=object())
    except TypeError as error:
        return [parameters(line) for line in re.findall(r"^\s*\d+\. (\(.*)$", str(error), re.MULTILINE)]
    return []


def read():
    import nvfuser_direct as nvfuser

    print(f"# nvfuser_direct {nvfuser.__version__}: nvfuser_signatures.py read")
    functions = {"ops." + name: getattr(nvfuser.ops, name) for name in dir(nvfuser.ops)}
    functions["define_tensor"] = nvfuser.define_tensor
    functions["define_scalar"] = nvfuser.define_scalar
    functions["add_output"] = nvfuser.Fusion.add_output
    for name, function in sorted(functions.items()):
        if callable(function) and not name.startswith("ops._"):
            for text in dict.fromkeys(overloads(function)):
                print(f"{name}({text})")
    execute = inspect.signature(nvfuser.FusionDefinition.execute).parameters.values()
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in execute if p.name != "self"]
    print(f"execute{inspect.Signature(plain)}")
    for name in dir(nvfuser.DataType):
        if isinstance(getattr(nvfuser.DataType, name), nvfuser.DataType):
            print(f"DataType.{name}")


def table(path):
    signatures, dtypes = {}, set()
    for line in open(path):
        line = line.strip()
        name, paren, arguments = line.partition("(")
        if line.startswith("DataType."):
            dtypes.add(line.removeprefix("DataType."))
        elif paren:
            scope = {}
            exec(f"def f({arguments}: pass", scope)
            signatures.setdefault(name, []).append(inspect.signature(scope["f"]))
    return signatures, dtypes


def dotted(node):
    """'ops.add' of the expression fd.ops.add; None for anything else."""
    names = []
    while isinstance(node, ast.Attribute):
        names.insert(0, node.attr)
        node = node.value
    return ".".join(names) if isinstance(node, ast.Name) and node.id == "fd" and names else None


def fits(signature, call):
    try:
        signature.bind(*call.args, **{k.arg: k.value for k in call.keywords})
        return True
    except TypeError:
        return False


def complaints(path, signatures, dtypes):
    for node in ast.walk(ast.parse(open(path).read(), path)):
        name = dotted(node.func) if isinstance(node, ast.Call) else None
        if name and not any(fits(s, node) for s in signatures.get(name, [])):
            known = " or ".join(name + str(s) for s in signatures.get(name, [])) or "no such function"
            yield f"{path}:{node.lineno}: {ast.unparse(node)}: {known}"
        of_dtype = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "DataType"
        if of_dtype and node.attr not in dtypes:
            yield f"{path}:{node.lineno}: there is no DataType.{node.attr}"


def main():
    if sys.argv[1:] == ["read"]:
        read()
    elif sys.argv[1:2] == ["check"] and len(sys.argv) > 3:
        known = table(sys.argv[2])
        lines = [line for path in sys.argv[3:] for line in complaints(path, *known)]
        print(*lines, sep="\n", end="\n" if lines else "")
        sys.exit(1 if lines else 0)
    else:
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
