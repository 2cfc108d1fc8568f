/// OpenVINO's C API for Swift, opened with dlopen when first needed, so that a program that infers nothing runs without
/// it. Every function here is a shim over the C function named in its comment. Imported by VStreamInference alone.
#ifndef CVSTREAM_OPENVINO_H
#define CVSTREAM_OPENVINO_H

#include <stddef.h>
#include <stdint.h>

typedef struct CVStreamOpenVINO_Core CVStreamOpenVINO_Core;
typedef struct CVStreamOpenVINO_CompiledModel CVStreamOpenVINO_CompiledModel;
typedef struct CVStreamOpenVINO_Request CVStreamOpenVINO_Request;
typedef struct CVStreamOpenVINO_Tensor CVStreamOpenVINO_Tensor;

/// Opens the library at `path` once per process. 0, or −1 with the loader's reason in `CVStreamOpenVINO_loadError`.
int CVStreamOpenVINO_load(const char *path);
const char *CVStreamOpenVINO_loadError(void);

/// The file name of the library that the declarations belong to.
extern const char *const CVStreamOpenVINO_libraryName;

/// ov_get_last_err_msg: copies why the last call failed, "" if unknown, into `buffer`.
void CVStreamOpenVINO_lastError(char *buffer, size_t size);

/// ov_get_openvino_version: copies the build number into `buffer`.
int CVStreamOpenVINO_version(char *buffer, size_t size);

// Every function below returns 0, or OpenVINO's negative status.

int CVStreamOpenVINO_createCore(CVStreamOpenVINO_Core **core);
void CVStreamOpenVINO_freeCore(CVStreamOpenVINO_Core *core);

/// ov_core_compile_model_from_file_props, with `count` properties as parallel lists of names and values.
int CVStreamOpenVINO_compile(
    const CVStreamOpenVINO_Core *core, const char *path, const char *device, const char *const *names,
    const char *const *values, size_t count, CVStreamOpenVINO_CompiledModel **compiled);

/// ov_core_read_model, ov_model_reshape_by_port_indexes and ov_core_compile_model_props: the same with the inputs in
/// other shapes. `ranks` holds the number of values in `dimensions` for each of the `inputs` inputs. Where `compiled` is
/// NULL, the status tells whether the network can have these shapes.
int CVStreamOpenVINO_compileReshaped(
    const CVStreamOpenVINO_Core *core, const char *path, const char *device, const char *const *names,
    const char *const *values, size_t count, const int64_t *dimensions, const size_t *ranks, size_t inputs,
    CVStreamOpenVINO_CompiledModel **compiled);
void CVStreamOpenVINO_freeCompiledModel(CVStreamOpenVINO_CompiledModel *compiled);

/// How many inputs (`output` 0) or outputs (1) a compiled model has.
int CVStreamOpenVINO_portCount(const CVStreamOpenVINO_CompiledModel *compiled, int output, size_t *count);

/// The element types that are distinguished.
typedef enum {
  CVStreamOpenVINO_other,
  CVStreamOpenVINO_float32,
  CVStreamOpenVINO_float16,
  CVStreamOpenVINO_int32,
  CVStreamOpenVINO_int64,
  CVStreamOpenVINO_uint8,
} CVStreamOpenVINO_Element;

/// Name, shape and element type of an input or output. `dimensions` has space for `rank` values on entry and holds
/// `rank` on return; a dimension that is not fixed is −1.
int CVStreamOpenVINO_describePort(
    const CVStreamOpenVINO_CompiledModel *compiled, int output, size_t index, char *name, size_t nameSize,
    int64_t *dimensions, size_t *rank, CVStreamOpenVINO_Element *element);

int CVStreamOpenVINO_createRequest(
    const CVStreamOpenVINO_CompiledModel *compiled, CVStreamOpenVINO_Request **request);
void CVStreamOpenVINO_freeRequest(CVStreamOpenVINO_Request *request);

/// ov_infer_request_get_input_tensor_by_index, …_output_…
int CVStreamOpenVINO_tensor(
    const CVStreamOpenVINO_Request *request, int output, size_t index, CVStreamOpenVINO_Tensor **tensor);
void CVStreamOpenVINO_freeTensor(CVStreamOpenVINO_Tensor *tensor);

/// The tensor's memory and how many elements it holds.
int CVStreamOpenVINO_tensorData(const CVStreamOpenVINO_Tensor *tensor, void **data, size_t *elements);

/// The tensor's shape; `dimensions` and `rank` as in `CVStreamOpenVINO_describePort`.
int CVStreamOpenVINO_tensorShape(const CVStreamOpenVINO_Tensor *tensor, int64_t *dimensions, size_t *rank);

/// ov_tensor_set_shape: its memory is allocated again if the elements are more.
int CVStreamOpenVINO_setTensorShape(CVStreamOpenVINO_Tensor *tensor, const int64_t *dimensions, size_t rank);

/// ov_infer_request_infer: returns when the outputs are available.
int CVStreamOpenVINO_infer(CVStreamOpenVINO_Request *request);

/// ov_infer_request_start_async, and ov_infer_request_wait: returns when the outputs are available.
int CVStreamOpenVINO_start(CVStreamOpenVINO_Request *request);
int CVStreamOpenVINO_wait(CVStreamOpenVINO_Request *request);

#endif
