# Runs both modes, compares with what is permitted, prints what is wrong, exits 1 if anything is.
import os
import sys
import traceback

ANY = object()  # an element that may hold anything


def allows(want, got):
    """`want`: a number, a set of numbers, (low, high), (low, high, nan) or ANY. Both zeros are equal."""
    if want is ANY:
        return True
    if isinstance(want, tuple):
        return want[0] <= got <= want[1] or (len(want) == 3 and got != got)
    if isinstance(want, (set, frozenset)):
        return got in want or (got != got and any(w != w for w in want))
    return got == want or (got != got and want != want)


def wrong_elements(name, shape, dtype, data, want):
    got = unpack(dtype, data)
    wrong = [i for i in range(len(want)) if not allows(want[i], got[i])]
    lines = []
    for i in wrong[:4]:
        index, rest = [], i
        for extent in reversed(shape):
            index.insert(0, rest % extent)
            rest //= extent
        lines.append(f"{name}{index} is {got[i]}, permitted {'anything' if want[i] is ANY else want[i]}")
    if len(wrong) > 4:
        lines.append(f"{name}: {len(wrong)} of {len(want)} elements are wrong")
    return lines


def wrong_bytes(entry, call, unobserved):
    """Bytes that no update may change: guard zones, gaps, storages that are only read."""
    lines = []
    for s, before in enumerate(entry):
        allowed = set()
        for view in (VIEWS[effect[1]] for effect in EFFECTS if effect[0] == "update"):
            name, storage, dtype, shape, strides, offset = view
            if storage == s:
                size = SIZES[dtype]
                for place in positions(shape, strides, offset):
                    allowed.update(range(GUARD + place * size, GUARD + (place + 1) * size))
        after = call["storages"][s]
        first, last = (GUARD, len(before) - GUARD) if "guards" in unobserved else (0, len(before))
        changed = [i for i in range(first, last) if before[i] != after[i] and i not in allowed]
        if changed:
            names = "/".join(view[0] for view in VIEWS if view[1] == s)
            lines.append(f"storage of {names}: byte {changed[0] - GUARD} is changed, no update names it")
    return lines


def wrong_identity(call):
    lines = []
    for effect, (storage, output) in zip(EFFECTS, call["identity"]):
        if effect[0] != "output":
            continue
        if storage >= 0:
            names = "/".join(view[0] for view in VIEWS if view[1] == storage)
            lines.append(f"output {effect[1]} shares memory with input {names}")
        elif output >= 0 and EFFECTS[output][1] != effect[1]:
            lines.append(f"output {effect[1]} shares memory with output {EFFECTS[output][1]}")
    return lines


def compare(mode, answer):
    lines = []
    entry = STORAGES
    for number, (call, want) in enumerate(zip(answer["calls"], PERMITTED[mode])):
        found = []
        for position, effect in enumerate(EFFECTS):
            if effect[0] == "output":
                _, name, dtype, shape = effect
                data = call["outputs"][position]
            else:
                name, storage, dtype, shape, strides, offset = VIEWS[effect[1]]
                data = gather(call["storages"][storage], dtype, shape, strides, offset)
            found += wrong_elements(name, shape, dtype, data, want[position])
        if "storages" not in answer["unobserved"]:
            found += wrong_bytes(entry, call, answer["unobserved"])
        if "identity" not in answer["unobserved"]:
            found += wrong_identity(call)
        lines += [f"call {number + 1}: {line}" for line in found]
        entry = call["storages"]
    return lines


def main():
    bad = False
    for mode in ("monolithic", "segmented"):
        for compiled in (False, True) if UNCOMPILED else (True,):
            what = f"{mode}, {'compiled' if compiled else 'not compiled'}"
            try:
                lines = compare(mode, run(mode, STORAGES, compiled, len(PERMITTED[mode])))
            except Exception:
                lines = [traceback.format_exc()]
            print(f"{what}: {'WRONG' if lines else 'right'}")
            for line in lines:
                print("  " + line)
            bad = bad or bool(lines)
    sys.stdout.flush()
    os._exit(1 if bad else 0)  # a broken compiler's own exit handlers may hang


if __name__ == "__main__":
    main()
