/* tests/device/fake/opencl.c  Stands in front of OpenCL's loader and lets a device fail as VISVIVA_FAKE says:
 *   single        it has no double precision
 *   memory:BYTES  there is no room beyond so many bytes
 *   lost:N        after N kernels nothing works any more
 *   compiler      its compiler refuses everything
 *   local:BYTES   groups of items share no more memory than that
 * What is not here comes from the loader, which this library is linked to. */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static long kernels;
static size_t taken;

static const char *fault(const char *name)
{
  const char *word = getenv("VISVIVA_FAKE");
  return word != NULL && strncmp(word, name, strlen(name)) == 0 ? word + strlen(name) : NULL;
}

static int lost(void)
{
  const char *after = fault("lost:");
  return after != NULL && kernels > atol(after);
}

#define REAL(name)        \
  __typeof__(name) *real; \
  *(void **)(void *)&real = dlsym(RTLD_NEXT, #name)

cl_int clGetDeviceInfo(cl_device_id d, cl_device_info what, size_t size, void *to, size_t *got)
{
  REAL(clGetDeviceInfo);
  const cl_int code = real(d, what, size, to, got);
  if (what == CL_DEVICE_LOCAL_MEM_SIZE && fault("local:") != NULL && to != NULL)
    *(cl_ulong *)to = (cl_ulong)atol(fault("local:"));
  if (what == CL_DEVICE_DOUBLE_FP_CONFIG && fault("single") != NULL && to != NULL) memset(to, 0, size);
  return code;
}

cl_context clCreateContext(const cl_context_properties *p, cl_uint n, const cl_device_id *d,
                           void (*tell)(const char *, const void *, size_t, void *), void *user, cl_int *code)
{
  REAL(clCreateContext);
  kernels = 0, taken = 0;
  return real(p, n, d, tell, user, code);
}

cl_int clBuildProgram(cl_program p, cl_uint n, const cl_device_id *d, const char *options,
                      void (*tell)(cl_program, void *), void *user)
{
  REAL(clBuildProgram);
  return fault("compiler") != NULL ? CL_BUILD_PROGRAM_FAILURE : real(p, n, d, options, tell, user);
}

cl_mem clCreateBuffer(cl_context c, cl_mem_flags flags, size_t size, void *host, cl_int *code)
{
  REAL(clCreateBuffer);
  const char *room = fault("memory:");
  taken += size;
  if (room == NULL || taken <= (size_t)atol(room)) return real(c, flags, size, host, code);
  *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
  return NULL;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue q, cl_kernel k, cl_uint n, const size_t *offset, const size_t *global,
                              const size_t *local, cl_uint waits, const cl_event *wait, cl_event *out)
{
  REAL(clEnqueueNDRangeKernel);
  kernels++;
  return lost() ? CL_OUT_OF_RESOURCES : real(q, k, n, offset, global, local, waits, wait, out);
}

cl_int clEnqueueReadBuffer(cl_command_queue q, cl_mem m, cl_bool blocks, size_t at, size_t size, void *to,
                           cl_uint waits, const cl_event *wait, cl_event *out)
{
  REAL(clEnqueueReadBuffer);
  return lost() ? CL_OUT_OF_RESOURCES : real(q, m, blocks, at, size, to, waits, wait, out);
}

cl_int clFinish(cl_command_queue q)
{
  REAL(clFinish);
  return lost() ? CL_OUT_OF_RESOURCES : real(q);
}
