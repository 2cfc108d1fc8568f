#include "CVStreamLibAVDevice.h"

#include <dlfcn.h>
#include <libavdevice/version.h>
#include <pthread.h>
#include <stddef.h>

#define TEXT(x) #x
#define LIBRARY(major) "libavdevice.so." TEXT(major)

const int CVStreamLibAV_deviceMajor = LIBAVDEVICE_VERSION_MAJOR;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int isLoaded;

static void load(void) {
  void *library = dlopen(LIBRARY(LIBAVDEVICE_VERSION_MAJOR), RTLD_NOW | RTLD_LOCAL);
  void (*registerAll)(void) = library ? (void (*)(void))dlsym(library, "avdevice_register_all") : NULL;
  if (!registerAll) return;
  registerAll();
  isLoaded = 1;
}

int CVStreamLibAV_loadDevices(void) {
  pthread_once(&once, load);
  return isLoaded ? 0 : -1;
}
