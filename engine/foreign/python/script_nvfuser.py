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


