"""Measures a network alone: OpenVINO's C library and one single-threaded request, with nothing else in the process.

    bench/inference MODEL.xml COUNT CACHE

Prints JSON: processor milliseconds per inference, from the 20th on, and the peak of the megabytes that the library and the
network add to the process. The compiled network is cached in the folder CACHE, as in vstream. With a COUNT of 0 it runs until
standard input ends.
"""

from __future__ import annotations

import ctypes
import itertools
import json
import random
import select
import sys
import time
from array import array
from pathlib import Path

from ..common import ROOT, fail

SHAPE = (1, 300, 300, 3)
FLOAT32 = 4  # ov_element_type_e
WARM_UP = 20
PROPERTIES = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": "1", "ENABLE_CPU_PINNING": "NO"}


def peak_megabytes() -> float:
    """The peak of this process alone; getrusage's value includes that of the parent process before exec."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:"))


class Shape(ctypes.Structure):
    _fields_ = [("rank", ctypes.c_int64), ("dims", ctypes.POINTER(ctypes.c_int64))]


def main() -> None:
    model, count, cache = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    image = array("f", random.Random(1).randbytes(SHAPE[1] * SHAPE[2] * SHAPE[3]))
    before = peak_megabytes()
    openvino = ctypes.CDLL(str(next((ROOT / ".deps/openvino/libs").glob("libopenvino_c.so*"))))

    def call(name: str, *arguments: object) -> None:
        if (status := getattr(openvino, name)(*arguments)) != 0:
            fail(f"{name} failed with {status}")

    core, compiled, request, tensor = (ctypes.c_void_p() for _ in range(4))
    words = [word.encode() for pair in {**PROPERTIES, "CACHE_DIR": cache}.items() for word in pair]
    call("ov_core_create", ctypes.byref(core))
    # Pairs of strings, as ov_property_t.
    call("ov_core_compile_model_from_file_props", core, model.encode(), b"CPU", ctypes.c_size_t(len(words) // 2),
         (ctypes.c_char_p * len(words))(*words), ctypes.byref(compiled))
    call("ov_compiled_model_create_infer_request", compiled, ctypes.byref(request))
    call("ov_tensor_create_from_host_ptr", ctypes.c_int(FLOAT32), Shape(len(SHAPE), (ctypes.c_int64 * len(SHAPE))(*SHAPE)),
         ctypes.c_void_p(image.buffer_info()[0]), ctypes.byref(tensor))
    call("ov_infer_request_set_input_tensor", request, tensor)
    start, done = 0.0, 0
    for number in itertools.count():
        if (count and number == WARM_UP + count) or (not count and select.select([sys.stdin], [], [], 0)[0]):
            break
        if number == WARM_UP:
            start = time.process_time()
        call("ov_infer_request_infer", request)
        done = number + 1 - WARM_UP
    if done < 1:
        fail("standard input ended before the first measured inference")
    print(json.dumps({"cpuMilliseconds": (time.process_time() - start) * 1000 / done, "megabytes": peak_megabytes() - before}))
