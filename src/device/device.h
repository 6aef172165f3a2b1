/* device/device.h  Accelerators, by OpenCL 1.2.
 *
 * The OpenCL loader is looked for at run time, so a program runs as well where there is none.  A device is opened by one
 * simulation and works in order: what is queued first is done first, and reading a buffer waits for all before it.
 *
 * Trouble (a lost device, no memory) is kept: after the first failure every call does nothing, and who drives the device asks
 * once in a while.  So kinds can queue their kernels without a look at each answer. */
#pragma once
#include "base/base.h"

typedef struct vvi_device vvi_device;
typedef struct vvi_kernel vvi_kernel;
typedef struct vvi_buffer vvi_buffer;

/* Opens the device that `which` names: a number in the list of vv_device_list, or a part of a name.  Refused with a message
 * where there is none, or where it has no double precision.  turn: of several that have the name each process of a machine takes
 * another one, in turn; 0: the first. */
vv_status vvi_device_open(vv_ctx *ctx, const char *which, int turn, vvi_device **out);
/* A GPU or accelerator with double precision, in turn as above; NULL and no message: there is none. */
vvi_device *vvi_device_best(vv_ctx *ctx, int turn);
void vvi_device_close(vvi_device *d); /* and all that it made */
const vv_device *vvi_device_about(const vvi_device *d);
int64_t vvi_device_local_bytes(const vvi_device *d); /* that a group of work-items may share */
int vvi_device_most_items(const vvi_device *d);      /* of a group */

/* What went wrong first; NULL: nothing. */
const char *vvi_device_trouble(const vvi_device *d);
/* Something went wrong that the device did not see. */
void vvi_device_fail(vvi_device *d, const char *what);

/* ---- programs ---- */

/* Builds a program of several texts, one behind the other.  registers: that an item may have at most, where the compiler takes
 * such a hint; 0: none. */
bool vvi_device_build(vvi_device *d, int registers, int n, const char *const text[]);
/* A kernel of the programs that were built, the last one first. */
vvi_kernel *vvi_device_kernel(vvi_device *d, const char *name);

/* An argument of a kernel: a buffer, a number, or so many bytes of local memory. */
typedef struct vvi_argument {
  size_t size;
  const void *at; /* NULL: local memory */
} vvi_argument;
#define VVI_BUFFER(b)    ((vvi_argument){.size = 0, .at = (b)})
#define VVI_NUMBER(x)    ((vvi_argument){.size = sizeof(x), .at = &(x)})
#define VVI_LOCAL(bytes) ((vvi_argument){.size = (bytes), .at = NULL})
#define VVI_ARGUMENTS(...)                                                              \
  (int)(sizeof((vvi_argument[]){__VA_ARGS__}) / sizeof(vvi_argument)), (vvi_argument[]) \
  {                                                                                     \
    __VA_ARGS__                                                                         \
  }
/* Three numbers as kernels take them. */
typedef struct vvi_double4 {
  double x[4];
} vvi_double4;
static inline vvi_double4 vvi_double4_of(const double x[3])
{
  return (vvi_double4){{x[0], x[1], x[2], 0.0}};
}
/* Columns of so many numbers; some kernels address 16 of them by 32 bits. */
static inline void vvi_device_addresses(vvi_device *d, int64_t column)
{
  if (column > INT32_MAX / 16) vvi_device_fail(d, "too many nodes for it");
}
/* Queues groups of so many items each; the number of the first item. */
void vvi_device_launch_from(vvi_device *d, vvi_kernel *k, int64_t first, int64_t groups, int items, int n,
                            const vvi_argument *argument);
static inline void vvi_device_launch(vvi_device *d, vvi_kernel *k, int64_t groups, int items, int n,
                                     const vvi_argument *argument)
{
  vvi_device_launch_from(d, k, 0, groups, items, n, argument);
}
/* The same for items `first` to end - 1 that do not know of each other. */
static inline void vvi_device_some(vvi_device *d, vvi_kernel *k, int64_t first, int64_t end, int arguments,
                                   const vvi_argument *argument)
{
  enum { ITEMS_OF_GROUP = 128 }; /* four warps: any number of them is as good for what only reads and writes */
  vvi_device_launch_from(d, k, first, (end - first + ITEMS_OF_GROUP - 1) / ITEMS_OF_GROUP, ITEMS_OF_GROUP, arguments,
                         argument);
}
static inline void vvi_device_each(vvi_device *d, vvi_kernel *k, int64_t n, int arguments, const vvi_argument *argument)
{
  vvi_device_some(d, k, 0, n, arguments, argument);
}
int64_t vvi_device_launches(const vvi_device *d); /* so far */
void vvi_device_finish(vvi_device *d);            /* waits */

/* ---- memory ---- */

/* Room for so many bytes (none: a byte), filled from `from`, or with zeros where it is NULL. */
vvi_buffer *vvi_buffer_new(vvi_device *d, size_t bytes, const void *from);
void vvi_buffer_free(vvi_device *d, vvi_buffer *b); /* NULL: nothing */
void vvi_buffer_write(vvi_device *d, vvi_buffer *b, size_t at, size_t bytes, const void *from);
void vvi_buffer_read(vvi_device *d, vvi_buffer *b, size_t at, size_t bytes, void *to); /* waits */
/* As write, without waiting for what is queued: `from` stays as it is until something is read. */
void vvi_buffer_send(vvi_device *d, vvi_buffer *b, size_t at, size_t bytes, const void *from);
/* On the device, from one to another. */
void vvi_buffer_copy(vvi_device *d, vvi_buffer *from, size_t from_at, vvi_buffer *to, size_t to_at, size_t bytes);
int64_t vvi_device_used(const vvi_device *d);  /* bytes of all its buffers */
int64_t vvi_device_moved(const vvi_device *d); /* bytes that went up or came down so far */
int64_t vvi_device_waits(const vvi_device *d); /* how often the processor has waited for it so far */
