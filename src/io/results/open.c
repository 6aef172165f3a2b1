/* io/results/open.c  Frames of a result folder for programs: the public face of read.h. */
#include "io/results/read.h"
#include "visviva/results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct vv_frames {
  vvi_arena arena;
  vvi_run run;
};

enum { OBJECT_TEXT = 512 };

vv_status vv_frames_open(vv_ctx *ctx, const char *folder, vv_frames **out)
{
  *out = NULL;
  if (ctx == NULL || folder == NULL) return VV_ARG;
  vv_frames *f = calloc(1, sizeof *f);
  if (f == NULL) return VV_NOMEM;
  const vv_status status = vvi_run_open(ctx, &f->arena, folder, &f->run);
  if (status == VV_OK) {
    *out = f;
    return VV_OK;
  }
  vvi_arena_free(&f->arena);
  free(f);
  return status;
}

void vv_frames_close(vv_frames *f)
{
  if (f == NULL) return;
  (void)!vvi_run_close(&f->run); /* nothing was written */
  vvi_arena_free(&f->arena);
  free(f);
}

int64_t vv_frames_count(const vv_frames *f)
{
  return f->run.frames;
}

const double *vv_frames_time(const vv_frames *f)
{
  return f->run.time;
}

const int64_t *vv_frames_step(const vv_frames *f)
{
  return f->run.step;
}

int vv_frames_bodies(const vv_frames *f)
{
  return f->run.n_body;
}

const char *vv_frames_body(const vv_frames *f, int body)
{
  return body >= 0 && body < f->run.n_body ? f->run.body[body] : NULL;
}

/* Tables without a dimension for frames. */
static bool is_constant(const char *name)
{
  return strcmp(name, "elements") == 0 || strncmp(name, "skin_", 5) == 0 || strcmp(name, "contact_extent") == 0;
}

int64_t vv_frames_size(vv_frames *f, int body, const char *field, int *components)
{
  int64_t count = 0;
  int of_each = 0;
  if (vv_frames_body(f, body) != NULL && field != NULL && !is_constant(field))
    vvi_run_shape(&f->run, body, field, &count, &of_each);
  if (components != NULL) *components = count > 0 ? of_each : 0;
  return count;
}

vv_status vv_frames_read(vv_frames *f, int body, const char *field, int64_t first, int64_t n, double *out)
{
  vv_ctx *ctx = f->run.h5.ctx;
  const int64_t count = vv_frames_size(f, body, field, NULL);
  if (count == 0)
    return vvi_fail(ctx, VV_ARG, "%s: body %d has no field '%.60s'", f->run.h5.path, body, field != NULL ? field : "");
  if (first < 0 || n < 0 || n > f->run.frames - first)
    return vvi_fail(ctx, VV_ARG, "%s: there are %lld frames; %lld from %lld on were asked for", f->run.h5.path,
                    (long long)f->run.frames, (long long)n, (long long)first);
  return n > 0 ? vvi_run_read(&f->run, body, field, first, n, 0, count, out) : VV_OK;
}

size_t vv_frames_fields(vv_frames *f, int body, char *out, size_t size)
{
  char object[OBJECT_TEXT];
  vvi_arena arena = {0};
  char **name;
  int n;
  size_t used = 0;
  if (size > 0) out[0] = '\0';
  if (vv_frames_body(f, body) == NULL) return 0;
  snprintf(object, sizeof object, "/bodies/%.240s", f->run.body[body]);
  if (vvi_h5_names(&f->run.h5, object, &arena, &n, &name) == VV_OK)
    for (int i = 0; i < n; i++) {
      if (used < size) snprintf(out + used, size - used, "%s%s", i > 0 ? "\n" : "", name[i]);
      used += strlen(name[i]) + (i > 0);
    }
  vvi_arena_free(&arena);
  return used;
}

int64_t vv_frames_table(vv_frames *f, int body, const char *name, int *columns, double *out)
{
  char object[OBJECT_TEXT];
  int64_t dims[VVI_H5_RANK];
  int rank = 0;
  *columns = 0;
  if (vv_frames_body(f, body) == NULL || name == NULL) return 0;
  snprintf(object, sizeof object, "/bodies/%.240s/%.200s", f->run.body[body], name);
  if (!vvi_h5_has(&f->run.h5, object) || vvi_h5_shape(&f->run.h5, object, &rank, dims) != VV_OK || rank != 2) return 0;
  *columns = (int)dims[1];
  const int64_t count = dims[0] * dims[1];
  if (out != NULL && vvi_h5_read(&f->run.h5, object, VVI_H5_DOUBLE, count, out) != VV_OK) return 0;
  return dims[0];
}
