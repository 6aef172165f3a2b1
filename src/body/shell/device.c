/* body/shell/device.c  Shells on an accelerator: which kernels are queued when. */
#include "body/shell/device_inside.h"

#include "visviva/net.h"

#include <stdlib.h>
#include <string.h>

extern const char vvi_text_shell_some[], vvi_text_shell_fly[];

enum { SHARED_NODES = 4096 }; /* that come down: from so many on threads share their columns */

/* ---- what is queued ---- */

/* The places are others. */
static void forget(shell_device *s)
{
  s->near = s->known = s->counted = s->loaded = s->stressed = s->weighed = false;
}

/* ---- what ranks tell each other (share.c) ---- */

static void pack(shell_device *s, const shell_halo *k, int32_t from, int32_t width, int32_t stride, vvi_buffer *x)
{
  const int32_t n = k->exchange->roots;
  vvi_device_each(s->d, s->pack, n,
                  VVI_ARGUMENTS(VVI_NUMBER(n), VVI_BUFFER(k->root), VVI_NUMBER(from), VVI_NUMBER(width),
                                VVI_NUMBER(stride), VVI_BUFFER(x), VVI_BUFFER(s->travels)));
}

static void unpack(shell_device *s, const shell_halo *k, int32_t from, int32_t width, int32_t stride, vvi_buffer *x)
{
  const int32_t n = k->exchange->leaves;
  vvi_device_each(s->d, s->unpack, n,
                  VVI_ARGUMENTS(VVI_NUMBER(n), VVI_BUFFER(k->leaf), VVI_NUMBER(from), VVI_NUMBER(width),
                                VVI_NUMBER(stride), VVI_BUFFER(s->travels), VVI_BUFFER(x)));
}

static void send_leaves(shell_device *s, const shell_halo *k, int width)
{
  vvi_buffer_send(s->d, s->travels, 0, sizeof(double) * (size_t)width * (size_t)k->exchange->leaves, s->share->leaf);
}

/* Rows that others want come down, those of others go up.  A device that failed sends what is there: the others do not wait. */
static void travel(shell_device *s, const shell_halo *k, int width)
{
  if (k->exchange->roots == 0) vvi_device_finish(s->d); /* reading waits until what was sent before has arrived */
  vvi_buffer_read(s->d, s->travels, 0, sizeof(double) * (size_t)width * (size_t)k->exchange->roots, s->share->root);
  shell_travel(s->share, k->exchange, width);
  send_leaves(s, k, width);
}

/* Places of nodes of others; with their momenta. */
static void fetch_places(shell_device *s, bool momenta)
{
  const int32_t width = momenta ? 6 : 3;
  if (s->share == NULL || (s->near && !momenta)) return;
  pack(s, &s->places, 0, width, s->column, s->q);
  if (momenta) pack(s, &s->places, 3, width, s->column, s->p);
  travel(s, &s->places, width);
  unpack(s, &s->places, 0, width, s->column, s->q);
  if (momenta) unpack(s, &s->places, 3, width, s->column, s->p);
  s->near = true;
}

static void fetch_forces(shell_device *s)
{
  if (s->share == NULL) return;
  pack(s, &s->forces, 0, 3, s->slots, s->slot);
  travel(s, &s->forces, 3);
  unpack(s, &s->forces, 0, 3, s->slots, s->slot);
}

/* Three columns of the nodes of this rank. */
static void move_columns(shell_device *s, bool up, vvi_buffer *there, double *here)
{
  const int64_t column = s->b->column;
  const size_t bytes = sizeof(double) * (size_t)(s->share != NULL ? s->nodes - s->node0 : 3 * column);
  for (int c = 0; c < (s->share != NULL ? 3 : 1); c++) {
    const size_t at = sizeof(double) * (size_t)(c * column + s->node0);
    double *x = here + c * column + s->node0;
    if (up)
      vvi_buffer_write(s->d, there, at, bytes, x);
    else
      vvi_buffer_read(s->d, there, at, bytes, x);
  }
}

/* Every rank has all loads. */
static void fetch_all(shell_device *s)
{
  if (s->share == NULL) return;
  move_columns(s, false, s->q, s->whole_q);
  shell_fetch_all(s->b, s->whole_q);
  vvi_buffer_write(s->d, s->q, 0, sizeof(double) * (size_t)(3 * s->b->column), s->whole_q);
}

/* ---- kernels ---- */

#define TILE_ARGUMENTS(s, k, h, move, slot) \
  SHELL_TILE_ARGUMENTS(s, (s)->row[k], (s)->column, (s)->slots, h, move, (s)->q, (s)->p, slot)

static void launch_force(shell_device *s, double h, int32_t move, bool energy)
{
  fetch_places(s, false);
  for (int k = 0; k < SORTS; k++)
    vvi_device_launch(s->d, s->force[energy ? SORTS + k : k], s->tiles[k], s->items[k],
                      VVI_ARGUMENTS(TILE_ARGUMENTS(s, k, h, move, s->slot), shell_tile_local(s, k)));
  fetch_forces(s);
  s->counted = energy;
}

static void exchange(vvi_buffer **a, vvi_buffer **b)
{
  vvi_buffer *kept = *a;
  *a = *b, *b = kept;
}

/* A stride behind one that has left shared nodes where they were. */
static void launch_late(shell_device *s, double h)
{
  const int32_t move = STRIDE;
  for (int k = 0; k < SORTS; k++)
    vvi_device_launch(s->d, s->late[k], s->tiles[k], s->items[k],
                      VVI_ARGUMENTS(TILE_ARGUMENTS(s, k, h, move, s->next_slot), VVI_BUFFER(s->halo_row),
                                    VVI_BUFFER(s->shared), VVI_BUFFER(s->other), VVI_NUMBER(s->behind_h),
                                    VVI_BUFFER(s->slot), VVI_BUFFER(s->next_q), VVI_BUFFER(s->next_p),
                                    shell_tile_local(s, k)));
  exchange(&s->q, &s->next_q), exchange(&s->p, &s->next_p), exchange(&s->slot, &s->next_slot);
}

static void launch_join(shell_device *s, double h, int32_t move)
{
  vvi_device_each(s->d, s->join, s->shareds,
                  VVI_ARGUMENTS(VVI_NUMBER(s->shareds), VVI_BUFFER(s->shared), VVI_BUFFER(s->other),
                                VVI_BUFFER(s->mass), VVI_NUMBER(s->stride), VVI_NUMBER(s->column), VVI_NUMBER(s->slots),
                                VVI_NUMBER(s->gravity), VVI_NUMBER(h), VVI_NUMBER(move), VVI_BUFFER(s->q),
                                VVI_BUFFER(s->p), VVI_BUFFER(s->slot)));
}

/* After a drift of length h internal variables follow; 0: nothing flows.  Then the stresses; energies where nothing flows. */
static void launch_sheets(shell_device *s, double h)
{
  const int32_t loss0 = s->losses * SHELL_LOSSES * s->all_tiles;
  fetch_places(s, h != 0.0); /* what begins to flow asks where its nodes were */
  for (int k = 0; k < SORTS; k++) {
    if (s->tiles[k] == 0 || (k % STVK_ROUNDS != SHEET && k != SHEET_FAR)) continue;
    vvi_device_launch(s->d, s->sheet, s->tiles[k], shell_device_items(s, 128),
                      VVI_ARGUMENTS(VVI_BUFFER(s->row[k]), VVI_BUFFER(s->halo), VVI_BUFFER(s->at), VVI_BUFFER(s->rest),
                                    VVI_BUFFER(s->one), VVI_BUFFER(s->weight), VVI_BUFFER(s->ghost_int),
                                    VVI_BUFFER(s->ghost_real), VVI_BUFFER(s->group), VVI_BUFFER(s->whole),
                                    VVI_BUFFER(s->mass), VVI_NUMBER(s->stride), VVI_NUMBER(s->column), VVI_NUMBER(h),
                                    VVI_BUFFER(s->q), VVI_BUFFER(s->p), VVI_BUFFER(s->z), VVI_BUFFER(s->kept),
                                    VVI_NUMBER(loss0), VVI_BUFFER(s->loss), VVI_BUFFER(s->room)));
  }
  s->stressed = true, s->weighed = h == 0.0;
}

/* The gradient of the present places, in the slots of owned nodes. */
static void gradient(shell_device *s, bool energy)
{
  if (s->known) return;
  if (s->b->z_reals > 0 && !(energy ? s->weighed : s->stressed)) launch_sheets(s, 0.0);
  launch_force(s, 0.0, NOTHING, energy);
  launch_join(s, 0.0, NOTHING);
  s->known = true;
}

static void launch_kick(shell_device *s, double h, double drift, int32_t from_nothing, vvi_buffer *p)
{
  vvi_device_some(s->d, s->kick, s->node0, s->nodes,
                  VVI_ARGUMENTS(VVI_NUMBER(s->nodes), VVI_BUFFER(s->own_slot), VVI_BUFFER(s->mass),
                                VVI_NUMBER(s->stride), VVI_NUMBER(s->column), VVI_NUMBER(s->slots),
                                VVI_NUMBER(s->gravity), VVI_NUMBER(h), VVI_NUMBER(drift), VVI_NUMBER(from_nothing),
                                VVI_BUFFER(s->q), VVI_BUFFER(p), VVI_BUFFER(s->slot)));
}

/* The pass over all nodes at the end of a step: the kick that waits, totals (note >= 0), the kick again and a drift. */
static void launch_close(shell_device *s, bool kick, double h, int32_t note, double drift)
{
  const int32_t tiles = s->all_tiles, kicks = kick, joined = s->known;
  const int items = vvi_device_most_items(s->d) < CHUNK ? vvi_device_most_items(s->d) : CHUNK;
  vvi_device_launch(
      s->d, s->close, tiles, items,
      VVI_ARGUMENTS(VVI_BUFFER(s->tile), VVI_BUFFER(s->table), VVI_BUFFER(s->shared), VVI_BUFFER(s->other),
                    VVI_BUFFER(s->mass), VVI_NUMBER(s->stride), VVI_NUMBER(s->column), VVI_NUMBER(s->slots),
                    VVI_NUMBER(s->gravity), VVI_NUMBER(kicks), VVI_NUMBER(joined), VVI_NUMBER(h), VVI_NUMBER(note),
                    VVI_NUMBER(drift), VVI_BUFFER(s->q), VVI_BUFFER(s->p), VVI_BUFFER(s->slot), VVI_BUFFER(s->total),
                    VVI_BUFFER(s->notes), VVI_LOCAL(sizeof(double) * (10 * (CHUNK + 1) + 40))));
}

/* Forces on all nodes, and p += push f where push is not 0. */
static void launch_press(shell_device *s, double push)
{
  const int32_t tiles = s->all_tiles, joined = s->known;
  if (!s->known) launch_force(s, 0.0, NOTHING, false);
  vvi_device_launch(s->d, s->press, tiles, vvi_device_most_items(s->d) < CHUNK ? vvi_device_most_items(s->d) : CHUNK,
                    VVI_ARGUMENTS(VVI_BUFFER(s->tile), VVI_BUFFER(s->table), VVI_BUFFER(s->shared),
                                  VVI_BUFFER(s->other), VVI_BUFFER(s->mass), VVI_NUMBER(s->stride),
                                  VVI_NUMBER(s->column), VVI_NUMBER(s->slots), VVI_NUMBER(s->gravity),
                                  VVI_NUMBER(joined), VVI_NUMBER(push), VVI_BUFFER(s->p), VVI_BUFFER(s->pull),
                                  VVI_BUFFER(s->slot)));
  s->known = true, s->pressing = false;
}

static void launch_push(shell_device *s)
{
  vvi_device_each(s->d, s->push, s->nodes,
                  VVI_ARGUMENTS(VVI_NUMBER(s->nodes), VVI_NUMBER(s->column), VVI_NUMBER(s->push_h), VVI_BUFFER(s->pull),
                                VVI_BUFFER(s->p)));
  s->pushing = false;
}

/* What waits is done, and with it a drift behind the same kick again, where drift is not 0. */
static void flush_into(shell_device *s, double drift)
{
  if (s->behind) launch_join(s, s->behind_h, STRIDE);
  s->behind = false;
  if (s->pressing) launch_press(s, 0.0);
  if (s->pushing) launch_push(s);
  if (!s->waits) return;
  s->waits = false;
  if (s->waits_note < 0 && drift == 0.0) {
    gradient(s, true);
    launch_kick(s, s->waits_h, 0.0, 0, s->p);
    return;
  }
  if (s->waits_note >= 0 && !s->counted) s->known = false;
  if (!s->known) launch_force(s, 0.0, NOTHING, true);
  launch_close(s, true, s->waits_h, s->waits_note, drift);
  s->known = true;
  if (drift != 0.0) forget(s);
}

static void flush(shell_device *s)
{
  flush_into(s, 0.0);
}

/* ---- loads ---- */

/* f: forces of all loads on the nodes at time t. */
static void loads_at(shell_device *s, double t)
{
  const vv_block *b = s->b;
  const int32_t n = (int32_t)s->b->nodes, reals = 3 * n;
  bool pressed = false;
  if (s->loaded && s->loaded_at == t) return;
  fetch_all(s);
  for (int32_t i = 0; i < b->n_load; i++) pressed = pressed || b->load[i].node < 0;
  vvi_device_each(s->d, s->clear_forces, reals, VVI_ARGUMENTS(VVI_NUMBER(reals), VVI_BUFFER(s->F)));
  if (pressed)
    vvi_device_each(s->d, s->limits, n,
                    VVI_ARGUMENTS(VVI_NUMBER(n), VVI_BUFFER(s->lim_first), VVI_BUFFER(s->lim_node),
                                  VVI_BUFFER(s->lim_weight), VVI_NUMBER(s->column), VVI_BUFFER(s->q),
                                  VVI_BUFFER(s->y)));
  for (int32_t i = 0; i < b->n_load; i++) {
    const vv_load *l = &b->load[i];
    const double size = vv_history_at(&l->history, t), P = size * l->value[0];
    if (l->node >= 0) {
      const int32_t node = l->node;
      const vvi_double4 force = {{size * l->value[0], size * l->value[1], size * l->value[2], 0.0}};
      vvi_device_launch(s->d, s->point_load, 1, 1,
                        VVI_ARGUMENTS(VVI_NUMBER(node), VVI_NUMBER(force), VVI_BUFFER(s->F)));
      continue;
    }
    const shell_component *part = &shell_plan_of(b)->component[(int64_t)l->value[LOAD_COMPONENT]];
    const int32_t from = (int32_t)part->node0, count = part->cut->nodes;
    vvi_device_each(s->d, s->pressure, count,
                    VVI_ARGUMENTS(VVI_NUMBER(from), VVI_NUMBER(count), VVI_NUMBER(P), VVI_BUFFER(s->around_first),
                                  VVI_BUFFER(s->around), VVI_BUFFER(s->corner), VVI_BUFFER(s->y), VVI_BUFFER(s->F)));
  }
  vvi_device_each(s->d, s->give_loads, n,
                  VVI_ARGUMENTS(VVI_NUMBER(n), VVI_BUFFER(s->give_first), VVI_BUFFER(s->give_node),
                                VVI_BUFFER(s->give_weight), VVI_BUFFER(s->mass), VVI_NUMBER(s->stride),
                                VVI_BUFFER(s->F), VVI_BUFFER(s->f)));
  s->loaded = true, s->loaded_at = t;
}

static void launch_loads(shell_device *s, double t, double h, vvi_buffer *p)
{
  loads_at(s, t);
  vvi_device_some(s->d, s->kick_loads, s->node0, s->nodes,
                  VVI_ARGUMENTS(VVI_NUMBER(s->nodes), VVI_BUFFER(s->mass), VVI_NUMBER(s->stride), VVI_NUMBER(s->column),
                                VVI_NUMBER(h), VVI_BUFFER(s->f), VVI_BUFFER(p)));
}

/* ---- what the table asks for ---- */

static void device_up(void *own, const double *q, const double *p)
{
  shell_device *s = own;
  flush(s);
  if (q != NULL) {
    move_columns(s, true, s->q, (double *)q); /* it is only read */
    vvi_buffer_write(s->d, s->z, sizeof(double) * (size_t)s->z0, sizeof(double) * (size_t)s->z_reals,
                     q + s->b->z0 + s->z0);
    forget(s);
  }
  if (p != NULL) move_columns(s, true, s->p, (double *)p);
}

static void device_down(void *own, double *q, double *p)
{
  shell_device *s = own;
  flush(s);
  if (q != NULL) move_columns(s, false, s->q, q);
  if (q != NULL)
    vvi_buffer_read(s->d, s->z, sizeof(double) * (size_t)s->z0, sizeof(double) * (size_t)s->z_reals,
                    q + s->b->z0 + s->z0);
  if (p != NULL) move_columns(s, false, s->p, p);
}

static void device_kick(void *own, double t, double h)
{
  shell_device *s = own;
  flush(s);
  if (s->b->n_load == 0 && s->b->z_reals == 0) {
    s->waits = true, s->waits_h = h, s->waits_note = -1;
    return;
  }
  gradient(s, true);
  launch_kick(s, h, 0.0, 0, s->p);
  if (s->b->n_load > 0) launch_loads(s, t, h, s->p);
}

static void device_drift(void *own, double h)
{
  shell_device *s = own;
  if (s->pushing) {
    s->pushing = false;
    vvi_device_each(s->d, s->push_drift, s->nodes,
                    VVI_ARGUMENTS(VVI_NUMBER(s->nodes), VVI_NUMBER(s->column), VVI_BUFFER(s->mass),
                                  VVI_NUMBER(s->stride), VVI_NUMBER(s->push_h), VVI_NUMBER(h), VVI_BUFFER(s->pull),
                                  VVI_BUFFER(s->q), VVI_BUFFER(s->p)));
    forget(s);
    return;
  }
  flush(s);
  vvi_device_some(s->d, s->drift, s->node0, s->nodes,
                  VVI_ARGUMENTS(VVI_NUMBER(s->nodes), VVI_BUFFER(s->mass), VVI_NUMBER(s->stride), VVI_NUMBER(s->column),
                                VVI_NUMBER(h), VVI_BUFFER(s->q), VVI_BUFFER(s->p)));
  forget(s);
}

/* kick(h/2), then drift(h), in one pass over the nodes where the gradient is known. */
static void device_leap(void *own, double t, double h)
{
  shell_device *s = own;
  (void)t;
  if (s->waits && s->waits_h == 0.5 * h) {
    flush_into(s, h);
    return;
  }
  flush(s);
  gradient(s, false);
  launch_kick(s, 0.5 * h, h, 0, s->p);
  forget(s);
}

static void device_stride(void *own, double h)
{
  shell_device *s = own;
  if (s->behind) {
    launch_late(s, h);
  } else {
    flush(s);
    launch_force(s, h, STRIDE, false);
    s->behind = s->next_q != NULL;
    if (!s->behind) launch_join(s, h, STRIDE);
  }
  s->behind_h = h;
  forget(s);
}

static void force_to(shell_device *s, double t, vvi_buffer *f)
{
  gradient(s, false);
  launch_kick(s, 1.0, 0.0, 1, f);
  if (s->b->n_load > 0) launch_loads(s, t, 1.0, f);
}

/* q: NULL, as it is there. */
static void device_force(void *own, double t, const double *q, double *f)
{
  shell_device *s = own;
  flush(s);
  if (q != NULL) device_up(s, q, NULL);
  if (q != NULL && s->share != NULL) { /* the columns of the host have the halo as soon, without a way up and down */
    shell_fetch_places(s->b, q);
    send_leaves(s, &s->places, 3);
    unpack(s, &s->places, 0, 3, s->column, s->q);
    s->near = true;
  }
  force_to(s, t, s->p);
  device_down(s, NULL, f);
}

/* Losses of the flows that wait come down, and are booked one after the other. */
static void device_settle(void *own, vv_posted *post)
{
  shell_device *s = own;
  const int64_t n = SHELL_LOSSES * s->all_tiles;
  if (s->losses == 0) return;
  vvi_buffer_read(s->d, s->loss, 0, sizeof(double) * (size_t)(n * s->losses), s->lost);
  for (int i = 0; i < s->losses; i++) {
    for (int64_t t = 0; t < s->all_tiles; t++)
      memcpy(s->part + SHELL_SUMS * shell_tile_here(shell_plan_of(s->b), t), s->lost + n * i + SHELL_LOSSES * t,
             SHELL_LOSSES * sizeof *s->part);
    shell_losses_post(s->b, s->part, post);
  }
  s->losses = 0;
}

static void device_flow(void *own, double h, vv_posted *post)
{
  shell_device *s = own;
  flush(s);
  launch_sheets(s, h);
  if (++s->losses == LOSS_ROWS) device_settle(s, post);
}

/* Sums over all tiles, as shell_sum_tiles, of so many rows: without rounding, so that it does not matter who adds them. */
static void launch_exact(shell_device *s, vvi_buffer *total, int rows, int32_t n, vvi_buffer *sums)
{
  const int32_t tiles = s->all_tiles;
  int items = 64; /* each with an accumulator in local memory */
  while (items > 1 && 8 * EXACT_ROW * items > vvi_device_local_bytes(s->d) - 64) items /= 2;
  vvi_device_launch(s->d, s->exact, (int64_t)rows * n, items,
                    VVI_ARGUMENTS(VVI_NUMBER(tiles), VVI_NUMBER(n), VVI_BUFFER(total), VVI_BUFFER(sums),
                                  VVI_LOCAL(sizeof(int64_t) * (size_t)(EXACT_ROW * items))));
}

static vvi_exact exact_of(const int64_t digit[EXACT_ROW])
{
  vvi_exact sum = {.plus = digit[VVI_EXACT_DIGITS],
                   .minus = digit[VVI_EXACT_DIGITS + 1],
                   .nan = digit[VVI_EXACT_DIGITS + 2],
                   .waiting = 1};
  memcpy(sum.digit, digit, sizeof sum.digit);
  return sum;
}

static void round_sums(const int64_t (*digit)[EXACT_ROW], int n, double *out)
{
  for (int k = 0; k < n; k++) {
    const vvi_exact sum = exact_of(digit[k]);
    out[k] = vvi_exact_value(&sum);
  }
}

/* Those of all ranks; as shell_sum_tiles. */
static void join_sums(const shell_device *s, int n, int64_t (*digit)[EXACT_ROW])
{
  if (s->share == NULL) return;
  for (int k = 0; k < n; k++) {
    vvi_exact sum = exact_of(digit[k]);
    vvi_exact_carry(&sum);
    memcpy(digit[k], sum.digit, sizeof sum.digit);
  }
  s->share->net->sum(s->share->net, n * EXACT_ROW, digit[0]);
}

static void add_tiles(shell_device *s, vvi_buffer *total, int n, double *out)
{
  int64_t digit[SHELL_SUMS][EXACT_ROW] = {{0}};
  launch_exact(s, total, 1, n, s->sums);
  vvi_buffer_read(s->d, s->sums, 0, sizeof *digit * (size_t)n, digit);
  join_sums(s, n, digit);
  round_sums((const int64_t(*)[EXACT_ROW])digit, n, out);
}

/* As shell_viscous; what was booked goes the same way. */
static void device_viscous(void *own, double h, vv_posted *post)
{
  shell_device *s = own;
  flush(s);
  const vv_block *b = s->b;
  const int32_t tiles = s->all_tiles;
  double sum[SHELL_FADED];
  device_settle(s, post); /* branches book in the same column: in the order of time */
  for (int i = 0; i < b->n_body; i++) {
    const double keep = exp(-shell_of(b, i)->damping.mass * h);
    vvi_buffer_write(s->d, s->keep, sizeof keep * (size_t)i, sizeof keep, &keep);
  }
  vvi_device_launch(s->d, s->fade, tiles, 64,
                    VVI_ARGUMENTS(VVI_BUFFER(s->tile), VVI_BUFFER(s->table), VVI_BUFFER(s->keep), VVI_BUFFER(s->mass),
                                  VVI_NUMBER(s->stride), VVI_NUMBER(s->column), VVI_BUFFER(s->q), VVI_BUFFER(s->p),
                                  VVI_BUFFER(s->total)));
  add_tiles(s, s->total, SHELL_FADED, sum);
  s->counted = false; /* strain energies were there */
  shell_faded(sum, post);
}

static void device_note(void *own, int slot)
{
  shell_device *s = own;
  if (s->waits && s->waits_note < 0) {
    s->waits_note = slot;
    return;
  }
  flush(s);
  if (!s->counted) s->known = false;
  gradient(s, true);
  launch_close(s, false, 0.0, slot, 0.0);
}

static void device_noted(void *own, int n)
{
  shell_device *s = own;
  flush(s);
  launch_exact(s, s->notes, n, SHELL_SUMS, s->slots_of_sums);
  memset(s->noted, 0, sizeof s->noted);
  vvi_buffer_read(s->d, s->slots_of_sums, 0, sizeof *s->noted * (size_t)n, s->noted);
  join_sums(s, n * SHELL_SUMS, s->noted[0]);
}

static void device_totals(const void *own, int slot, vv_totals *sum)
{
  const shell_device *s = own;
  double all[SHELL_SUMS];
  round_sums((const int64_t(*)[EXACT_ROW])s->noted[slot], SHELL_SUMS, all);
  sum->kinetic += all[0], sum->strain += all[1], sum->potential += all[2];
  sum->p_abs += all[3], sum->L_abs += all[4];
  for (int c = 0; c < 3; c++) sum->p[c] += all[5 + c], sum->L[c] += all[8 + c];
}

static void device_keep(void *own)
{
  shell_device *s = own;
  flush(s);
  const size_t bytes = sizeof(double) * (size_t)(3 * s->b->column);
  vvi_buffer **to = &s->aside[s->turn = 1 - s->turn];
  if (*to == NULL) *to = vvi_buffer_new(s->d, 2 * bytes, NULL);
  if (vvi_device_trouble(s->d) != NULL) return;
  vvi_buffer_copy(s->d, s->q, 0, *to, 0, bytes), vvi_buffer_copy(s->d, s->p, 0, *to, bytes, bytes);
}

static void device_back(void *own)
{
  shell_device *s = own;
  flush(s);
  const size_t bytes = sizeof(double) * (size_t)(3 * s->b->column);
  vvi_buffer *from = s->aside[s->turn];
  s->turn = 1 - s->turn;
  vvi_buffer_copy(s->d, from, 0, s->q, 0, bytes), vvi_buffer_copy(s->d, from, bytes, s->p, 0, bytes);
  forget(s);
}

/* What comes from outside in one kick; as shell_post. */
static void post_some(shell_device *s, int32_t of, double h, vv_posted *post)
{
  const int32_t tiles = s->all_tiles;
  double sum[SHELL_BOOKED];
  vvi_device_launch(s->d, s->book, tiles, 64,
                    VVI_ARGUMENTS(VVI_NUMBER(of), VVI_NUMBER(h), VVI_BUFFER(s->tile), VVI_BUFFER(s->table),
                                  VVI_BUFFER(s->mass), VVI_NUMBER(s->stride), VVI_NUMBER(s->column),
                                  VVI_NUMBER(s->slots), VVI_NUMBER(s->gravity), VVI_BUFFER(s->slot), VVI_BUFFER(s->f),
                                  VVI_BUFFER(s->q), VVI_BUFFER(s->p), VVI_BUFFER(s->booked),
                                  VVI_LOCAL(64 * sizeof(double))));
  add_tiles(s, s->booked, SHELL_BOOKED, sum);
  shell_book(sum, of == OF_LOADS, post);
}

static void device_post(void *own, double t, double h, vv_posted *post)
{
  shell_device *s = own;
  flush(s);
  if (vvi_norm3(s->b->gravity) > 0.0) post_some(s, OF_GRAVITY, h, post);
  if (shell_plan_of(s->b)->held > 0) {
    gradient(s, false);
    post_some(s, OF_SUPPORTS, h, post);
  }
  if (s->b->n_load > 0) {
    loads_at(s, t);
    post_some(s, OF_LOADS, h, post);
  }
}

/* ---- what stays while the processor answers contacts ---- */

static void device_strips(void *own, int64_t n, const int32_t *strip)
{
  shell_device *s = own;
  shell_device_build(s, "\n", vvi_text_shell_some, vvi_text_shell_fly);
  s->push = vvi_device_kernel(s->d, "push_nodes"), s->push_drift = vvi_device_kernel(s->d, "push_and_drift");
  s->extents = vvi_device_kernel(s->d, "extents");
  s->bring_some = vvi_device_kernel(s->d, "bring_nodes"), s->give_some = vvi_device_kernel(s->d, "give_nodes");
  s->pull = vvi_buffer_new(s->d, sizeof(double) * (size_t)(3 * s->b->column), NULL);
  s->strips = (int32_t)n;
  s->strip = vvi_buffer_new(s->d, sizeof *strip * (size_t)(2 * n), strip);
  s->box = vvi_buffer_new(s->d, sizeof(double) * (size_t)(6 * n), NULL);
}

static void device_press(void *own, double t)
{
  shell_device *s = own;
  flush(s);
  if (s->b->n_load == 0 && s->b->z_reals == 0)
    s->pressing = true;
  else
    force_to(s, t, s->pull);
}

/* With the forces, where these wait; or with the drift behind it. */
static void device_push(void *own, double h)
{
  shell_device *s = own;
  if (s->pressing && h != 0.0) {
    launch_press(s, h);
    return;
  }
  flush(s);
  s->pushing = true, s->push_h = h;
}

static void device_clusters(void *own, int64_t n, const int32_t *first, const int32_t *strip, const double *half,
                            const int32_t *spot0, const int32_t *spot)
{
  shell_device *s = own;
  const size_t count = (size_t)n;
  s->bounds = vvi_device_kernel(s->d, "bounds"), s->take_budgets = vvi_device_kernel(s->d, "take_budgets");
  s->bring_rows = vvi_device_kernel(s->d, "bring_rows"), s->take_references = vvi_device_kernel(s->d, "refer");
  s->clusters = (int32_t)n, s->report_rows = (count + 7) / 8 * 8;
  s->cluster_first = vvi_buffer_new(s->d, sizeof *first * (count + 1), first);
  s->cluster_strip = vvi_buffer_new(s->d, sizeof *strip * (size_t)first[n], strip);
  s->cluster_half = vvi_buffer_new(s->d, sizeof *half * count, half);
  s->spot0 = vvi_buffer_new(s->d, sizeof *spot0 * (count + 1), spot0);
  s->spot = vvi_buffer_new(s->d, sizeof *spot * (size_t)spot0[n], spot);
  s->reference = vvi_buffer_new(s->d, 3 * sizeof(double) * (size_t)spot0[n], NULL);
  s->spots = malloc(sizeof *spot0 * (count + 1)), s->referred = malloc(sizeof *s->referred * (count + 1));
  s->motion = vvi_buffer_new(s->d, MOTION * sizeof(double) * count, NULL);
  s->held_motion = vvi_buffer_new(s->d, MOTION * sizeof(double) * count, NULL);
  s->any = vvi_buffer_new(s->d, sizeof *s->told_any * (VV_DEVICE_CRUISE + 1), NULL);
  s->budget = vvi_buffer_new(s->d, sizeof(vv_motion_budget) * count, NULL);
  s->fixed = vvi_buffer_new(s->d, sizeof(int32_t) * count, NULL);
  s->which = vvi_buffer_new(s->d, sizeof(int32_t) * count, NULL);
  s->news = vvi_buffer_new(s->d, sizeof(vv_motion_budget) * count, NULL);
  const size_t report = s->report_rows + sizeof(vv_motion_row) * count + NODE_ROW * sizeof(double) * VV_DEVICE_GUESSES;
  s->report = vvi_buffer_new(s->d, report, NULL);
  s->told_back = malloc(report + 1), s->guessed = malloc(sizeof *s->guessed * VV_DEVICE_GUESSES);
  s->guess = vvi_buffer_new(s->d, sizeof *s->guessed * VV_DEVICE_GUESSES, NULL);
  if (s->told_back == NULL || s->spots == NULL || s->referred == NULL || s->guessed == NULL)
    vvi_device_fail(s->d, "out of memory");
  if (s->spots != NULL) memcpy(s->spots, spot0, sizeof *spot0 * (count + 1));
}

static void launch_rows(shell_device *s, int32_t n)
{
  const int32_t first = (int32_t)(s->report_rows / sizeof(double));
  vvi_device_launch(s->d, s->bring_rows, n, STRIP,
                    VVI_ARGUMENTS(VVI_BUFFER(s->which), VVI_BUFFER(s->motion), VVI_BUFFER(s->spot0),
                                  VVI_BUFFER(s->spot), VVI_NUMBER(s->column), VVI_BUFFER(s->q),
                                  VVI_BUFFER(s->reference), VVI_NUMBER(first), VVI_BUFFER(s->report),
                                  VVI_LOCAL(12 * STRIP * sizeof(double))));
}

static void device_rows(void *own, int64_t n, const int32_t *cluster, vv_motion_row *row)
{
  shell_device *s = own;
  flush(s);
  vvi_buffer_send(s->d, s->which, 0, sizeof *cluster * (size_t)n, cluster);
  launch_rows(s, (int32_t)n);
  vvi_buffer_read(s->d, s->report, s->report_rows, sizeof *row * (size_t)n, row);
  if (vvi_device_trouble(s->d) != NULL) memset(row, 0, sizeof *row * (size_t)n);
}

static void device_references(void *own, int32_t first, int64_t n, const double *reference)
{
  shell_device *s = own;
  if (vvi_device_trouble(s->d) != NULL) return;
  const size_t row = 3 * sizeof *reference, at = (size_t)s->spots[first];
  vvi_buffer_write(s->d, s->reference, row * at, row * ((size_t)s->spots[first + n] - at), reference);
}

static void device_refer(void *own, int64_t n, const int32_t *cluster)
{
  shell_device *s = own;
  if (s->referring) vvi_device_finish(s->d); /* names of the last time are still on their way */
  s->referring = true;
  memcpy(s->referred, cluster, sizeof *cluster * (size_t)n);
  vvi_buffer_send(s->d, s->which, 0, sizeof *cluster * (size_t)n, s->referred);
  vvi_device_launch(s->d, s->take_references, n, STRIP,
                    VVI_ARGUMENTS(VVI_BUFFER(s->which), VVI_BUFFER(s->spot0), VVI_BUFFER(s->spot),
                                  VVI_NUMBER(s->column), VVI_BUFFER(s->q), VVI_BUFFER(s->reference)));
}

/* Room for rows of n nodes, which are named.  Grows by doubling; never more than all of them. */
static bool name_some(shell_device *s, int64_t n, const int32_t *node)
{
  if (n > s->most_some) {
    const int64_t room = 2 * n + 1024 < s->nodes ? 2 * n + 1024 : shell_larger(n, s->nodes);
    vvi_device_finish(s->d); /* what is given may still be on its way */
    vvi_buffer_free(s->d, s->some), vvi_buffer_free(s->d, s->rows);
    free(s->down), free(s->named);
    s->some = vvi_buffer_new(s->d, sizeof *node * (size_t)room, NULL);
    s->rows = vvi_buffer_new(s->d, NODE_ROW * sizeof(double) * (size_t)room, NULL);
    s->down = malloc(NODE_ROW * sizeof(double) * (size_t)room);
    s->named = malloc(sizeof *node * (size_t)room);
    s->most_some = s->down != NULL && s->named != NULL ? room : 0;
    if (s->most_some == 0) vvi_device_fail(s->d, "out of memory");
  }
  if (vvi_device_trouble(s->d) != NULL) return false;
  if (s->giving) vvi_device_finish(s->d); /* what is given is still on its way */
  s->giving = false;
  memcpy(s->named, node, sizeof *node * (size_t)n);
  vvi_buffer_send(s->d, s->some, 0, sizeof *node * (size_t)n, s->named);
  return vvi_device_trouble(s->d) == NULL;
}

/* Columns of nodes that are named there, from the place `first` of a buffer on. */
static void launch_bring(shell_device *s, int64_t n, vvi_buffer *names, vvi_buffer *to, int32_t first)
{
  const int32_t count = (int32_t)n;
  vvi_device_each(s->d, s->bring_some, n,
                  VVI_ARGUMENTS(VVI_NUMBER(count), VVI_BUFFER(names), VVI_NUMBER(s->column), VVI_BUFFER(s->q),
                                VVI_BUFFER(s->p), VVI_BUFFER(s->pull), VVI_NUMBER(first), VVI_BUFFER(to)));
}

static void take_nodes(const shell_device *s, int64_t n, const int32_t *node, const double *rows, double *q, double *p,
                       double *f)
{
  double *const to[3] = {q, p, f};
#pragma omp parallel for num_threads(s->b->threads) if (n >= SHARED_NODES && s->b->threads > 1)
  for (int c = 0; c < NODE_ROW; c++)
    for (int64_t i = 0; i < n; i++) to[c / 3][c % 3 * s->b->column + node[i]] = rows[c * n + i];
}

static void device_bring(void *own, int64_t n, const int32_t *node, double *q, double *p, double *f)
{
  shell_device *s = own;
  flush(s);
  if (n == 0 || !name_some(s, n, node)) return;
  launch_bring(s, n, s->some, s->rows, 0);
  vvi_buffer_read(s->d, s->rows, 0, NODE_ROW * sizeof(double) * (size_t)n, s->down);
  if (vvi_device_trouble(s->d) == NULL) take_nodes(s, n, node, s->down, q, p, f);
}

/* What was sent before is not sent again; it has arrived, since its nodes came. */
static void name_guesses(shell_device *s, int64_t n, const int32_t *node)
{
  const size_t bytes = sizeof *node * (size_t)n;
  if (n == s->guesses && memcmp(s->guessed, node, bytes) == 0) return;
  memcpy(s->guessed, node, bytes), s->guesses = n;
  vvi_buffer_send(s->d, s->guess, 0, bytes, s->guessed);
}

/* Those that are in `which` and `news`. */
static void launch_budgets(shell_device *s, int32_t n)
{
  vvi_device_each(s->d, s->take_budgets, n,
                  VVI_ARGUMENTS(VVI_NUMBER(n), VVI_BUFFER(s->which), VVI_BUFFER(s->news), VVI_BUFFER(s->budget),
                                VVI_BUFFER(s->motion), VVI_BUFFER(s->fixed)));
}

/* to: where of `any` is told whether a budget is used up. */
static void launch_bounds(shell_device *s, double h, bool drifted, double drifts, int32_t to)
{
  const int32_t done = drifted;
  vvi_device_launch(s->d, s->extents, s->strips, STRIP,
                    VVI_ARGUMENTS(VVI_BUFFER(s->strip), VVI_BUFFER(s->mass), VVI_NUMBER(s->stride),
                                  VVI_NUMBER(s->column), VVI_NUMBER(h), VVI_BUFFER(s->p), VVI_BUFFER(s->pull),
                                  VVI_BUFFER(s->box), VVI_LOCAL(6 * STRIP * sizeof(double))));
  vvi_device_each(s->d, s->bounds, s->clusters,
                  VVI_ARGUMENTS(VVI_NUMBER(s->clusters), VVI_BUFFER(s->cluster_first), VVI_BUFFER(s->cluster_strip),
                                VVI_BUFFER(s->cluster_half), VVI_BUFFER(s->box), VVI_NUMBER(done), VVI_NUMBER(drifts),
                                VVI_BUFFER(s->budget), VVI_BUFFER(s->motion), VVI_BUFFER(s->fixed),
                                VVI_BUFFER(s->report), VVI_BUFFER(s->any), VVI_NUMBER(to)));
}

static void send_budgets(shell_device *s, int64_t n, const int32_t *cluster, const vv_motion_budget *budget)
{
  vvi_buffer_send(s->d, s->which, 0, sizeof *cluster * (size_t)n, cluster);
  vvi_buffer_send(s->d, s->news, 0, sizeof *budget * (size_t)n, budget);
}

static void device_bounds(void *own, double h, bool drifted, double drifts, int64_t n, const int32_t *cluster,
                          const vv_motion_budget *budget, unsigned char *past, vv_motion_row *row, int64_t nodes,
                          const int32_t *node, double *q, double *p, double *f)
{
  shell_device *s = own;
  const size_t rows = sizeof *row * (size_t)n, all = s->report_rows + rows + NODE_ROW * sizeof *q * (size_t)nodes;
  flush(s);
  send_budgets(s, n, cluster, budget);
  launch_budgets(s, (int32_t)n);
  launch_bounds(s, h, drifted, drifts, VV_DEVICE_CRUISE);
  launch_rows(s, (int32_t)n);
  name_guesses(s, nodes, node);
  launch_bring(s, nodes, s->guess, s->report, (int32_t)((s->report_rows + rows) / sizeof *q));
  vvi_buffer_read(s->d, s->report, 0, all, s->told_back);
  s->giving = s->referring = false;
  if (vvi_device_trouble(s->d) != NULL) memset(s->told_back, 0, all);
  memcpy(past, s->told_back, (size_t)s->clusters);
  memcpy(row, s->told_back + s->report_rows, rows);
  take_nodes(s, nodes, node, (const double *)(const void *)(s->told_back + s->report_rows + rows), q, p, f);
}

/* ---- steps in which nothing can touch ---- */

/* As the steps of step/kdk.c. */
static void queue_cruise(shell_device *s, int64_t steps)
{
  launch_budgets(s, s->cruise_told);
  for (int32_t i = 0; i < steps; i++) {
    launch_bounds(s, s->cruise_h, s->cruise_drifted || i > 0, 1.0, i);
    device_push(s, 0.5 * s->cruise_h);
    device_drift(s, s->cruise_h);
    device_press(s, 0.0);
    device_push(s, 0.5 * s->cruise_h);
  }
}

static void device_cruise(void *own, double h, bool drifted, int64_t steps, int64_t n, const int32_t *cluster,
                          const vv_motion_budget *budget)
{
  static const int32_t none[VV_DEVICE_CRUISE] = {0};
  shell_device *s = own;
  device_keep(s);
  vvi_buffer_copy(s->d, s->motion, 0, s->held_motion, 0, MOTION * sizeof(double) * (size_t)s->clusters);
  vvi_buffer_send(s->d, s->any, 0, sizeof none, none);
  send_budgets(s, n, cluster, budget);
  s->cruise_steps = (int32_t)steps, s->cruise_told = (int32_t)n, s->cruise_h = h, s->cruise_drifted = drifted;
  queue_cruise(s, steps);
}

static int64_t device_cruised(void *own)
{
  shell_device *s = own;
  int32_t n = 0;
  vvi_buffer_read(s->d, s->any, 0, sizeof *s->told_any * (size_t)s->cruise_steps, s->told_any);
  s->giving = s->referring = false;
  while (n < s->cruise_steps && s->told_any[n] == 0) n++;
  return vvi_device_trouble(s->d) != NULL ? s->cruise_steps : n;
}

static void device_cruise_back(void *own, int64_t n)
{
  shell_device *s = own;
  device_back(s);
  vvi_buffer_copy(s->d, s->held_motion, 0, s->motion, 0, MOTION * sizeof(double) * (size_t)s->clusters);
  launch_press(s, 0.0);
  queue_cruise(s, n);
}

static void device_give(void *own, int64_t n, const int32_t *node, const double *p)
{
  shell_device *s = own;
  flush(s);
  const int32_t count = (int32_t)n;
  if (n == 0 || !name_some(s, n, node)) return;
  for (int c = 0; c < 3; c++)
    for (int64_t i = 0; i < n; i++) s->down[c * n + i] = p[c * s->b->column + node[i]];
  vvi_buffer_send(s->d, s->rows, 0, 3 * sizeof(double) * (size_t)n, s->down);
  s->giving = true;
  vvi_device_each(s->d, s->give_some, n,
                  VVI_ARGUMENTS(VVI_NUMBER(count), VVI_BUFFER(s->some), VVI_NUMBER(s->column), VVI_BUFFER(s->rows),
                                VVI_BUFFER(s->p)));
}

static bool device_flies(void *own)
{
  return shell_fly_create(own);
}

static void device_fly(void *own, const vv_device_flights *w)
{
  flush(own);
  shell_fly(own, w);
}

const vv_device_table shell_device_table = {
    .refuse = shell_device_refuse,
    .open = shell_device_open,
    .close = shell_device_close,
    .up = device_up,
    .down = device_down,
    .kick = device_kick,
    .drift = device_drift,
    .leap = device_leap,
    .stride = device_stride,
    .post = device_post,
    .force = device_force,
    .note = device_note,
    .noted = device_noted,
    .totals = device_totals,
    .keep = device_keep,
    .back = device_back,
    .flow = device_flow,
    .settle = device_settle,
    .viscous = device_viscous,
    .strips = device_strips,
    .press = device_press,
    .push = device_push,
    .clusters = device_clusters,
    .bounds = device_bounds,
    .cruise = device_cruise,
    .cruised = device_cruised,
    .cruise_back = device_cruise_back,
    .rows = device_rows,
    .references = device_references,
    .refer = device_refer,
    .bring = device_bring,
    .give = device_give,
    .flies = device_flies,
    .fly = device_fly,
};
