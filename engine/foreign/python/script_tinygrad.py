# Puts the inputs into buffers, calls the program, realizes everything at once and reads it back.
import time


def make_inputs(storages):
    tensors = []
    for _, storage, dtype, shape, strides, offset in VIEWS:
        data = gather(storages[storage], dtype, shape, strides, offset)
        kind = getattr(dtypes, TINYGRAD_DTYPES[dtype])
        if not data:
            tensors.append(Tensor.empty(tuple(shape), dtype=kind).contiguous().realize())
            continue
        raw = Tensor(data, dtype=dtypes.uint8).bitcast(kind).reshape(tuple(shape))
        tensors.append(raw.clone().realize())
    return tensors


def read(tensor, name, dtype, shape):
    kind = getattr(dtypes, TINYGRAD_DTYPES[dtype])
    if tensor.dtype != kind or list(tensor.shape) != shape:
        raise TypeError(f"{name} is {tensor.dtype}{list(tensor.shape)}, not {dtype}{shape}")
    if 0 in shape:
        return b""
    return bytes(tensor.flatten().bitcast(dtypes.uint8).contiguous().data())


def run(mode, storages, compiled=True, calls=2):
    storages = [bytearray(s) for s in storages]
    tensors = make_inputs(storages)
    GlobalCounters.reset()
    # Buffers are tinygrad's own: guard zones and sharing cannot be shown.
    answer = {"calls": [], "seconds": 0.0, "unobserved": ["guards", "identity"]}
    call = build(mode, compiled)
    for _ in range(calls):
        start = time.perf_counter()
        results = call(tensors)
        answer["kernels"] = GlobalCounters.kernel_count
        answer["seconds"] += time.perf_counter() - start
        outputs = []
        for effect in EFFECTS:
            outputs.append(read(results.pop(0), *effect[1:]) if effect[0] == "output" else b"")
        for tensor, (name, storage, dtype, shape, strides, offset) in zip(tensors, VIEWS):
            scatter(storages[storage], read(tensor, name, dtype, shape), dtype, shape, strides, offset)
        answer["calls"].append(
            {
                "outputs": outputs,
                "identity": [(-1, -1)] * len(EFFECTS),
                "storages": [bytes(s) for s in storages],
            }
        )
    return answer
