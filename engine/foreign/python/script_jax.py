# Gives the inputs to the program, donates those that are updated, and reads every result back.
import time

import numpy


def jax_dtype(dtype):
    return getattr(jnp, JAX_DTYPES[dtype])


def make_inputs(storages):
    arrays = []
    for _, storage, dtype, shape, strides, offset in VIEWS:
        data = numpy.frombuffer(gather(storages[storage], dtype, shape, strides, offset), numpy.uint8)
        # A copy: device_put may alias a numpy array's memory.
        arrays.append(jnp.array(data.view(jax_dtype(dtype).dtype).reshape(shape), copy=True))
    return arrays


def read(array, name, dtype, shape):
    if array.dtype != jax_dtype(dtype) or list(array.shape) != shape:
        raise TypeError(f"{name} is {array.dtype}{list(array.shape)}, not {dtype}{shape}")
    return numpy.ascontiguousarray(numpy.asarray(array)).tobytes()


def run(mode, storages, compiled=True, calls=2):
    storages = [bytearray(s) for s in storages]
    arrays = make_inputs(storages)
    start = time.perf_counter()
    call = build(mode, compiled)
    # Memory of arrays is JAX's own: guard zones and sharing cannot be shown.
    answer = {"calls": [], "seconds": time.perf_counter() - start, "unobserved": ["guards", "identity"]}
    for _ in range(calls):
        start = time.perf_counter()
        results = call(arrays)
        for result in results:
            result.block_until_ready()
        answer["seconds"] += time.perf_counter() - start
        outputs = []
        for effect, result in zip(EFFECTS, results):
            if effect[0] == "output":
                outputs.append(read(result, *effect[1:]))
            else:
                outputs.append(b"")
                arrays[effect[1]] = result
        # A result may be an input's very buffer; what is donated next time must be nobody else's.
        arrays = [jnp.array(a, copy=True) for a in arrays]
        for array, (name, storage, dtype, shape, strides, offset) in zip(arrays, VIEWS):
            # Inputs that nobody updates are read again too: a compiler may have written into one.
            scatter(storages[storage], read(array, name, dtype, shape), dtype, shape, strides, offset)
        answer["calls"].append(
            {
                "outputs": outputs,
                "identity": [(-1, -1)] * len(EFFECTS),
                "storages": [bytes(s) for s in storages],
            }
        )
    answer["kernels"] = kernels(mode)
    return answer
