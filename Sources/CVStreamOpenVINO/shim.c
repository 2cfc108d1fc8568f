#include "CVStreamOpenVINO.h"

#include <dlfcn.h>
#if !__has_include(<openvino/c/openvino.h>)
#error "vstream is not set up: run scripts/bootstrap in vstream's folder (as a dependency: .build/checkouts/vstream), and build again"
#else
#include <openvino/c/openvino.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

const char *const CVStreamOpenVINO_libraryName = "libopenvino_c.so.2641";

// One pointer per C function that is used; X(name) is expanded into the table and into the loading of it.
#define FUNCTIONS(X)                          \
  X(ov_get_openvino_version)                  \
  X(ov_version_free)                          \
  X(ov_get_last_err_msg)                      \
  X(ov_core_create)                           \
  X(ov_core_free)                             \
  X(ov_core_compile_model_from_file_props)    \
  X(ov_core_compile_model_props)              \
  X(ov_core_read_model)                       \
  X(ov_model_free)                            \
  X(ov_model_reshape_by_port_indexes)         \
  X(ov_partial_shape_create_static)           \
  X(ov_compiled_model_free)                   \
  X(ov_compiled_model_inputs_size)            \
  X(ov_compiled_model_outputs_size)           \
  X(ov_compiled_model_input_by_index)         \
  X(ov_compiled_model_output_by_index)        \
  X(ov_port_get_any_name)                     \
  X(ov_port_get_partial_shape)                \
  X(ov_partial_shape_free)                    \
  X(ov_port_get_element_type)                 \
  X(ov_output_const_port_free)                \
  X(ov_free)                                  \
  X(ov_compiled_model_create_infer_request)   \
  X(ov_infer_request_free)                    \
  X(ov_infer_request_get_input_tensor_by_index) \
  X(ov_infer_request_get_output_tensor_by_index) \
  X(ov_infer_request_infer)                   \
  X(ov_infer_request_start_async)             \
  X(ov_infer_request_wait)                    \
  X(ov_tensor_free)                           \
  X(ov_tensor_data)                           \
  X(ov_tensor_get_size)                       \
  X(ov_tensor_get_shape)                      \
  X(ov_shape_free)

#define DECLARE(name) __typeof__(&name) name##_;
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
#define LOAD(name) \
  if (!(table.name##_ = (__typeof__(&name))dlsym(opened, #name))) missing = #name;
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
  ov_version_t version;
  int status = table.ov_get_openvino_version_(&version);
  if (status == OK) {
    snprintf(buffer, size, "%s", version.buildNumber);
    table.ov_version_free_(&version);
  }
  return status;
}

int CVStreamOpenVINO_createCore(CVStreamOpenVINO_Core **core) { return table.ov_core_create_((ov_core_t **)core); }

void CVStreamOpenVINO_freeCore(CVStreamOpenVINO_Core *core) { table.ov_core_free_((ov_core_t *)core); }

enum { mostProperties = 16, mostInputs = 4 };

static int fill(ov_property_t properties[mostProperties], const char *const *names, const char *const *values, size_t count) {
  if (count > mostProperties) return INVALID_C_PARAM;
  for (size_t i = 0; i < count; i++) {
    properties[i].key = names[i];
    properties[i].value = values[i];
  }
  return OK;
}

int CVStreamOpenVINO_compile(
    const CVStreamOpenVINO_Core *core, const char *path, const char *device, const char *const *names,
    const char *const *values, size_t count, CVStreamOpenVINO_CompiledModel **compiled) {
  ov_property_t properties[mostProperties];
  int status = fill(properties, names, values, count);
  if (status != OK) return status;
  return table.ov_core_compile_model_from_file_props_(
      (const ov_core_t *)core, path, device, count, properties, (ov_compiled_model_t **)compiled);
}

int CVStreamOpenVINO_compileReshaped(
    const CVStreamOpenVINO_Core *core, const char *path, const char *device, const char *const *names,
    const char *const *values, size_t count, const int64_t *dimensions, const size_t *ranks, size_t inputs,
    CVStreamOpenVINO_CompiledModel **compiled) {
  ov_property_t properties[mostProperties];
  int status = inputs > mostInputs ? INVALID_C_PARAM : fill(properties, names, values, count);
  ov_partial_shape_t shapes[mostInputs];
  size_t ports[mostInputs], shaped = 0;
  memset(shapes, 0, sizeof shapes);
  while (status == OK && shaped < inputs) {
    ports[shaped] = shaped;
    status = table.ov_partial_shape_create_static_((int64_t)ranks[shaped], dimensions, &shapes[shaped]);
    dimensions += ranks[shaped];
    if (status == OK) shaped++;
  }

  ov_model_t *model = NULL;
  if (status == OK) status = table.ov_core_read_model_((const ov_core_t *)core, path, NULL, &model);
  if (status == OK) status = table.ov_model_reshape_by_port_indexes_(model, ports, shapes, inputs);
  if (status == OK)
    status = table.ov_core_compile_model_props_(
        (const ov_core_t *)core, model, device, count, properties, (ov_compiled_model_t **)compiled);
  if (model) table.ov_model_free_(model);
  for (size_t i = 0; i < shaped; i++) table.ov_partial_shape_free_(&shapes[i]);
  return status;
}

void CVStreamOpenVINO_freeCompiledModel(CVStreamOpenVINO_CompiledModel *compiled) {
  table.ov_compiled_model_free_((ov_compiled_model_t *)compiled);
}

int CVStreamOpenVINO_portCount(const CVStreamOpenVINO_CompiledModel *compiled, int output, size_t *count) {
  const ov_compiled_model_t *model = (const ov_compiled_model_t *)compiled;
  return output ? table.ov_compiled_model_outputs_size_(model, count)
                : table.ov_compiled_model_inputs_size_(model, count);
}

int CVStreamOpenVINO_describePort(
    const CVStreamOpenVINO_CompiledModel *compiled, int output, size_t index, char *name, size_t nameSize,
    int64_t *dimensions, size_t *rank, CVStreamOpenVINO_Element *element) {
  const ov_compiled_model_t *model = (const ov_compiled_model_t *)compiled;
  ov_output_const_port_t *port = NULL;
  int status = output ? table.ov_compiled_model_output_by_index_(model, index, &port)
                      : table.ov_compiled_model_input_by_index_(model, index, &port);
  if (status != OK) return status;

  char *text = NULL;
  if (table.ov_port_get_any_name_(port, &text) == OK && text) {
    snprintf(name, nameSize, "%s", text);
    table.ov_free_(text);
  } else {
    name[0] = 0;  // a port need not have a name
  }

  ov_element_type_e type = DYNAMIC;
  status = table.ov_port_get_element_type_(port, &type);
  switch (type) {
    case F32: *element = CVStreamOpenVINO_float32; break;
    case F16: *element = CVStreamOpenVINO_float16; break;
    case I32: *element = CVStreamOpenVINO_int32; break;
    case I64: *element = CVStreamOpenVINO_int64; break;
    case U8: *element = CVStreamOpenVINO_uint8; break;
    default: *element = CVStreamOpenVINO_other;
  }

  ov_partial_shape_t shape;
  memset(&shape, 0, sizeof shape);
  if (status == OK) status = table.ov_port_get_partial_shape_(port, &shape);
  if (status == OK) {
    size_t room = *rank, actual = shape.rank.max > 0 ? (size_t)shape.rank.max : 0;
    *rank = actual < room ? actual : room;
    for (size_t i = 0; i < *rank && shape.dims; i++)
      dimensions[i] = shape.dims[i].min == shape.dims[i].max ? shape.dims[i].max : -1;
    table.ov_partial_shape_free_(&shape);
  }
  table.ov_output_const_port_free_(port);
  return status;
}

int CVStreamOpenVINO_createRequest(
    const CVStreamOpenVINO_CompiledModel *compiled, CVStreamOpenVINO_Request **request) {
  return table.ov_compiled_model_create_infer_request_(
      (const ov_compiled_model_t *)compiled, (ov_infer_request_t **)request);
}

void CVStreamOpenVINO_freeRequest(CVStreamOpenVINO_Request *request) {
  table.ov_infer_request_free_((ov_infer_request_t *)request);
}

int CVStreamOpenVINO_tensor(
    const CVStreamOpenVINO_Request *request, int output, size_t index, CVStreamOpenVINO_Tensor **tensor) {
  const ov_infer_request_t *owner = (const ov_infer_request_t *)request;
  return output ? table.ov_infer_request_get_output_tensor_by_index_(owner, index, (ov_tensor_t **)tensor)
                : table.ov_infer_request_get_input_tensor_by_index_(owner, index, (ov_tensor_t **)tensor);
}

void CVStreamOpenVINO_freeTensor(CVStreamOpenVINO_Tensor *tensor) { table.ov_tensor_free_((ov_tensor_t *)tensor); }

int CVStreamOpenVINO_tensorData(const CVStreamOpenVINO_Tensor *tensor, void **data, size_t *elements) {
  const ov_tensor_t *source = (const ov_tensor_t *)tensor;
  int status = table.ov_tensor_get_size_(source, elements);
  return status == OK ? table.ov_tensor_data_(source, data) : status;
}

int CVStreamOpenVINO_tensorShape(const CVStreamOpenVINO_Tensor *tensor, int64_t *dimensions, size_t *rank) {
  ov_shape_t shape;
  int status = table.ov_tensor_get_shape_((const ov_tensor_t *)tensor, &shape);
  if (status != OK) return status;
  size_t room = *rank;
  *rank = (size_t)shape.rank < room ? (size_t)shape.rank : room;
  memcpy(dimensions, shape.dims, *rank * sizeof *dimensions);
  table.ov_shape_free_(&shape);
  return OK;
}

int CVStreamOpenVINO_infer(CVStreamOpenVINO_Request *request) {
  return table.ov_infer_request_infer_((ov_infer_request_t *)request);
}

int CVStreamOpenVINO_start(CVStreamOpenVINO_Request *request) {
  return table.ov_infer_request_start_async_((ov_infer_request_t *)request);
}

int CVStreamOpenVINO_wait(CVStreamOpenVINO_Request *request) {
  return table.ov_infer_request_wait_((ov_infer_request_t *)request);
}
#endif
