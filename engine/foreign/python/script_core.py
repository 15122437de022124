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
