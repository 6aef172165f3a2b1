/* device/device.c  Accelerators by OpenCL 1.2: opening a device, buffers, kernels, errors. */
#include "device/opencl.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#ifdef VV_NO_OPENCL
/* Built without OpenCL's headers: there is no device. */

int vv_device_list(vv_device *out, int room)
{
  (void)out, (void)room;
  return 0;
}
vv_status vvi_device_open(vv_ctx *ctx, const char *which, int turn, vvi_device **out)
{
  (void)turn;
  *out = NULL;
  return vvi_fail(ctx, VV_UNSUPPORTED, "device '%s': this visviva was built without OpenCL", which);
}
vvi_device *vvi_device_best(vv_ctx *ctx, int turn)
{
  (void)ctx, (void)turn;
  return NULL;
}
void vvi_device_close(vvi_device *d)
{
  (void)d;
}
const vv_device *vvi_device_about(const vvi_device *d)
{
  return (const vv_device *)d;
}
int64_t vvi_device_local_bytes(const vvi_device *d)
{
  return d != NULL;
}
int vvi_device_most_items(const vvi_device *d)
{
  return d != NULL;
}
const char *vvi_device_trouble(const vvi_device *d)
{
  return (const char *)d;
}
void vvi_device_fail(vvi_device *d, const char *what)
{
  (void)d, (void)what;
}
bool vvi_device_build(vvi_device *d, int registers, int n, const char *const text[])
{
  (void)d, (void)registers, (void)n, (void)text;
  return false;
}
vvi_kernel *vvi_device_kernel(vvi_device *d, const char *name)
{
  (void)d, (void)name;
  return NULL;
}
void vvi_device_launch_from(vvi_device *d, vvi_kernel *k, int64_t first, int64_t groups, int items, int n,
                            const vvi_argument *argument)
{
  (void)d, (void)k, (void)first, (void)groups, (void)items, (void)n, (void)argument;
}
int64_t vvi_device_launches(const vvi_device *d)
{
  return d != NULL;
}
void vvi_device_finish(vvi_device *d)
{
  (void)d;
}
vvi_buffer *vvi_buffer_new(vvi_device *d, size_t bytes, const void *from)
{
  (void)d, (void)bytes, (void)from;
  return NULL;
}
void vvi_buffer_free(vvi_device *d, vvi_buffer *b)
{
  (void)d, (void)b;
}
void vvi_buffer_write(vvi_device *d, vvi_buffer *b, size_t at, size_t bytes, const void *from)
{
  (void)d, (void)b, (void)at, (void)bytes, (void)from;
}
void vvi_buffer_send(vvi_device *d, vvi_buffer *b, size_t at, size_t bytes, const void *from)
{
  (void)d, (void)b, (void)at, (void)bytes, (void)from;
}
void vvi_buffer_read(vvi_device *d, vvi_buffer *b, size_t at, size_t bytes, void *to)
{
  (void)d, (void)b, (void)at, (void)bytes, (void)to;
}
void vvi_buffer_copy(vvi_device *d, vvi_buffer *from, size_t from_at, vvi_buffer *to, size_t to_at, size_t bytes)
{
  (void)d, (void)from, (void)from_at, (void)to, (void)to_at, (void)bytes;
}
int64_t vvi_device_used(const vvi_device *d)
{
  return d != NULL;
}
int64_t vvi_device_moved(const vvi_device *d)
{
  return d != NULL;
}
int64_t vvi_device_waits(const vvi_device *d)
{
  return d != NULL;
}
#else

enum { MOST = 32, PROGRAMS = 32, TROUBLE = 1024 };
enum { MOST_ARGUMENTS = 32, WIDEST = 32 }; /* of a kernel; bytes of one */

/* A device of the list, and what OpenCL calls it. */
typedef struct found {
  vv_device about;
  cl_device_id id;
} found;

struct vvi_kernel {
  cl_kernel kernel;
  vvi_kernel *next;
  struct {
    size_t size;
    char value[WIDEST];
  } given[MOST_ARGUMENTS]; /* what its arguments are: those that stay are not set again */
};
struct vvi_buffer {
  cl_mem memory;
  size_t bytes;
  vvi_buffer *next;
};
struct vvi_device {
  vvi_opencl cl;
  found at;
  cl_context context;
  cl_command_queue queue;
  cl_program program[PROGRAMS];
  int programs;
  vvi_kernel *kernel;
  vvi_buffer *buffer;
  int64_t launches, used, moved, waits;
  int64_t local_bytes;
  int most_items;
  bool failed;
  char trouble[TROUBLE];
};

/* ---- the list ---- */

static void text_of(const vvi_opencl *cl, cl_device_id id, cl_device_info what, size_t size, char *out)
{
  out[0] = '\0';
  if (cl->GetDeviceInfo(id, what, size - 1, out, NULL) != CL_SUCCESS) out[0] = '\0';
  out[size - 1] = '\0';
}

static uint64_t number_of(const vvi_opencl *cl, cl_device_id id, cl_device_info what, size_t size)
{
  union {
    cl_ulong wide;
    cl_uint narrow;
  } value = {0};
  if (cl->GetDeviceInfo(id, what, size, &value, NULL) != CL_SUCCESS) return 0;
  return size == sizeof value.wide ? value.wide : value.narrow;
}

/* Sums and roots must be rounded as on the processor: to nearest, subnormal numbers kept. */
static bool rounds(const vvi_opencl *cl, cl_device_id id)
{
  const cl_device_fp_config need = CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_DENORM;
  return (number_of(cl, id, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof need) & need) == need;
}

static void describe(const vvi_opencl *cl, cl_platform_id platform, cl_device_id id, found *out)
{
  vv_device *d = &out->about;
  out->id = id;
  text_of(cl, id, CL_DEVICE_NAME, sizeof d->name, d->name);
  text_of(cl, id, CL_DRIVER_VERSION, sizeof d->driver, d->driver);
  d->platform[0] = '\0';
  if (cl->GetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof d->platform - 1, d->platform, NULL) != CL_SUCCESS)
    d->platform[0] = '\0';
  d->memory = (int64_t)number_of(cl, id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(cl_ulong));
  d->units = (int32_t)number_of(cl, id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(cl_uint));
  d->accelerator = (number_of(cl, id, CL_DEVICE_TYPE, sizeof(cl_ulong)) & CL_DEVICE_TYPE_CPU) == 0;
  d->doubles = rounds(cl, id);
}

static int list(const vvi_opencl *cl, found out[MOST])
{
  cl_platform_id platform[MOST];
  cl_uint platforms = 0;
  int n = 0;
  if (cl->GetPlatformIDs(MOST, platform, &platforms) != CL_SUCCESS) return 0;
  for (cl_uint i = 0; i < platforms && i < MOST; i++) {
    cl_device_id id[MOST];
    cl_uint devices = 0;
    if (cl->GetDeviceIDs(platform[i], CL_DEVICE_TYPE_ALL, MOST, id, &devices) != CL_SUCCESS) continue;
    for (cl_uint k = 0; k < devices && k < MOST && n < MOST; k++) describe(cl, platform[i], id[k], &out[n++]);
  }
  return n;
}

int vv_device_list(vv_device *out, int room)
{
  vvi_opencl cl;
  found *all = calloc(MOST, sizeof *all);
  int n = 0;
  if (all != NULL && vvi_opencl_open(&cl)) {
    n = list(&cl, all);
    for (int i = 0; i < n && i < room; i++) out[i] = all[i].about;
    vvi_opencl_close(&cl);
  }
  free(all);
  return n;
}

/* ---- trouble ---- */

const char *vvi_device_trouble(const vvi_device *d)
{
  return d->failed ? d->trouble : NULL;
}

static void fail(vvi_device *d, const char *format, ...) VV_PRINTF(2, 3);
static void fail(vvi_device *d, const char *format, ...)
{
  if (d->failed) return;
  va_list list;
  va_start(list, format);
  vsnprintf(d->trouble, sizeof d->trouble, format, list);
  va_end(list);
  d->failed = true;
}

void vvi_device_fail(vvi_device *d, const char *what)
{
  fail(d, "%s", what);
}

static bool good(vvi_device *d, cl_int code, const char *doing)
{
  if (code != CL_SUCCESS) fail(d, "%s: %s", doing, vvi_opencl_error(code));
  return code == CL_SUCCESS;
}

/* ---- open and close ---- */

static bool begin(vvi_device *d)
{
  cl_int code;
  size_t items = 0;
  d->context = d->cl.CreateContext(NULL, 1, &d->at.id, NULL, NULL, &code);
  if (!good(d, code, "no context")) return false;
  d->queue = d->cl.CreateCommandQueue(d->context, d->at.id, 0, &code);
  if (!good(d, code, "no queue")) return false;
  d->local_bytes = (int64_t)number_of(&d->cl, d->at.id, CL_DEVICE_LOCAL_MEM_SIZE, sizeof(cl_ulong));
  if (d->cl.GetDeviceInfo(d->at.id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof items, &items, NULL) == CL_SUCCESS)
    d->most_items = items < 1024 ? (int)items : 1024;
  return true;
}

/* The device `at`, whose library the new one keeps. */
static vvi_device *make(const vvi_opencl *cl, const found *at)
{
  vvi_device *d = calloc(1, sizeof *d);
  if (d == NULL) return NULL;
  d->cl = *cl;
  d->at = *at;
  begin(d);
  return d;
}

static bool contains(const char *text, const char *part)
{
  for (; *text != '\0'; text++) {
    size_t i = 0;
    while (part[i] != '\0' && tolower((unsigned char)text[i]) == tolower((unsigned char)part[i])) i++;
    if (part[i] == '\0') return true;
  }
  return false;
}

/* The place in the list that `which` names; -1: none. */
static int named(const found *all, int n, const char *which, int turn)
{
  char *end;
  int fit[MOST], fits = 0;
  const long number = strtol(which, &end, 10);
  if (end != which && *end == '\0') return number >= 0 && number < n ? (int)number : -1;
  for (int i = 0; i < n; i++)
    if (which[0] != '\0' && contains(all[i].about.name, which)) fit[fits++] = i;
  return fits > 0 ? fit[turn % fits] : -1;
}

static vv_status choose(vv_ctx *ctx, const char *which, int turn, const found *all, int n, int *out)
{
  *out = named(all, n, which, turn);
  if (n == 0) return vvi_fail(ctx, VV_ARG, "device '%s': OpenCL shows no device on this machine", which);
  if (*out < 0)
    return vvi_fail(ctx, VV_ARG, "device '%s': there is none; the first of %d is '%s' (`visviva info` lists them)",
                    which, n, all[0].about.name);
  if (!all[*out].about.doubles)
    return vvi_fail(ctx, VV_UNSUPPORTED,
                    "device '%s' (%s) has no double precision that rounds as the processor does: it cannot be used",
                    which, all[*out].about.name);
  return VV_OK;
}

vv_status vvi_device_open(vv_ctx *ctx, const char *which, int turn, vvi_device **out)
{
  vvi_opencl cl;
  int at;
  *out = NULL;
  if (!vvi_opencl_open(&cl))
    return vvi_fail(ctx, VV_UNSUPPORTED,
                    "device '%s': no OpenCL on this machine (libOpenCL.so.1; Debian: ocl-icd-libopencl1 and a driver)",
                    which);
  found *all = calloc(MOST, sizeof *all);
  const int n = all != NULL ? list(&cl, all) : 0;
  const vv_status status = choose(ctx, which, turn, all, n, &at);
  vvi_device *d = status == VV_OK ? make(&cl, &all[at]) : NULL;
  free(all);
  if (d == NULL) {
    vvi_opencl_close(&cl);
    return status != VV_OK ? status : VV_NOMEM;
  }
  if (d->failed) {
    vvi_fail(ctx, VV_UNSUPPORTED, "device '%s' (%s): %s", which, d->at.about.name, d->trouble);
    vvi_device_close(d);
    return VV_UNSUPPORTED;
  }
  *out = d;
  return VV_OK;
}

vvi_device *vvi_device_best(vv_ctx *ctx, int turn)
{
  vv_device about[MOST];
  char which[16];
  vvi_device *d;
  int fit[MOST], fits = 0;
  const int n = vv_device_list(about, MOST);
  for (int i = 0; i < n && i < MOST; i++)
    if (about[i].accelerator && about[i].doubles) fit[fits++] = i;
  if (fits == 0) return NULL;
  snprintf(which, sizeof which, "%d", fit[turn % fits]);
  return vvi_device_open(ctx, which, turn, &d) == VV_OK ? d : NULL;
}

void vvi_device_close(vvi_device *d)
{
  if (d == NULL) return;
  for (vvi_kernel *k = d->kernel, *next; k != NULL; k = next) {
    next = k->next;
    d->cl.ReleaseKernel(k->kernel);
    free(k);
  }
  for (vvi_buffer *b = d->buffer, *next; b != NULL; b = next) {
    next = b->next;
    d->cl.ReleaseMemObject(b->memory);
    free(b);
  }
  for (int i = 0; i < d->programs; i++) d->cl.ReleaseProgram(d->program[i]);
  if (d->queue != NULL) d->cl.ReleaseCommandQueue(d->queue);
  if (d->context != NULL) d->cl.ReleaseContext(d->context);
  vvi_opencl_close(&d->cl);
  free(d);
}

const vv_device *vvi_device_about(const vvi_device *d)
{
  return &d->at.about;
}

int64_t vvi_device_local_bytes(const vvi_device *d)
{
  return d->local_bytes;
}

int vvi_device_most_items(const vvi_device *d)
{
  return d->most_items;
}

int64_t vvi_device_launches(const vvi_device *d)
{
  return d->launches;
}

int64_t vvi_device_used(const vvi_device *d)
{
  return d->used;
}

int64_t vvi_device_moved(const vvi_device *d)
{
  return d->moved;
}

int64_t vvi_device_waits(const vvi_device *d)
{
  return d->waits;
}

/* ---- programs ---- */

/* The first lines of what the compiler said. */
static void tell_build(vvi_device *d, cl_program program, cl_int code)
{
  char log[512] = "";
  size_t size = 0;
  if (d->cl.GetProgramBuildInfo(program, d->at.id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) == CL_SUCCESS && size > 0) {
    char *all = malloc(size + 1);
    if (all != NULL &&
        d->cl.GetProgramBuildInfo(program, d->at.id, CL_PROGRAM_BUILD_LOG, size, all, NULL) == CL_SUCCESS) {
      all[size] = '\0';
      snprintf(log, sizeof log, "%s", all);
    }
    free(all);
  }
  for (char *c = log; *c != '\0'; c++)
    if (*c == '\n') *c = ' ';
  fail(d, "its compiler does not take the kernels: %s %s", vvi_opencl_error(code), log);
}

bool vvi_device_build(vvi_device *d, int registers, int n, const char *const text[])
{
  cl_int code;
  if (d->programs == PROGRAMS) fail(d, "too many programs");
  if (d->failed) return false;
  cl_program program = d->cl.CreateProgramWithSource(d->context, (cl_uint)n, (const char **)(void *)text, NULL, &code);
  if (!good(d, code, "no program")) return false;
  d->program[d->programs++] = program;
  const char *given = getenv("VISVIVA_OPENCL_OPTIONS");
  char options[512];
  snprintf(options, sizeof options, "-cl-std=CL1.2 %s", given != NULL ? given : "");
  if (given == NULL && registers > 0 && strncmp(d->at.about.platform, "NVIDIA", 6) == 0)
    snprintf(options, sizeof options, "-cl-std=CL1.2 -cl-nv-maxrregcount=%d", registers);
  code = d->cl.BuildProgram(program, 1, &d->at.id, options, NULL, NULL);
  if (code != CL_SUCCESS) tell_build(d, program, code);
  return code == CL_SUCCESS;
}

vvi_kernel *vvi_device_kernel(vvi_device *d, const char *name)
{
  cl_int code = CL_INVALID_KERNEL_NAME;
  cl_kernel made = NULL;
  if (d->failed) return NULL;
  for (int i = d->programs - 1; i >= 0 && code != CL_SUCCESS; i--)
    made = d->cl.CreateKernel(d->program[i], name, &code);
  if (!good(d, code, name)) return NULL;
  vvi_kernel *k = calloc(1, sizeof *k);
  if (k == NULL) {
    d->cl.ReleaseKernel(made);
    fail(d, "out of memory");
    return NULL;
  }
  *k = (vvi_kernel){.kernel = made, .next = d->kernel};
  return d->kernel = k;
}

/* Argument i of a kernel, where it is not what it was. */
static bool give(vvi_device *d, vvi_kernel *k, int i, const vvi_argument *a)
{
  const void *value = a->size == 0 ? (const void *)&((const vvi_buffer *)a->at)->memory : a->at;
  const size_t size = a->size == 0 ? sizeof(cl_mem) : a->size;
  const bool known = i < MOST_ARGUMENTS && size <= WIDEST && value != NULL;
  if (known && k->given[i].size == size && memcmp(k->given[i].value, value, size) == 0) return true;
  if (!good(d, d->cl.SetKernelArg(k->kernel, (cl_uint)i, size, value), "an argument was refused")) return false;
  if (known) k->given[i].size = size, memcpy(k->given[i].value, value, size);
  return true;
}

void vvi_device_launch_from(vvi_device *d, vvi_kernel *k, int64_t first, int64_t groups, int items, int n,
                            const vvi_argument *argument)
{
  const size_t local = (size_t)items, global = local * (size_t)groups, offset = (size_t)first;
  if (d->failed || groups <= 0) return;
  for (int i = 0; i < n; i++)
    if (!give(d, k, i, &argument[i])) return;
  d->launches++;
  good(d, d->cl.EnqueueNDRangeKernel(d->queue, k->kernel, 1, &offset, &global, &local, 0, NULL, NULL),
       "a kernel failed");
}

void vvi_device_finish(vvi_device *d)
{
  d->waits++;
  if (!d->failed) good(d, d->cl.Finish(d->queue), "it stopped");
}

/* ---- memory ---- */

static bool clear(vvi_device *d, cl_mem memory, size_t bytes)
{
  enum { PIECE = 1 << 22 };
  char *zero = calloc(1, bytes < PIECE ? bytes : PIECE);
  cl_int code = zero != NULL ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
  for (size_t at = 0; at < bytes && code == CL_SUCCESS; at += PIECE)
    code = d->cl.EnqueueWriteBuffer(d->queue, memory, CL_TRUE, at, bytes - at < PIECE ? bytes - at : PIECE, zero, 0,
                                    NULL, NULL);
  free(zero);
  return good(d, code, "no memory");
}

vvi_buffer *vvi_buffer_new(vvi_device *d, size_t bytes, const void *from)
{
  const size_t size = bytes > 0 ? bytes : 1;
  cl_int code;
  if (d->failed) return NULL;
  vvi_buffer *b = calloc(1, sizeof *b);
  if (b == NULL) {
    fail(d, "out of memory");
    return NULL;
  }
  b->memory = d->cl.CreateBuffer(d->context, CL_MEM_READ_WRITE, size, NULL, &code);
  if (code != CL_SUCCESS) {
    fail(d, "no room for %.3g MB beside %.3g MB of its %.3g MB: %s", (double)size / 1e6, (double)d->used / 1e6,
         (double)d->at.about.memory / 1e6, vvi_opencl_error(code));
    free(b);
    return NULL;
  }
  b->bytes = size, b->next = d->buffer;
  d->buffer = b;
  d->used += (int64_t)size;
  if (from != NULL && bytes > 0)
    vvi_buffer_write(d, b, 0, bytes, from);
  else
    clear(d, b->memory, size);
  return b;
}

void vvi_buffer_free(vvi_device *d, vvi_buffer *b)
{
  vvi_buffer **at = &d->buffer;
  while (*at != NULL && *at != b) at = &(*at)->next;
  if (b == NULL || *at == NULL) return;
  *at = b->next;
  for (vvi_kernel *k = d->kernel; k != NULL; k = k->next) memset(k->given, 0, sizeof k->given); /* names come again */
  d->used -= (int64_t)b->bytes;
  d->cl.ReleaseMemObject(b->memory);
  free(b);
}

static void write_to(vvi_device *d, vvi_buffer *b, cl_bool waits, size_t at, size_t bytes, const void *from)
{
  if (d->failed || bytes == 0) return;
  d->moved += (int64_t)bytes, d->waits += waits == CL_TRUE;
  good(d, d->cl.EnqueueWriteBuffer(d->queue, b->memory, waits, at, bytes, from, 0, NULL, NULL), "writing to it failed");
}

void vvi_buffer_write(vvi_device *d, vvi_buffer *b, size_t at, size_t bytes, const void *from)
{
  write_to(d, b, CL_TRUE, at, bytes, from);
}

void vvi_buffer_send(vvi_device *d, vvi_buffer *b, size_t at, size_t bytes, const void *from)
{
  write_to(d, b, CL_FALSE, at, bytes, from);
}

void vvi_buffer_read(vvi_device *d, vvi_buffer *b, size_t at, size_t bytes, void *to)
{
  if (d->failed || bytes == 0) return;
  d->moved += (int64_t)bytes, d->waits++;
  good(d, d->cl.EnqueueReadBuffer(d->queue, b->memory, CL_TRUE, at, bytes, to, 0, NULL, NULL),
       "reading from it failed");
}

void vvi_buffer_copy(vvi_device *d, vvi_buffer *from, size_t from_at, vvi_buffer *to, size_t to_at, size_t bytes)
{
  if (d->failed || bytes == 0) return;
  good(d, d->cl.EnqueueCopyBuffer(d->queue, from->memory, to->memory, from_at, to_at, bytes, 0, NULL, NULL),
       "copying failed");
}
#endif
