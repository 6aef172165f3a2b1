/* device/opencl.h  The functions of OpenCL that are used, found at run time.  Inside this room only. */
#pragma once
#include "device/device.h"

#ifndef VV_NO_OPENCL
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#define VVI_OPENCL_LIST(X)   \
  X(GetPlatformIDs)          \
  X(GetPlatformInfo)         \
  X(GetDeviceIDs)            \
  X(GetDeviceInfo)           \
  X(CreateContext)           \
  X(ReleaseContext)          \
  X(CreateCommandQueue)      \
  X(ReleaseCommandQueue)     \
  X(CreateProgramWithSource) \
  X(BuildProgram)            \
  X(GetProgramBuildInfo)     \
  X(ReleaseProgram)          \
  X(CreateKernel)            \
  X(ReleaseKernel)           \
  X(SetKernelArg)            \
  X(CreateBuffer)            \
  X(ReleaseMemObject)        \
  X(EnqueueWriteBuffer)      \
  X(EnqueueReadBuffer)       \
  X(EnqueueCopyBuffer)       \
  X(EnqueueNDRangeKernel)    \
  X(Finish)

typedef struct vvi_opencl {
  void *handle; /* of the library */
#define VVI_OPENCL_FIELD(name) __typeof__(cl##name) *name;
  VVI_OPENCL_LIST(VVI_OPENCL_FIELD)
#undef VVI_OPENCL_FIELD
} vvi_opencl;

/* Finds the loader; false: there is none.  VISVIVA_OPENCL names another library. */
bool vvi_opencl_open(vvi_opencl *cl);
void vvi_opencl_close(vvi_opencl *cl);
/* Its name without CL_. */
const char *vvi_opencl_error(cl_int code);
#endif
