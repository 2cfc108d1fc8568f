"""Measures a network alone: OpenVINO's C library and one single-threaded request, with nothing else in the process.

    scripts/bench/inference.py MODEL.xml COUNT CACHE

Prints JSON: processor milliseconds per inference, from the 20th on, and the peak of the megabytes that the library and
the network add to the process. The compiled network is cached in the folder CACHE, as in vstream.
With a COUNT of 0 it runs until standard input ends.
"""

import ctypes
import json
import random
import select
import sys
import time
from array import array
from collections.abc import Iterator
from pathlib import Path

LIBRARIES = Path(__file__).resolve().parents[2] / ".deps/openvino/libs"
SHAPE = (1, 300, 300, 3)
FLOAT32 = 4  # ov_element_type_e
WARM_UP = 20
PROPERTIES = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": "1", "ENABLE_CPU_PINNING": "NO"}


class Property(ctypes.Structure):
    _fields_ = [("key", ctypes.c_char_p), ("value", ctypes.c_char_p)]


class Shape(ctypes.Structure):
    _fields_ = [("rank", ctypes.c_int64), ("dims", ctypes.POINTER(ctypes.c_int64))]


def peak_megabytes() -> float:
    """The peak of this process alone; getrusage's value includes that of the parent process before exec."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:"))


def call(function: ctypes._CFuncPtr, *arguments: object) -> None:
    if (status := function(*arguments)) != 0:
        sys.exit(f"inference: {function.__name__} failed with {status}")


def load(model: str, cache: str) -> tuple[ctypes.CDLL, ctypes.c_void_p]:
    """OpenVINO, and a request for the model."""
    openvino = ctypes.CDLL(str(next(LIBRARIES.glob("libopenvino_c.so*"))))
    core, compiled, request = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    call(openvino.ov_core_create, ctypes.byref(core))
    pairs = [(key.encode(), value.encode()) for key, value in {**PROPERTIES, "CACHE_DIR": cache}.items()]
    call(openvino.ov_core_compile_model_from_file_props, core, model.encode(), b"CPU", ctypes.c_size_t(len(pairs)),
         (Property * len(pairs))(*pairs), ctypes.byref(compiled))
    call(openvino.ov_compiled_model_create_infer_request, compiled, ctypes.byref(request))
    return openvino, request


def set_input(openvino: ctypes.CDLL, request: ctypes.c_void_p, image: array) -> None:
    dims = (ctypes.c_int64 * len(SHAPE))(*SHAPE)
    tensor = ctypes.c_void_p()
    address = ctypes.c_void_p(image.buffer_info()[0])
    call(openvino.ov_tensor_create_from_host_ptr, ctypes.c_int(FLOAT32), Shape(len(SHAPE), dims), address, ctypes.byref(tensor))
    call(openvino.ov_infer_request_set_input_tensor, request, tensor)


def inference_numbers(count: int) -> Iterator[int]:
    """Numbers of inferences from 0: the warm-up and `count` more, or until standard input ends if `count` is 0."""
    number = 0
    while number < count + WARM_UP or (count == 0 and not select.select([sys.stdin], [], [], 0)[0]):
        yield number
        number += 1


def main() -> None:
    model, count, cache = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    image = array("f", random.Random(1).randbytes(SHAPE[1] * SHAPE[2] * SHAPE[3]))
    before = peak_megabytes()
    openvino, request = load(model, cache)
    set_input(openvino, request, image)
    start, done = 0.0, 0
    for number in inference_numbers(count):
        if number == WARM_UP:
            start = time.process_time()
        call(openvino.ov_infer_request_infer, request)
        done = number + 1 - WARM_UP
    if done < 1:
        sys.exit("inference: standard input ended before the first measured inference")
    milliseconds = (time.process_time() - start) * 1000 / done
    print(json.dumps({"cpuMilliseconds": milliseconds, "megabytes": peak_megabytes() - before}))
