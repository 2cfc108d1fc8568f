"""Quantises a detector: most of its convolutions then compute with 8-bit integers.

    scripts/models/quantise MODEL.xml QUANTISED.xml VIDEO…
    scripts/models/quantise MODEL QUANTISED.xml --inputs FILE --input INDEX --shapes SHAPES

The inputs of a convolution are quantised to 256 levels between 0 and their maximum on the videos' frames (every fifth of
each), or on the inputs in FILE: 32-bit floats of the model's input INDEX, one after the other, while its other inputs are
ones; SHAPES are those of all inputs, as 1,3,416,416;1,2. The weights are quantised to 127 levels per output channel: with one
more bit, processors without 8-bit dot products would overflow. The mean error that the rounding of the weights adds to a
channel is subtracted again. The convolutions of the results stay in floating point: their precision suffers most, and they
cost little. Of ssd-mobilenet-v2 and centerface these are known; of other models, no other convolution follows them, but for
those after a softmax.

Source: B. Jacob et al., "Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference",
2018; bias correction: M. Nagel et al., "Data-Free Quantization through Weight Equalization and Bias Correction", 2019.
"""

import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import openvino as ov
from openvino._offline_transformations import compress_quantize_weights_transformation

from ..common import fail, parser

STEP = 5  # every fifth frame is used
WEIGHT_LEVELS = 63  # on each side of 0
# For each model, side of the kernels and output channels of the convolutions that give results: four coordinates for each of
# three or six anchors per cell; scores, sizes, offsets and points.
RESULTS = {"ssd-mobilenet-v2": (3, {12, 24}), "centerface": (1, {1, 2, 10})}
# Width and height of the frames that a model of any input size is shown.
FREE_SIZE = (480, 352)

ops = ov.opset13


def triangle(source: int, target: int) -> np.ndarray:
    """[target, source]: the weights of a triangle filter that scales a row or a column of pixels."""
    scale = source / target
    centers = (np.arange(target) + 0.5) * scale - 0.5
    weights = np.maximum(0, 1 - np.abs(np.arange(source) - centers[:, np.newaxis]) / max(1, scale))
    return weights / weights.sum(axis=1, keepdims=True)


def frames(video: Path, width: int, height: int) -> np.ndarray:
    """[frames, height, width, 3] in RGB, 0 to 255: the same with every version of FFmpeg, and so the same model."""
    size = subprocess.run(
        ["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "stream=width,height", "-of", "csv=p=0", video],
        check=True, capture_output=True, text=True).stdout
    columns, rows = (int(side) // 2 * 2 for side in size.strip().split(",")[:2])
    picks = f"select=not(mod(n\\,{STEP})),crop={columns}:{rows}:0:0"
    raw = subprocess.run(
        ["ffmpeg", "-v", "error", "-nostdin", "-flags", "bitexact", "-idct", "simple", "-i", video, "-vf", picks, "-fps_mode",
         "passthrough", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-"], check=True, capture_output=True).stdout
    shape, area = (rows // 2, columns // 2), rows * columns
    result = []
    for planes in np.frombuffer(raw, np.uint8).reshape(-1, area * 3 // 2):
        luma = planes[:area].reshape(rows, columns)
        blue, red = (plane.reshape(shape) for plane in np.split(planes[area:], 2))
        y, u, v = (
            triangle(plane.shape[0], height) @ plane.astype(np.float64) @ triangle(plane.shape[1], width).T
            for plane in (luma, blue, red))
        # ITU-R BT.601, limited range.
        y, u, v = (y - 16) * 255 / 219, (u - 128) * 255 / 224, (v - 128) * 255 / 224
        image = np.stack([y + 1.402 * v, y - 0.344136 * u - 0.714136 * v, y + 1.772 * u], axis=2)
        # Halves are rounded up, whatever the last digit.
        result.append(np.clip(np.floor(image + 0.500001), 0, 255).astype(np.uint8))
    return np.stack(result) if result else np.empty((0, height, width, 3), np.uint8)


def last_convolutions(convolutions: list[ov.Node]) -> set[str]:
    """The names of those whose results reach no other convolution."""
    names = {node.get_friendly_name() for node in convolutions}

    def is_last(node: ov.Node) -> bool:
        seen, waiting = set(), [node]
        while waiting:
            for output in waiting.pop().outputs():
                for follower in (target.get_node() for target in output.get_target_inputs()):
                    name = follower.get_friendly_name()
                    # A convolution after a softmax takes its expectation: of the sides of boxes.
                    if follower.get_type_name() == "Softmax":
                        continue
                    if name in names:
                        return False
                    if name not in seen:
                        seen.add(name)
                        waiting.append(follower)
        return True

    return {node.get_friendly_name() for node in convolutions if is_last(node)}


def weights_of(node: ov.Node) -> np.ndarray | None:
    """The constant weights, which may be stored in 16 bits; `None` if they are computed."""
    source = node.input_value(1).get_node()
    if source.get_type_name() == "Convert":
        source = source.input_value(0).get_node()
    return source.data.astype(np.float32) if source.get_type_name() == "Constant" else None


def quantised(model: ov.Model, name: str) -> list[ov.Node]:
    """The convolutions that will compute with integers."""
    convolutions = [node for node in model.get_ordered_ops() if node.get_type_name() in {"Convolution", "GroupConvolution"}]
    if name in RESULTS:
        side, channels = RESULTS[name]
        results = {
            node.get_friendly_name() for node in convolutions
            if list(node.input(1).get_shape()[2:]) == [side, side] and node.input(1).get_shape()[0] in channels}
    else:
        results = last_convolutions(convolutions)
    return [node for node in convolutions if node.get_friendly_name() not in results and weights_of(node) is not None]


def video_inputs(model: ov.Model, videos: list[Path]) -> Iterator[np.ndarray]:
    """The frames of videos as the model's only input."""
    shape = model.input().partial_shape
    width, height = FREE_SIZE if shape.is_dynamic else (shape[2].get_length(), shape[1].get_length())
    for video in videos:
        for frame in frames(video, width, height):
            image = frame.transpose(2, 0, 1) if shape[1] == 3 else frame
            yield image[np.newaxis].astype(np.float32)


def measure(
    model: ov.Model, convolutions: list[ov.Node], images: Iterable[np.ndarray], position: int
) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    """The minimum and maximum of each convolution's input, and the mean of each of its channels.

    `images` are values of the model's input at `position`; its other inputs are ones, as of scale factors.
    """
    sources = [node.input_value(0) for node in convolutions]
    statistics = [ops.reduce_min(source, [0, 1, 2, 3]) for source in sources]
    statistics += [ops.reduce_max(source, [0, 1, 2, 3]) for source in sources]
    statistics += [ops.reduce_mean(source, [0, 2, 3]) for source in sources]
    probe = ov.Model([ops.result(node) for node in statistics], model.get_parameters())
    request = ov.Core().compile_model(probe, "CPU", {"INFERENCE_PRECISION_HINT": "f32"}).create_infer_request()
    results = []
    for image in images:
        inputs = [
            image if index == position else np.ones(port.shape, np.float32) for index, port in enumerate(model.inputs)]
        answer = request.infer(inputs)
        results.append([np.array(answer[index]) for index in range(len(statistics))])
    if not results:
        raise ValueError("there are no frames")
    count = len(convolutions)
    minima = np.min([result[:count] for result in results], axis=0)
    maxima = np.max([result[count : 2 * count] for result in results], axis=0)
    means = [np.mean([result[2 * count + index] for result in results], axis=0) for index in range(count)]
    return minima, maxima, means


def constant(values: float | np.ndarray) -> ov.Node:
    return ops.constant(np.asarray(values, np.float32))


def quantise(node: ov.Node, minimum: float, maximum: float, means: np.ndarray, rounded: dict[str, ov.Node]) -> None:
    source = node.input_value(0)
    name = f"{source.get_node().get_friendly_name()}:{source.get_index()}"
    if name not in rounded:
        if minimum < 0:
            maximum = max(maximum, -minimum * 127 / 128)
        low, high = constant(-maximum * 128 / 127 if minimum < 0 else 0), constant(maximum)
        rounded[name] = ops.fake_quantize(source, low, high, low, high, 256)
    node.input(0).replace_source_output(rounded[name].output(0))

    weights = weights_of(node)
    has_groups = weights.ndim == 5
    channels = 2 if has_groups else 1
    largest = np.maximum(np.abs(weights).max(axis=tuple(range(channels, weights.ndim)), keepdims=True), 1e-6)
    step = largest / WEIGHT_LEVELS
    whole = np.round(weights / step) * step
    # The weights use the middle 127 of 255 levels that cover twice their range.
    limit = step * 127
    node.input(1).replace_source_output(
        ops.fake_quantize(constant(whole), constant(-limit), constant(limit), constant(-limit), constant(limit), 255).output(0))

    targets = node.output(0).get_target_inputs()
    # In double precision, so that the order of the sums does not matter.
    excess, means = (whole - weights).astype(np.float64).sum(axis=(-2, -1)), means.astype(np.float64)
    # Weights of groups are [groups, outputs, inputs, height, width].
    excess = (
        np.einsum("goi,gi->go", excess, means.reshape(excess.shape[0], -1)).reshape(-1) if has_groups else excess @ means)
    corrected = ops.subtract(node, constant(excess.reshape(1, -1, 1, 1)))
    for target in targets:
        target.replace_source_output(corrected.output(0))


def main() -> None:
    options = parser(__doc__)
    options.add_argument("model", metavar="MODEL.xml")
    options.add_argument("target", metavar="QUANTISED.xml")
    options.add_argument("videos", nargs="*", type=Path, metavar="VIDEO")
    options.add_argument("--inputs", type=Path, metavar="FILE")
    options.add_argument("--input", type=int, default=0, metavar="INDEX")
    options.add_argument("--shapes", default="", metavar="SHAPES", help="of all inputs: 1,3,416,416;1,2")
    arguments = options.parse_args()
    source, target, position = arguments.model, arguments.target, arguments.input
    try:
        model = ov.Core().read_model(source)
        shapes = [[int(side) for side in shape.split(",")] for shape in arguments.shapes.split(";") if shape]
        if shapes:
            model.reshape(dict(enumerate(shapes)))
        if any(node.get_type_name() == "FakeQuantize" for node in model.get_ops()):
            raise ValueError("it is quantised already")
        convolutions = quantised(model, Path(source).stem)
        if not convolutions:
            raise ValueError("it has no convolution with constant weights")
        if arguments.inputs:
            images = np.memmap(arguments.inputs, np.float32, "r").reshape(-1, 1, *list(model.inputs[position].shape)[1:])
        else:
            images = video_inputs(model, arguments.videos)
        minima, maxima, means = measure(model, convolutions, images, position)
        rounded: dict[str, ov.Node] = {}
        for index, node in enumerate(convolutions):
            quantise(node, float(minima[index]), float(maxima[index]), means[index], rounded)
        model.validate_nodes_and_infer_types()
        compress_quantize_weights_transformation(model)  # stores the weights as integers
        ov.save_model(model, target, compress_to_fp16=False)
    except (KeyError, OSError, RuntimeError, ValueError, subprocess.CalledProcessError) as error:
        fail(f"{source}: {' '.join(str(error).split())}")
    print(f"quantise: {target}: {len(convolutions)} convolutions")
