/* device/opencl.c  The OpenCL loader, found at run time. */
#include "device/opencl.h"

#ifndef VV_NO_OPENCL
#include <dlfcn.h>
#include <stdlib.h>

static void *find(void *handle, const char *name)
{
  return handle != NULL ? dlsym(handle, name) : NULL;
}

static bool complete(vvi_opencl *cl)
{
  bool all = true;
#define FIND(name) all = (*(void **)(void *)&cl->name = find(cl->handle, "cl" #name)) != NULL && all;
  VVI_OPENCL_LIST(FIND)
#undef FIND
  return all;
}

bool vvi_opencl_open(vvi_opencl *cl)
{
  const char *given = getenv("VISVIVA_OPENCL");
  const char *const name[] = {
#ifdef __APPLE__
      "/System/Library/Frameworks/OpenCL.framework/OpenCL",
#endif
      "libOpenCL.so.1", "libOpenCL.so"};
  *cl = (vvi_opencl){.handle = NULL};
  if (given != NULL && given[0] != '\0')
    cl->handle = dlopen(given, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  else
    for (int i = 0; i < VV_COUNT(name) && cl->handle == NULL; i++)
      cl->handle = dlopen(name[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (cl->handle != NULL && complete(cl)) return true;
  vvi_opencl_close(cl);
  return false;
}

void vvi_opencl_close(vvi_opencl *cl)
{
  if (cl->handle != NULL) dlclose(cl->handle);
  cl->handle = NULL;
}

const char *vvi_opencl_error(cl_int code)
{
  switch (code) {
#define NAME(word) \
  case CL_##word:  \
    return #word
    NAME(DEVICE_NOT_FOUND);
    NAME(DEVICE_NOT_AVAILABLE);
    NAME(COMPILER_NOT_AVAILABLE);
    NAME(MEM_OBJECT_ALLOCATION_FAILURE);
    NAME(OUT_OF_RESOURCES);
    NAME(OUT_OF_HOST_MEMORY);
    NAME(BUILD_PROGRAM_FAILURE);
    NAME(INVALID_VALUE);
    NAME(INVALID_PLATFORM);
    NAME(INVALID_DEVICE);
    NAME(INVALID_CONTEXT);
    NAME(INVALID_COMMAND_QUEUE);
    NAME(INVALID_MEM_OBJECT);
    NAME(INVALID_PROGRAM);
    NAME(INVALID_PROGRAM_EXECUTABLE);
    NAME(INVALID_KERNEL_NAME);
    NAME(INVALID_KERNEL);
    NAME(INVALID_ARG_INDEX);
    NAME(INVALID_ARG_VALUE);
    NAME(INVALID_ARG_SIZE);
    NAME(INVALID_KERNEL_ARGS);
    NAME(INVALID_WORK_GROUP_SIZE);
    NAME(INVALID_WORK_ITEM_SIZE);
    NAME(INVALID_BUFFER_SIZE);
#undef NAME
  case -1001:
    return "PLATFORM_NOT_FOUND"; /* of the loader: no driver is installed */
  case -9999:
    return "-9999 (the device stopped: an illegal access, or the driver gave up)"; /* NVIDIA's */
  default:
    return "an unknown error";
  }
}
#endif
