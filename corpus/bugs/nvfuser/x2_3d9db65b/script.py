#!/usr/bin/env python3
# A seamfuzz case for nvFuser (nvfuser_direct).
#
#   seamfuzz 1
#   graph {
#     T15 = input i64[1]
#     T1 = input f64[2]
#     T2 = input f64[1]
#     T3 = input f64[2]
#     T4 = scatter(T3, T15, T2, dim=0)
#     T1 <- T4
#   }
#   values exact seed 1
#   lane disable=contig_indexing
#
# Reads of an input mean its value at entry; every update T <- V is written after all reads.

import torch
from nvfuser_direct import DataType, FusionDefinition, PythonProfiler, reset_profiler

device = "cuda"
UNCOMPILED = False  # a definition runs only through the compiler
SCALARS_ARE_NUMBERS = True
SHARES_MEMORY = True  # outputs may lie in memory of inputs and of each other
REVERSED = False  # outputs are defined, and come back, last first
ENABLE = []
DISABLE = ["contig_indexing"]
FIRST_CALL = []


def monolithic(fd):
    T15 = fd.define_tensor(shape=[1], contiguity=[None], dtype=DataType.Int, is_cpu=False)
    T1 = fd.define_tensor(shape=[-1], contiguity=[True], dtype=DataType.Double, is_cpu=False)
    T2 = fd.define_tensor(shape=[1], contiguity=[None], dtype=DataType.Double, is_cpu=False)
    T3 = fd.define_tensor(shape=[-1], contiguity=[True], dtype=DataType.Double, is_cpu=False)
    T4 = fd.ops.scatter(T3, T15, T2, 0)
    fd.add_output(fd.ops.set(T4), T1)


def segmented(fd):
    T15 = fd.define_tensor(shape=[1], contiguity=[None], dtype=DataType.Int, is_cpu=False)
    T1 = fd.define_tensor(shape=[-1], contiguity=[True], dtype=DataType.Double, is_cpu=False)
    T2 = fd.define_tensor(shape=[1], contiguity=[None], dtype=DataType.Double, is_cpu=False)
    T3 = fd.define_tensor(shape=[-1], contiguity=[True], dtype=DataType.Double, is_cpu=False)
    T4 = fd.ops.scatter(T3, T15, T2, 0)
    fd.add_output(fd.ops.set(T4), T1)


# Makes a mode's definition and calls it under the case's switches.
segments = 0  # that the last definition's second call ran


def zeros(view, sizes, strides):
    """An input for which every op has an answer, indices in range included."""
    name, _, dtype, *_ = view
    tensor = torch.empty_strided(sizes, strides, dtype=TORCH_DTYPES[dtype], device=device).zero_()
    return tensor.item() if name in SCALARS else tensor


def build(mode, compiled):
    global segments
    segments = 0
    with FusionDefinition() as fd:
        {"monolithic": monolithic, "segmented": segmented}[mode](fd)

    def execute(inputs):
        return list(fd.execute(inputs, _enable_options=ENABLE, _disable_options=DISABLE))

    if FIRST_CALL:
        execute([zeros(view, *layout) for view, layout in zip(VIEWS, FIRST_CALL)])

    ran = False

    def call(inputs):
        nonlocal ran
        # Not the first call: where it fails, and most failures are its, nvFuser's one profiler stays
        # on and would fail every later definition of this process.
        outputs = profiled(execute, inputs) if ran else execute(inputs)
        ran = True
        return outputs[::-1] if REVERSED else outputs

    return call


def profiled(execute, inputs):
    global segments
    try:
        with PythonProfiler() as profiler:
            outputs = execute(inputs)
        segments = profiler.profile.segments
        return outputs
    except Exception:
        reset_profiler()
        raise


def kernels():
    return segments


# Elements as bytes, little endian, the same for every framework.
import struct

GUARD = 256  # bytes of guard zone on either side of a storage
SIZES = {"bool": 1, "i8": 1, "i32": 4, "i64": 8, "f16": 2, "bf16": 2, "f32": 4, "f64": 8}
CODES = {"bool": "?", "i8": "b", "i32": "i", "i64": "q", "f16": "e", "f32": "f", "f64": "d"}


def pack(dtype, values):
    if dtype == "bf16":  # the upper half of a float32
        return b"".join(struct.pack("<f", value)[2:] for value in values)
    return struct.pack(f"<{len(values)}{CODES[dtype]}", *values)


def unpack(dtype, data):
    if dtype == "bf16":
        return [struct.unpack("<f", b"\0\0" + data[i : i + 2])[0] for i in range(0, len(data), 2)]
    return list(struct.unpack(f"<{len(data) // SIZES[dtype]}{CODES[dtype]}", data))


def positions(shape, strides, offset):
    """Element offsets of a view in its storage, row-major."""
    places = [offset]
    for extent, stride in zip(shape, strides):
        places = [place + i * stride for place in places for i in range(extent)]
    return places


def gather(storage, dtype, shape, strides, offset):
    """The bytes of a view's elements, row-major, out of a guarded storage."""
    size = SIZES[dtype]
    starts = [GUARD + place * size for place in positions(shape, strides, offset)]
    return b"".join(storage[start : start + size] for start in starts)


def scatter(storage, data, dtype, shape, strides, offset):
    """Writes a view's elements into a guarded storage (a bytearray)."""
    size = SIZES[dtype]
    for i, place in enumerate(positions(shape, strides, offset)):
        storage[GUARD + place * size : GUARD + (place + 1) * size] = data[i * size : (i + 1) * size]


LANES = {"disable": "contig_indexing", }
SCALARS = ()
VIEWS = [  # name, storage, dtype, shape, strides, offset in elements
    ("T15", 0, "i64", [1], [1], 0),
    ("T1", 1, "f64", [2], [1], 0),
    ("T2", 2, "f64", [1], [1], 0),
    ("T3", 3, "f64", [2], [1], 0),
]
EFFECTS = [  # in order; an update names the view it writes
    ("update", 1),
]

# Puts the inputs into memory with their layouts and shared storages, calls the program, reads everything back.
import time

TORCH_DTYPES = {
    "bool": torch.bool,
    "i8": torch.int8,
    "i32": torch.int32,
    "i64": torch.int64,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "f32": torch.float32,
    "f64": torch.float64,
}


def make_input(memory, guard, view):
    name, storage, dtype, shape, strides, offset = view
    kind = TORCH_DTYPES[dtype]
    base = memory[storage].untyped_storage()
    tensor = torch.empty(0, dtype=kind, device=memory[storage].device)
    tensor.set_(base, guard // kind.itemsize + offset, shape, strides)
    if name in SCALARS:  # passed by value
        return tensor.item() if SCALARS_ARE_NUMBERS else tensor.clone()
    return tensor


def to_bytes(tensor):
    if tensor.numel() == 0:
        return b""
    flat = tensor.detach().clone(memory_format=torch.contiguous_format).view(-1)
    return flat.view(torch.uint8).cpu().numpy().tobytes()


def read_output(tensor, effect):
    _, name, dtype, shape = effect
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"output {name} is {type(tensor).__name__}, not a tensor")
    if tensor.dtype != TORCH_DTYPES[dtype] or list(tensor.shape) != shape:
        raise TypeError(f"output {name} is {tensor.dtype}{list(tensor.shape)}, not {dtype}{shape}")
    return to_bytes(tensor)


def identify(outputs, memory):
    """For each effect (storage, earlier effect) whose memory the output lies in; -1 for none."""
    owners = {m.untyped_storage().data_ptr(): (s, -1) for s, m in enumerate(memory)}
    identity = []
    for position, tensor in enumerate(outputs):
        if tensor is None or tensor.numel() == 0:
            identity.append((-1, -1))
            continue
        pointer = tensor.untyped_storage().data_ptr()
        identity.append(owners.get(pointer, (-1, -1)))
        owners.setdefault(pointer, (-1, position))
    return identity


def run(mode, storages, compiled=True, calls=2):
    guard = 0 if LANES.get("guard") == "off" else GUARD
    entry = [bytes(s[GUARD - guard : len(s) - GUARD + guard]) for s in storages]
    memory = [torch.frombuffer(bytearray(e or b"\0"), dtype=torch.uint8).to(device, copy=True) for e in entry]
    inputs = [make_input(memory, guard, view) for view in VIEWS]
    start = time.perf_counter()
    call = build(mode, compiled)
    answer = {"calls": [], "seconds": time.perf_counter() - start}
    answer["unobserved"] = ([] if guard else ["guards"]) + (["identity"] if SHARES_MEMORY else [])
    for _ in range(calls):
        start = time.perf_counter()
        results = list(call(inputs))
        if device != "cpu":
            torch.cuda.synchronize()
        answer["seconds"] += time.perf_counter() - start
        wanted = sum(effect[0] == "output" for effect in EFFECTS)
        if len(results) != wanted:
            raise TypeError(f"{len(results)} outputs came back, not {wanted}")
        outputs = [results.pop(0) if effect[0] == "output" else None for effect in EFFECTS]
        data = [b"" if o is None else read_output(o, e) for o, e in zip(outputs, EFFECTS)]
        after = [to_bytes(m)[: len(e)] for m, e in zip(memory, entry)]
        if not guard:
            after = [bytes(s[:GUARD]) + a + bytes(s[len(s) - GUARD :]) for s, a in zip(storages, after)]
        answer["calls"].append(
            {"outputs": data, "identity": identify(outputs, memory), "storages": after}
        )
    answer["kernels"] = kernels()
    return answer


GUARD_ZONE = b"\xa5" * GUARD
# The inputs' memory at entry, with a guard zone on either side.
STORAGES = [
    GUARD_ZONE
    + pack("i64", [
        1,
    ])
    + GUARD_ZONE,
    GUARD_ZONE
    + pack("f64", [
        -4.0, -8.0,
    ])
    + GUARD_ZONE,
    GUARD_ZONE
    + pack("f64", [
        8.0,
    ])
    + GUARD_ZONE,
    GUARD_ZONE
    + pack("f64", [
        -3.0, 6.0,
    ])
    + GUARD_ZONE,
]

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


# What the reference permits: a number, a set, (low, high), (low, high, or NaN), ANY.
PERMITTED = {
    "monolithic": [
        [  # a call: one list for each of EFFECTS
            [
                -3.0, 8.0,
            ],
        ],
        [  # a call: one list for each of EFFECTS
            [
                -3.0, 8.0,
            ],
        ],
    ],
    "segmented": [
        [  # a call: one list for each of EFFECTS
            [
                -3.0, 8.0,
            ],
        ],
        [  # a call: one list for each of EFFECTS
            [
                -3.0, 8.0,
            ],
        ],
    ],
}


if __name__ == "__main__":
    main()
