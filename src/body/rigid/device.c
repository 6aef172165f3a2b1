/* body/rigid/device.c  Rigid bodies on an accelerator: an item each.  Totals and what is booked come from the processor. */
#include "device/device.h"
#include "body/rigid/rigid.h"

#include <stdlib.h>
#include <string.h>

extern const char vvi_text_rigid_common[], vvi_text_rigid_vec3[], vvi_text_rigid_so3[], vvi_text_rigid_spin[],
    vvi_text_rigid_columns[], vvi_text_rigid_turn[], vvi_text_rigid_formulas[], vvi_text_rigid_flight[],
    vvi_text_rigid_load[], vvi_text_rigid_rigid[];

typedef struct rigid_device {
  const vv_block *b;
  vvi_device *d;
  vvi_kernel *drift, *kick;
  vvi_buffer *kind, *body_of, *real, *load, *load_value, *load_size, *q, *p;
  int32_t nodes, stride, column, loads;
  vvi_double4 gravity;
  double *size; /* [loads] of their histories */
} rigid_device;

/* ---- open and close ---- */

static void send_bodies(rigid_device *s)
{
  const vv_block *b = s->b;
  int32_t *kind = calloc((size_t)(2 * b->nodes + 1), sizeof *kind), *body_of = kind + b->nodes;
  if (kind == NULL) vvi_device_fail(s->d, "out of memory");
  for (int32_t j = 0; kind != NULL && j < b->n_body; j++)
    for (int64_t i = b->body[j]->node0; i < b->body[j]->node0 + b->body[j]->n_node; i++)
      kind[i] = (int32_t)rigid_of(b, j)->kind, body_of[i] = j;
  s->kind = vvi_buffer_new(s->d, sizeof *kind * (size_t)b->nodes, kind);
  s->body_of = vvi_buffer_new(s->d, sizeof *kind * (size_t)b->nodes, body_of);
  free(kind);
}

static void send_loads(rigid_device *s)
{
  const vv_block *b = s->b;
  int32_t *word = calloc((size_t)(RIGID_LOAD_INTS * b->n_load + 1), sizeof *word);
  double *value = calloc((size_t)(RIGID_LOAD_REALS * b->n_load + 1), sizeof *value);
  s->size = calloc((size_t)b->n_load + 1, sizeof *s->size);
  if (word == NULL || value == NULL || s->size == NULL) vvi_device_fail(s->d, "out of memory");
  for (int32_t i = 0; vvi_device_trouble(s->d) == NULL && i < b->n_load; i++) {
    const vv_load *l = &b->load[i];
    int32_t *to = word + RIGID_LOAD_INTS * i;
    to[RIGID_LOAD_BODY] = l->body, to[RIGID_LOAD_NODE] = l->node, to[RIGID_LOAD_FOLLOWER] = l->follower;
    memcpy(value + RIGID_LOAD_REALS * i, l->value, sizeof l->value);
    memcpy(value + RIGID_LOAD_REALS * i + 6, l->at, sizeof l->at);
  }
  s->load = vvi_buffer_new(s->d, sizeof *word * (size_t)(RIGID_LOAD_INTS * b->n_load), word);
  s->load_value = vvi_buffer_new(s->d, sizeof *value * (size_t)(RIGID_LOAD_REALS * b->n_load), value);
  s->load_size = vvi_buffer_new(s->d, sizeof *value * (size_t)b->n_load, NULL);
  free(word), free(value);
}

static void *device_open(const vv_block *b, struct vvi_device *d)
{
  static const char *const text[] = {vvi_text_rigid_common,   vvi_text_rigid_vec3,    vvi_text_rigid_so3,
                                     vvi_text_rigid_spin,     vvi_text_rigid_columns, vvi_text_rigid_turn,
                                     vvi_text_rigid_formulas, vvi_text_rigid_flight,  vvi_text_rigid_load,
                                     vvi_text_rigid_rigid};
  rigid_device *s = calloc(1, sizeof *s);
  if (s == NULL) return NULL;
  *s = (rigid_device){.b = b,
                      .d = d,
                      .nodes = (int32_t)b->nodes,
                      .stride = (int32_t)b->stride,
                      .column = (int32_t)b->column,
                      .loads = b->n_load,
                      .gravity = vvi_double4_of(b->gravity)};
  vvi_device_addresses(d, b->stride), vvi_device_addresses(d, b->column);
  send_bodies(s), send_loads(s);
  s->real = vvi_buffer_new(d, sizeof(double) * (size_t)(RIGID_NODE_COLUMNS * b->stride), b->node_real);
  s->q = vvi_buffer_new(d, sizeof(double) * (size_t)(RIGID_Q * b->column), NULL);
  s->p = vvi_buffer_new(d, sizeof(double) * (size_t)(RIGID_NODE_P * b->column), NULL);
  vvi_device_build(d, 0, VV_COUNT(text), text);
  s->drift = vvi_device_kernel(d, "drift"), s->kick = vvi_device_kernel(d, "kick");
  return s;
}

static void device_close(void *own)
{
  free(((rigid_device *)own)->size);
  free(own); /* buffers go with the device */
}

static const char *device_refuse(const vv_block *b)
{
  return b->viscous ? "rigid bodies with drag" : NULL;
}

/* ---- what the table asks for ---- */

static void device_up(void *own, const double *q, const double *p)
{
  rigid_device *s = own;
  if (q != NULL) vvi_buffer_write(s->d, s->q, 0, sizeof *q * (size_t)(RIGID_Q * s->b->column), q);
  if (p != NULL) vvi_buffer_write(s->d, s->p, 0, sizeof *p * (size_t)(RIGID_NODE_P * s->b->column), p);
}

static void device_down(void *own, double *q, double *p)
{
  rigid_device *s = own;
  if (q != NULL) vvi_buffer_read(s->d, s->q, 0, sizeof *q * (size_t)(RIGID_Q * s->b->column), q);
  if (p != NULL) vvi_buffer_read(s->d, s->p, 0, sizeof *p * (size_t)(RIGID_NODE_P * s->b->column), p);
}

static void launch_kick(rigid_device *s, double t, double h, int32_t from_nothing)
{
  const vv_block *b = s->b;
  for (int32_t i = 0; i < b->n_load; i++) s->size[i] = vv_history_at(&b->load[i].history, t);
  vvi_buffer_write(s->d, s->load_size, 0, sizeof *s->size * (size_t)b->n_load, s->size);
  vvi_device_each(s->d, s->kick, s->nodes,
                  VVI_ARGUMENTS(VVI_NUMBER(s->nodes), VVI_BUFFER(s->body_of), VVI_BUFFER(s->real),
                                VVI_NUMBER(s->stride), VVI_NUMBER(s->column), VVI_NUMBER(s->gravity), VVI_NUMBER(h),
                                VVI_NUMBER(s->loads), VVI_BUFFER(s->load), VVI_BUFFER(s->load_value),
                                VVI_BUFFER(s->load_size), VVI_NUMBER(from_nothing), VVI_BUFFER(s->q),
                                VVI_BUFFER(s->p)));
}

/* Without loads and gravity nothing kicks. */
static void device_kick(void *own, double t, double h)
{
  rigid_device *s = own;
  if (s->b->booked) launch_kick(s, t, h, 0);
}

static void device_drift(void *own, double h)
{
  rigid_device *s = own;
  vvi_device_each(s->d, s->drift, s->nodes,
                  VVI_ARGUMENTS(VVI_NUMBER(s->nodes), VVI_BUFFER(s->kind), VVI_BUFFER(s->real), VVI_NUMBER(s->stride),
                                VVI_NUMBER(s->column), VVI_NUMBER(h), VVI_BUFFER(s->q), VVI_BUFFER(s->p)));
}

static void device_leap(void *own, double t, double h)
{
  device_kick(own, t, 0.5 * h);
  device_drift(own, h);
}

static void device_force(void *own, double t, const double *q, double *f)
{
  rigid_device *s = own;
  device_up(s, q, NULL);
  launch_kick(s, t, 1.0, 1);
  device_down(s, NULL, f);
}

const vv_device_table rigid_device_table = {
    .refuse = device_refuse,
    .open = device_open,
    .close = device_close,
    .up = device_up,
    .down = device_down,
    .kick = device_kick,
    .drift = device_drift,
    .leap = device_leap,
    .stride = device_drift,
    .force = device_force,
};
