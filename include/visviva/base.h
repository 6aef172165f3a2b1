/* visviva/base.h  tier: use.  Status, context, messages.  Depends on the C library only.
 *
 * Three kinds of trouble:
 *   the caller's mistake   -> a vv_status, and one message or more waiting in the context;
 *   nature's answer        -> a vv_report (see sim.h): the run stopped, and why;
 *   our own mistake        -> VV_ASSERT in debug builds.
 * The library never prints, never exits and keeps no global state: everything hangs on a vv_ctx. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define VV_API                 __attribute__((visibility("default")))
#define VV_NODISCARD           __attribute__((warn_unused_result))
#define VV_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define VV_API
#define VV_NODISCARD
#define VV_PRINTF(text, first)
#endif

#define VV_VERSION_MAJOR 0
#define VV_VERSION_MINOR 1
#define VV_VERSION_PATCH 0
#define VV_VERSION       "0.1.0"

/* One list, many uses: enum and text. */
#define VV_STATUS_LIST(X)                          \
  X(OK, "success")                                 \
  X(ARG, "argument out of its domain")             \
  X(SCENE, "scene rejected")                       \
  X(NOMEM, "out of memory")                        \
  X(IO, "file not read or written")                \
  X(UNSUPPORTED, "these parts cannot be combined") \
  X(STOPPED, "the run stopped before its end")     \
  X(INTERNAL, "bug in visviva")
#define VV_STATUS_ENUM(name, text) VV_##name,
typedef enum vv_status { VV_STATUS_LIST(VV_STATUS_ENUM) VV_STATUS_COUNT } vv_status;

VV_API const char *vv_status_text(vv_status status);
VV_API const char *vv_version(void);

/* For "did you mean": how many slips make the wrong word of the known one (a letter too many, missing or wrong, or two
 * neighbours swapped); -1: more than a word of this length is likely to have. */
VV_API int vv_text_slips(const char *wrong, const char *known);

/* The context: catalog of kinds, number of threads, messages.  One per thread of the caller. */
typedef struct vv_ctx vv_ctx;
struct vv_catalog;
typedef struct vv_ctx_def {
  const struct vv_catalog *catalog; /* NULL: the built-in catalog */
  int threads;                      /* up to 1024; 0: as many as help, up to OMP_NUM_THREADS or all cores */
  int cookie;                       /* set by vv_ctx_default */
  const char
      *device; /* an accelerator (docs/accelerators.md): its number in vv_device_list or a part of its name; "auto": one
                         that is worth it, if there is one; "cpu" or NULL: none */
} vv_ctx_def;

VV_API vv_ctx_def vv_ctx_default(void);
VV_API VV_NODISCARD vv_status vv_ctx_create(const vv_ctx_def *def, vv_ctx **out);
VV_API void vv_ctx_destroy(vv_ctx *ctx);
VV_API int vv_ctx_threads(const vv_ctx *ctx);
VV_API const char *vv_ctx_device(const vv_ctx *ctx); /* as given; "cpu": none */

/* A device that OpenCL shows: a GPU, another accelerator, or this processor as OpenCL sees it. */
typedef struct vv_device {
  char name[128], platform[64], driver[64];
  int64_t memory;   /* bytes */
  int32_t units;    /* compute units */
  bool accelerator; /* not a processor */
  bool doubles;     /* it has double precision and rounds as IEEE 754 says: others cannot be used */
} vv_device;
VV_API int vv_device_list(vv_device *out, int room); /* fills up to room of them; returns how many there are */

/* Messages, oldest first, each one line without a newline.  A scene message reads
 * "file.yaml:12:5: bodies.left.material: unknown key 'yung'; did you mean 'young'?". */
VV_API int vv_ctx_message_count(const vv_ctx *ctx);
VV_API const char *vv_ctx_message(const vv_ctx *ctx, int i);
VV_API void vv_ctx_messages_clear(vv_ctx *ctx);
/* Writes all messages to a stream of the caller, one a line, and clears them; returns how many there were. */
VV_API int vv_ctx_report(vv_ctx *ctx, FILE *stream);

#ifdef __cplusplus
}
#endif
