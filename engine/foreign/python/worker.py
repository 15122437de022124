"""One engine in one process: requests on standard input, answers on standard output (engine/foreign/README.md).

worker.py ENGINE [--probe]: engine_ENGINE.py beside this file starts the compiler (inductor, xla, tinygrad, nvfuser); with --probe the
hello comes without loading it, and nothing follows.
"""

import ctypes
import importlib
import importlib.metadata
import json
import os
import shutil
import signal
import struct
import sys
import time
import traceback
import types

def read_exactly(fd, size):
    parts = []
    while size > 0:
        part = os.read(fd, min(size, 1 << 20))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def receive(fd):
    length = read_exactly(fd, 8)
    if length is None:
        return None, []
    header = json.loads(read_exactly(fd, struct.unpack("<Q", length)[0]))
    frames = []
    for _ in range(header.get("frames", 0)):
        frames.append(read_exactly(fd, struct.unpack("<Q", read_exactly(fd, 8))[0]))
    return header, frames


def send(fd, header, frames=()):
    text = json.dumps({**header, "frames": len(frames)}).encode()
    data = b"".join([struct.pack("<Q", len(text)), text] + [struct.pack("<Q", len(f)) + f for f in frames])
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def message_and_place(error):
    message = "".join(traceback.format_exception_only(error)).strip()
    place = "".join(traceback.format_tb(error.__traceback__)[-1:]).strip()
    return f"{message}\n{place}"


def answer(engine, request, storages):
    # A module that can be imported by its name: compilers look functions up in theirs.
    module = types.ModuleType("seamfuzz_script")
    sys.modules["seamfuzz_script"] = module
    start = time.perf_counter()
    try:
        exec(compile(request["script"], "script.py", "exec"), module.__dict__)
        result = module.run(request["mode"], storages, request["compiled"], request["calls"])
    except Exception as error:  # whatever a compiler raises is its answer
        text = getattr(engine, "failure_text", message_and_place)(error)
        failure = {"kind": engine.failure_kind(error), "text": text[:4000]}
        return {"id": request["id"], "failure": failure, "seconds": time.perf_counter() - start}, []
    frames = [frame for call in result["calls"] for frame in call["outputs"] + call["storages"]]
    header = {
        "id": request["id"],
        "calls": [{"identity": call["identity"]} for call in result["calls"]],
        "unobserved": result["unobserved"],
        "seconds": result["seconds"],
        "kernels": result["kernels"],
    }
    return header, frames


def main():
    # What libraries print must not mix with answers: descriptor 1 becomes standard error.
    channel = os.dup(1)
    os.dup2(2, 1)
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: do not outlive the parent
    scratch = os.environ.get("SEAMFUZZ_SCRATCH")
    engine = importlib.import_module("engine_" + sys.argv[1])
    probe = sys.argv[2:] == ["--probe"]
    try:
        version = engine.probe()
        if not probe:
            engine.start(scratch)
    except (ImportError, importlib.metadata.PackageNotFoundError) as error:
        send(channel, {"protocol": 1, "absent": str(error)})
        return
    send(channel, {"protocol": 1, "engine": sys.argv[1], "version": version})
    while not probe:
        request, storages = receive(0)
        if request is None:
            break
        header, frames = answer(engine, request, storages)
        send(channel, header, frames)
        if header.get("failure", {}).get("kind") == "illegal_address":
            break  # this process's CUDA is unusable from here on: the pool starts another
        engine.after(scratch)
    if scratch:
        shutil.rmtree(scratch, ignore_errors=True)
    os._exit(0)  # a compiler's own exit handlers may hang


if __name__ == "__main__":
    main()
