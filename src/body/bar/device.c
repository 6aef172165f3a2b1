/* body/bar/device.c  Bars on an accelerator: an item for each node.  Totals and what is booked come from the processor. */
#include "device/device.h"
#include "body/bar/bar.h"

#include <stdlib.h>
#include <string.h>

extern const char vvi_text_bar_law[], vvi_text_bar_bar[];

typedef struct bar_device {
  const vv_block *b;
  vvi_device *d;
  vvi_kernel *sweep, *drift, *aside, *weigh, *loads;
  vvi_buffer *edge, *real, *body_of, *gravity, *held, *kept, *load_first, *load_node, *load_value, *load_size, *u[2],
      *p;
  int now;
  int32_t nodes, stride, bodies;
  double *size; /* [loads] of their histories */
} bar_device;

/* ---- open and close ---- */

/* Which nodes have no spring on a side.  Linear bars without loads are one slice: the spring between two of them is of
 * stiffness 0. */
static void send_nodes(bar_device *s)
{
  const vv_block *b = s->b;
  const bool slices = b->booked || !bar_is_linear(b);
  unsigned char *edge = calloc((size_t)b->nodes + 1, 1);
  int32_t *body_of = calloc((size_t)b->nodes + 1, sizeof *body_of);
  if (edge == NULL || body_of == NULL) vvi_device_fail(s->d, "out of memory");
  for (int32_t j = 0; vvi_device_trouble(s->d) == NULL && j < b->n_body; j++) {
    const int64_t first = b->body[j]->node0, last = first + b->body[j]->n_node - 1;
    for (int64_t i = first; i <= last; i++) body_of[i] = j;
    if (slices || first == 0) edge[first] |= 1;
    if (slices || last == b->nodes - 1) edge[last] |= 2;
  }
  s->edge = vvi_buffer_new(s->d, (size_t)b->nodes, edge);
  s->body_of = vvi_buffer_new(s->d, sizeof *body_of * (size_t)b->nodes, body_of);
  free(edge), free(body_of);
}

static void send_bodies(bar_device *s)
{
  const vv_block *b = s->b;
  int32_t *first = calloc((size_t)(b->n_body + 1 + b->n_load + 2 * b->n_body), sizeof *first);
  int32_t *node = first + b->n_body + 1, *held = node + b->n_load;
  double *gravity = calloc((size_t)(b->n_body + b->n_load + 1), sizeof *gravity), *value = gravity + b->n_body;
  s->size = calloc((size_t)b->n_load + 1, sizeof *s->size);
  if (first == NULL || gravity == NULL || s->size == NULL) vvi_device_fail(s->d, "out of memory");
  for (int32_t j = 0; vvi_device_trouble(s->d) == NULL && j <= b->n_body; j++) {
    first[j] = j < b->n_body ? b->body[j]->load0 : b->n_load;
    if (j == b->n_body) break;
    const double *r = bar_body(b, j);
    gravity[j] = r[BAR_GRAVITY];
    held[2 * j] = r[BAR_HELD_FIRST] != 0.0 ? (int32_t)b->body[j]->node0 : -1;
    held[2 * j + 1] = r[BAR_HELD_LAST] != 0.0 ? (int32_t)(b->body[j]->node0 + b->body[j]->n_node - 1) : -1;
  }
  for (int32_t i = 0; vvi_device_trouble(s->d) == NULL && i < b->n_load; i++)
    node[i] = b->load[i].node, value[i] = b->load[i].value[0];
  s->load_first = vvi_buffer_new(s->d, sizeof *first * (size_t)(b->n_body + 1), first);
  s->load_node = vvi_buffer_new(s->d, sizeof *node * (size_t)b->n_load, node);
  s->held = vvi_buffer_new(s->d, sizeof *held * (size_t)(2 * b->n_body), held);
  s->gravity = vvi_buffer_new(s->d, sizeof *gravity * (size_t)b->n_body, gravity);
  s->load_value = vvi_buffer_new(s->d, sizeof *value * (size_t)b->n_load, value);
  s->load_size = vvi_buffer_new(s->d, sizeof *value * (size_t)b->n_load, NULL);
  s->kept = vvi_buffer_new(s->d, sizeof *value * (size_t)(2 * b->n_body), NULL);
  free(first), free(gravity);
}

static void *device_open(const vv_block *b, struct vvi_device *d)
{
  const char *const text[] = {bar_is_linear(b) ? "#define LINEAR 1\n" : "#define LINEAR 0\n", vvi_text_bar_law,
                              vvi_text_bar_bar};
  bar_device *s = calloc(1, sizeof *s);
  if (s == NULL) return NULL;
  *s = (bar_device){
      .b = b, .d = d, .nodes = (int32_t)b->nodes, .stride = (int32_t)b->stride, .bodies = (int32_t)b->n_body};
  vvi_device_addresses(d, b->stride);
  send_nodes(s), send_bodies(s);
  s->real = vvi_buffer_new(d, sizeof(double) * (size_t)(BAR_NODE_COLUMNS * b->stride), b->node_real);
  for (int i = 0; i < 2; i++) s->u[i] = vvi_buffer_new(d, sizeof(double) * (size_t)b->column, NULL);
  s->p = vvi_buffer_new(d, sizeof(double) * (size_t)b->column, NULL);
  vvi_device_build(d, 0, VV_COUNT(text), text);
  s->sweep = vvi_device_kernel(d, "sweep"), s->drift = vvi_device_kernel(d, "drift");
  s->aside = vvi_device_kernel(d, "aside"), s->weigh = vvi_device_kernel(d, "weigh");
  s->loads = vvi_device_kernel(d, "loads");
  return s;
}

static void device_close(void *own)
{
  free(((bar_device *)own)->size);
  free(own); /* buffers go with the device */
}

static const char *device_refuse(const vv_block *b)
{
  if (b->z_reals > 0 || b->viscous) return "bars that flow, damp or break";
  for (int32_t i = 0; i < b->n_load; i++)
    if (b->load[i].motion) return "bars with driven ends";
  return NULL;
}

/* ---- what the table asks for ---- */

static void device_up(void *own, const double *q, const double *p)
{
  bar_device *s = own;
  if (q != NULL) vvi_buffer_write(s->d, s->u[s->now], 0, sizeof *q * (size_t)s->b->column, q);
  if (p != NULL) vvi_buffer_write(s->d, s->p, 0, sizeof *p * (size_t)s->b->column, p);
}

static void device_down(void *own, double *q, double *p)
{
  bar_device *s = own;
  if (q != NULL) vvi_buffer_read(s->d, s->u[s->now], 0, sizeof *q * (size_t)s->b->column, q);
  if (p != NULL) vvi_buffer_read(s->d, s->p, 0, sizeof *p * (size_t)s->b->column, p);
}

static void launch_sweep(bar_device *s, double h_kick, int32_t kicks, double h, int32_t from_nothing)
{
  vvi_device_each(s->d, s->sweep, s->nodes,
                  VVI_ARGUMENTS(VVI_NUMBER(s->nodes), VVI_BUFFER(s->edge), VVI_BUFFER(s->real), VVI_NUMBER(s->stride),
                                VVI_NUMBER(h_kick), VVI_NUMBER(kicks), VVI_NUMBER(h), VVI_NUMBER(from_nothing),
                                VVI_BUFFER(s->u[s->now]), VVI_BUFFER(s->p), VVI_BUFFER(s->u[1 - s->now])));
  if (h != 0.0) s->now = 1 - s->now;
}

static void launch_kick(bar_device *s, double t, double h, int32_t from_nothing)
{
  const vv_block *b = s->b;
  if (b->booked)
    vvi_device_each(s->d, s->aside, s->bodies,
                    VVI_ARGUMENTS(VVI_NUMBER(s->bodies), VVI_BUFFER(s->held), VVI_BUFFER(s->p),
                                  VVI_NUMBER(from_nothing), VVI_BUFFER(s->kept)));
  launch_sweep(s, h, 1, 0.0, from_nothing);
  if (!b->booked) return;
  for (int32_t i = 0; i < b->n_load; i++) s->size[i] = vv_history_at(&b->load[i].history, t);
  vvi_buffer_write(s->d, s->load_size, 0, sizeof *s->size * (size_t)b->n_load, s->size);
  vvi_device_each(s->d, s->weigh, s->nodes,
                  VVI_ARGUMENTS(VVI_NUMBER(s->nodes), VVI_BUFFER(s->body_of), VVI_BUFFER(s->gravity),
                                VVI_BUFFER(s->real), VVI_NUMBER(s->stride), VVI_NUMBER(h), VVI_BUFFER(s->p)));
  vvi_device_each(s->d, s->loads, s->bodies,
                  VVI_ARGUMENTS(VVI_NUMBER(s->bodies), VVI_BUFFER(s->load_first), VVI_BUFFER(s->load_node),
                                VVI_BUFFER(s->load_value), VVI_BUFFER(s->load_size), VVI_NUMBER(h), VVI_BUFFER(s->held),
                                VVI_BUFFER(s->kept), VVI_BUFFER(s->p)));
}

static void device_kick(void *own, double t, double h)
{
  launch_kick(own, t, h, 0);
}

static void device_drift(void *own, double h)
{
  bar_device *s = own;
  vvi_device_each(s->d, s->drift, s->nodes,
                  VVI_ARGUMENTS(VVI_NUMBER(s->nodes), VVI_BUFFER(s->real), VVI_NUMBER(s->stride), VVI_NUMBER(h),
                                VVI_BUFFER(s->u[s->now]), VVI_BUFFER(s->p)));
}

static void device_leap(void *own, double t, double h)
{
  (void)t;
  launch_sweep(own, 0.5 * h, 1, h, 0);
}

static void device_stride(void *own, double h)
{
  launch_sweep(own, 0.5 * h, 2, h, 0);
}

static void device_force(void *own, double t, const double *q, double *f)
{
  device_up(own, q, NULL);
  launch_kick(own, t, 1.0, 1);
  device_down(own, NULL, f);
}

const vv_device_table bar_device_table = {
    .refuse = device_refuse,
    .open = device_open,
    .close = device_close,
    .up = device_up,
    .down = device_down,
    .kick = device_kick,
    .drift = device_drift,
    .leap = device_leap,
    .stride = device_stride,
    .force = device_force,
};
