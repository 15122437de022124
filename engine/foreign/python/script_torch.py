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
