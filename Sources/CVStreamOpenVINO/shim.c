#include "CVStreamOpenVINO.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

const char *const CVStreamOpenVINO_libraryName = "libopenvino_c.so.2641";

// The used part of OpenVINO's C interface, declared here so that building needs none of its files. The form is that of the
// version in the library's name.
typedef CVStreamOpenVINO_Core Core;
typedef CVStreamOpenVINO_CompiledModel Compiled;
typedef CVStreamOpenVINO_Request Request;
typedef CVStreamOpenVINO_Tensor Tensor;
typedef struct Model Model;
typedef struct Port Port;

typedef struct {
  const char *key;
  const void *value;
} Property;

typedef struct {
  const char *buildNumber;
  const char *description;
} Version;

typedef struct {
  int64_t rank;
  int64_t *dimensions;
} Shape;

typedef struct {
  int64_t min, max;
} Range;

typedef struct {
  Range rank;
  Range *dimensions;
} PartialShape;

enum { OK = 0, INVALID_PARAMETER = -14 };                                        // ov_status_e
enum { FLOAT16 = 3, FLOAT32 = 4, INT32 = 9, INT64 = 10, UINT8 = 16 };            // ov_element_type_e

// X(result, name, parameters) is expanded into the table of pointers and into the loading of it.
#define FUNCTIONS(X)                                                                                                  \
  X(int, ov_get_openvino_version, (Version *))                                                                        \
  X(void, ov_version_free, (Version *))                                                                               \
  X(const char *, ov_get_last_err_msg, (void))                                                                        \
  X(int, ov_core_create, (Core **))                                                                                   \
  X(void, ov_core_free, (Core *))                                                                                     \
  X(int, ov_core_compile_model_from_file_props,                                                                       \
    (const Core *, const char *path, const char *device, size_t count, const Property *, Compiled **))                \
  X(int, ov_core_compile_model_props,                                                                                 \
    (const Core *, const Model *, const char *device, size_t count, const Property *, Compiled **))                   \
  X(int, ov_core_read_model, (const Core *, const char *path, const char *weights, Model **))                         \
  X(void, ov_model_free, (Model *))                                                                                   \
  X(int, ov_model_reshape_by_port_indexes, (const Model *, const size_t *ports, const PartialShape *, size_t count))  \
  X(int, ov_partial_shape_create_static, (int64_t rank, const int64_t *dimensions, PartialShape *))                   \
  X(void, ov_compiled_model_free, (Compiled *))                                                                       \
  X(int, ov_compiled_model_inputs_size, (const Compiled *, size_t *))                                                 \
  X(int, ov_compiled_model_outputs_size, (const Compiled *, size_t *))                                                \
  X(int, ov_compiled_model_input_by_index, (const Compiled *, size_t index, Port **))                                 \
  X(int, ov_compiled_model_output_by_index, (const Compiled *, size_t index, Port **))                                \
  X(int, ov_port_get_any_name, (const Port *, char **))                                                               \
  X(int, ov_port_get_partial_shape, (const Port *, PartialShape *))                                                   \
  X(void, ov_partial_shape_free, (PartialShape *))                                                                    \
  X(int, ov_port_get_element_type, (const Port *, unsigned *))                                                        \
  X(void, ov_output_const_port_free, (Port *))                                                                        \
  X(void, ov_free, (const char *))                                                                                    \
  X(int, ov_compiled_model_create_infer_request, (const Compiled *, Request **))                                      \
  X(void, ov_infer_request_free, (Request *))                                                                         \
  X(int, ov_infer_request_get_input_tensor_by_index, (const Request *, size_t index, Tensor **))                      \
  X(int, ov_infer_request_get_output_tensor_by_index, (const Request *, size_t index, Tensor **))                     \
  X(int, ov_infer_request_infer, (Request *))                                                                         \
  X(int, ov_infer_request_start_async, (Request *))                                                                   \
  X(int, ov_infer_request_wait, (Request *))                                                                          \
  X(void, ov_tensor_free, (Tensor *))                                                                                 \
  X(int, ov_tensor_set_shape, (Tensor *, Shape))                                                                      \
  X(int, ov_shape_create, (int64_t rank, const int64_t *dimensions, Shape *))                                         \
  X(int, ov_tensor_data, (const Tensor *, void **))                                                                   \
  X(int, ov_tensor_get_size, (const Tensor *, size_t *))                                                              \
  X(int, ov_tensor_get_shape, (const Tensor *, Shape *))                                                              \
  X(int, ov_shape_free, (Shape *))

#define DECLARE(result, name, parameters) result(*name##_) parameters;
static struct {
  FUNCTIONS(DECLARE)
} table;

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
static void *library;
static char loadError[512];

int CVStreamOpenVINO_load(const char *path) {
  pthread_mutex_lock(&loading);
  if (!library) {
    const char *missing = NULL;
    void *opened = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!opened) {
      snprintf(loadError, sizeof loadError, "%s", dlerror());
    } else {
#define LOAD(result, name, parameters) \
  if (!(table.name##_ = (__typeof__(table.name##_))dlsym(opened, #name))) missing = #name;
      FUNCTIONS(LOAD)
      if (missing) {
        snprintf(loadError, sizeof loadError, "%s has no function %s", path, missing);
        dlclose(opened);
      } else {
        library = opened;
      }
    }
  }
  int status = library ? 0 : -1;
  pthread_mutex_unlock(&loading);
  return status;
}

const char *CVStreamOpenVINO_loadError(void) { return loadError; }

void CVStreamOpenVINO_lastError(char *buffer, size_t size) {
  const char *message = table.ov_get_last_err_msg_();  // a copy of its own
  snprintf(buffer, size, "%s", message ? message : "");
  if (message) table.ov_free_(message);
}

int CVStreamOpenVINO_version(char *buffer, size_t size) {
  Version version;
  int status = table.ov_get_openvino_version_(&version);
  if (status == OK) {
    snprintf(buffer, size, "%s", version.buildNumber);
    table.ov_version_free_(&version);
  }
  return status;
}

int CVStreamOpenVINO_createCore(CVStreamOpenVINO_Core **core) { return table.ov_core_create_(core); }

void CVStreamOpenVINO_freeCore(CVStreamOpenVINO_Core *core) { table.ov_core_free_(core); }

enum { mostProperties = 16, mostInputs = 4 };

static int fill(Property properties[mostProperties], const char *const *names, const char *const *values, size_t count) {
  if (count > mostProperties) return INVALID_PARAMETER;
  for (size_t i = 0; i < count; i++) {
    properties[i].key = names[i];
    properties[i].value = values[i];
  }
  return OK;
}

int CVStreamOpenVINO_compile(
    const CVStreamOpenVINO_Core *core, const char *path, const char *device, const char *const *names,
    const char *const *values, size_t count, CVStreamOpenVINO_CompiledModel **compiled) {
  Property properties[mostProperties];
  int status = fill(properties, names, values, count);
  if (status != OK) return status;
  return table.ov_core_compile_model_from_file_props_(
      core, path, device, count, properties, compiled);
}

int CVStreamOpenVINO_compileReshaped(
    const CVStreamOpenVINO_Core *core, const char *path, const char *device, const char *const *names,
    const char *const *values, size_t count, const int64_t *dimensions, const size_t *ranks, size_t inputs,
    CVStreamOpenVINO_CompiledModel **compiled) {
  Property properties[mostProperties];
  int status = inputs > mostInputs ? INVALID_PARAMETER : fill(properties, names, values, count);
  PartialShape shapes[mostInputs];
  size_t ports[mostInputs], shaped = 0;
  memset(shapes, 0, sizeof shapes);
  while (status == OK && shaped < inputs) {
    ports[shaped] = shaped;
    status = table.ov_partial_shape_create_static_((int64_t)ranks[shaped], dimensions, &shapes[shaped]);
    dimensions += ranks[shaped];
    if (status == OK) shaped++;
  }

  Model *model = NULL;
  if (status == OK) status = table.ov_core_read_model_(core, path, NULL, &model);
  if (status == OK) status = table.ov_model_reshape_by_port_indexes_(model, ports, shapes, inputs);
  if (status == OK && compiled)
    status = table.ov_core_compile_model_props_(
        core, model, device, count, properties, compiled);
  if (model) table.ov_model_free_(model);
  for (size_t i = 0; i < shaped; i++) table.ov_partial_shape_free_(&shapes[i]);
  return status;
}

void CVStreamOpenVINO_freeCompiledModel(CVStreamOpenVINO_CompiledModel *compiled) {
  table.ov_compiled_model_free_(compiled);
}

int CVStreamOpenVINO_portCount(const CVStreamOpenVINO_CompiledModel *compiled, int output, size_t *count) {
  return output ? table.ov_compiled_model_outputs_size_(compiled, count)
                : table.ov_compiled_model_inputs_size_(compiled, count);
}

int CVStreamOpenVINO_describePort(
    const CVStreamOpenVINO_CompiledModel *compiled, int output, size_t index, char *name, size_t nameSize,
    int64_t *dimensions, size_t *rank, CVStreamOpenVINO_Element *element) {
  Port *port = NULL;
  int status = output ? table.ov_compiled_model_output_by_index_(compiled, index, &port)
                      : table.ov_compiled_model_input_by_index_(compiled, index, &port);
  if (status != OK) return status;

  char *text = NULL;
  if (table.ov_port_get_any_name_(port, &text) == OK && text) {
    snprintf(name, nameSize, "%s", text);
    table.ov_free_(text);
  } else {
    name[0] = 0;  // a port need not have a name
  }

  unsigned type = 0;
  status = table.ov_port_get_element_type_(port, &type);
  switch (type) {
    case FLOAT32: *element = CVStreamOpenVINO_float32; break;
    case FLOAT16: *element = CVStreamOpenVINO_float16; break;
    case INT32: *element = CVStreamOpenVINO_int32; break;
    case INT64: *element = CVStreamOpenVINO_int64; break;
    case UINT8: *element = CVStreamOpenVINO_uint8; break;
    default: *element = CVStreamOpenVINO_other;
  }

  PartialShape shape;
  memset(&shape, 0, sizeof shape);
  if (status == OK) status = table.ov_port_get_partial_shape_(port, &shape);
  if (status == OK) {
    size_t room = *rank, actual = shape.rank.max > 0 ? (size_t)shape.rank.max : 0;
    *rank = actual < room ? actual : room;
    for (size_t i = 0; i < *rank && shape.dimensions; i++)
      dimensions[i] = shape.dimensions[i].min == shape.dimensions[i].max ? shape.dimensions[i].max : -1;
    table.ov_partial_shape_free_(&shape);
  }
  table.ov_output_const_port_free_(port);
  return status;
}

int CVStreamOpenVINO_createRequest(
    const CVStreamOpenVINO_CompiledModel *compiled, CVStreamOpenVINO_Request **request) {
  return table.ov_compiled_model_create_infer_request_(
      compiled, request);
}

void CVStreamOpenVINO_freeRequest(CVStreamOpenVINO_Request *request) {
  table.ov_infer_request_free_(request);
}

int CVStreamOpenVINO_tensor(
    const CVStreamOpenVINO_Request *request, int output, size_t index, CVStreamOpenVINO_Tensor **tensor) {
  return output ? table.ov_infer_request_get_output_tensor_by_index_(request, index, tensor)
                : table.ov_infer_request_get_input_tensor_by_index_(request, index, tensor);
}

void CVStreamOpenVINO_freeTensor(CVStreamOpenVINO_Tensor *tensor) { table.ov_tensor_free_(tensor); }

int CVStreamOpenVINO_tensorData(const CVStreamOpenVINO_Tensor *tensor, void **data, size_t *elements) {
  int status = table.ov_tensor_get_size_(tensor, elements);
  return status == OK ? table.ov_tensor_data_(tensor, data) : status;
}

int CVStreamOpenVINO_tensorShape(const CVStreamOpenVINO_Tensor *tensor, int64_t *dimensions, size_t *rank) {
  Shape shape;
  int status = table.ov_tensor_get_shape_(tensor, &shape);
  if (status != OK) return status;
  size_t room = *rank;
  *rank = (size_t)shape.rank < room ? (size_t)shape.rank : room;
  memcpy(dimensions, shape.dimensions, *rank * sizeof *dimensions);
  table.ov_shape_free_(&shape);
  return OK;
}

int CVStreamOpenVINO_setTensorShape(CVStreamOpenVINO_Tensor *tensor, const int64_t *dimensions, size_t rank) {
  Shape shape;
  int status = table.ov_shape_create_((int64_t)rank, dimensions, &shape);
  if (status != OK) return status;
  status = table.ov_tensor_set_shape_(tensor, shape);
  table.ov_shape_free_(&shape);
  return status;
}

int CVStreamOpenVINO_infer(CVStreamOpenVINO_Request *request) {
  return table.ov_infer_request_infer_(request);
}

int CVStreamOpenVINO_start(CVStreamOpenVINO_Request *request) {
  return table.ov_infer_request_start_async_(request);
}

int CVStreamOpenVINO_wait(CVStreamOpenVINO_Request *request) {
  return table.ov_infer_request_wait_(request);
}
