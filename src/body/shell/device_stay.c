/* body/shell/device_stay.c  Shells that stay on an accelerator while the processor answers contacts.
 *
 * The device flies on: once the bounds of a drift are here the whole step is queued, from one set of columns to another, as if nothing were
 * to meet, and the extents of the step behind it.  Meanwhile the processor searches.  Where it changes no momentum the two sets change
 * places, and the step has been taken; where it changed some, the tiles that feel these are taken anew.  Nodes that were asked for lately come down with the
 * bounds; others by a queue of their own, from the columns that stay as they are.  None of it changes a bit: kernels and the order in
 * which a node feels them are the same. */
#include "body/shell/device_inside.h"

#include <stdlib.h>
#include <string.h>

extern const char vvi_text_shell_some[];

enum { SHARED_NODES = 4096 }; /* that come down: from so many on threads share their columns */
/* Nodes that were asked for in so many drifts come down with the bounds, in fewer drifts where they are more than that: they would take
 * longer than to ask again. */
enum { LATELY = 8, MOST_LATELY = 4096 };
/* Tiles that are taken anew where momenta have changed, at the most: a device has as many groups at once as that or fewer, and all of
 * them would take longer only where there are many more. */
enum { MOST_AGAIN = 1024 };

/* ---- what is queued ---- */

/* Forces on the nodes of some tiles, and p += push f where push is not 0.  leave: their gradient is left in the slots. */
static void launch_press(shell_device *s, vvi_buffer *tile, int64_t tiles, bool leave, double push)
{
  const int32_t joined = s->known, leaves = leave;
  vvi_device_launch(s->d, s->press, tiles, vvi_device_most_items(s->d) < CHUNK ? vvi_device_most_items(s->d) : CHUNK,
                    VVI_ARGUMENTS(VVI_BUFFER(tile), VVI_BUFFER(s->table), VVI_BUFFER(s->shared), VVI_BUFFER(s->other),
                                  VVI_BUFFER(s->mass), VVI_NUMBER(s->stride), VVI_NUMBER(s->column),
                                  VVI_NUMBER(s->slots), VVI_NUMBER(s->gravity), VVI_NUMBER(joined), VVI_NUMBER(leaves),
                                  VVI_NUMBER(push), VVI_BUFFER(s->p), VVI_BUFFER(s->pull), VVI_BUFFER(s->slot)));
}

void shell_stay_press_now(shell_device *s, double push)
{
  if (!s->known) shell_device_gradient(s);
  launch_press(s, s->tile, shell_plan_of(s->b)->tiles, true, push);
  s->known = true, s->pressing = s->guess = s->measured = false;
}

void shell_stay_push_now(shell_device *s)
{
  vvi_device_each(s->d, s->push, s->nodes,
                  VVI_ARGUMENTS(VVI_NUMBER(s->nodes), VVI_NUMBER(s->column), VVI_NUMBER(s->push_h), VVI_BUFFER(s->pull),
                                VVI_BUFFER(s->p)));
  s->pushing = s->guess = s->measured = false;
}

static void launch_extents(shell_device *s, double h)
{
  vvi_device_launch(s->d, s->extents, s->strips, STRIP,
                    VVI_ARGUMENTS(VVI_BUFFER(s->strip), VVI_BUFFER(s->mass), VVI_NUMBER(s->stride),
                                  VVI_NUMBER(s->column), VVI_NUMBER(h), VVI_BUFFER(s->p), VVI_BUFFER(s->pull),
                                  VVI_BUFFER(s->box), VVI_LOCAL(6 * STRIP * sizeof(double))));
}

/* p += push f, and a drift of length h behind it; q and p: where to. */
static void launch_drift(shell_device *s, double push, double h, vvi_buffer *q, vvi_buffer *p)
{
  vvi_device_each(s->d, s->push_drift, s->nodes,
                  VVI_ARGUMENTS(VVI_NUMBER(s->nodes), VVI_NUMBER(s->column), VVI_BUFFER(s->mass), VVI_NUMBER(s->stride),
                                VVI_NUMBER(push), VVI_NUMBER(h), VVI_BUFFER(s->pull), VVI_BUFFER(s->q),
                                VVI_BUFFER(s->p), VVI_BUFFER(q), VVI_BUFFER(p)));
}

/* ---- steps ahead ---- */

static void exchange_ahead(shell_device *s)
{
  vvi_buffer **const a[] = {&s->q, &s->p, &s->pull, &s->box};
  for (int i = 0; i < VV_COUNT(a); i++) {
    vvi_buffer *kept = *a[i];
    *a[i] = s->ahead[i], s->ahead[i] = kept;
  }
}

/* Nothing but its own strains acts on it, and the last step was not given up. */
static bool may_fly(const shell_device *s)
{
  return s->calm > 0 && s->ahead[0] != NULL;
}

static void fly_ahead(shell_device *s, double h)
{
  if (s->guess && s->ahead_h == h) return;
  launch_drift(s, 0.5 * h, h, s->ahead[0], s->ahead[1]);
  exchange_ahead(s);
  s->known = false;
  shell_device_gradient(s);
  launch_press(s, s->tile, shell_plan_of(s->b)->tiles, false, 0.5 * h);
  launch_extents(s, h);
  exchange_ahead(s);
  vvi_device_begin(s->d);
  s->known = s->counted = false; /* slots are those of the places ahead */
  s->guess = true, s->ahead_h = h;
}

/* ---- some tiles of a step ahead anew ---- */

static bool add_again(shell_device *s, int64_t tile)
{
  if (s->mark[tile]) return true;
  if (s->agains == MOST_AGAIN) return false;
  s->mark[tile] = 1, s->again[s->agains++] = (int32_t)tile;
  return true;
}

typedef struct adding {
  shell_device *s;
  bool fits;
} adding;

static void add_holder(void *user, int64_t tile, int32_t local)
{
  adding *k = user;
  (void)local;
  k->fits = k->fits && add_again(k->s, tile);
}

/* Tiles whose forces change with the places of these nodes, and those that own a node on which these act.  False: too many. */
static bool find_again(shell_device *s, int64_t n, const int32_t *node)
{
  const shell_plan *plan = s->b->plan;
  adding k = {.s = s, .fits = true};
  for (int32_t i = 0; i < s->agains; i++) s->mark[s->again[i]] = 0;
  s->agains = 0;
  for (int64_t i = 0; i < n && k.fits; i++) shell_tiles_of(plan, node[i], add_holder, &k);
  s->agains_force = s->agains;
  for (int32_t i = 0; i < s->agains_force && k.fits; i++) {
    const shell_tile *t = &plan->tile[s->again[i]], *owner = t;
    for (int32_t j = 0; j < t->halo && k.fits; j++) {
      const int64_t at = t->node0 + t->halo_node[j], first = owner->node0 + owner->own0;
      if (at >= first && at < first + owner->own) continue; /* as the one before it */
      owner = &plan->tile[shell_tile_at(plan, at, false)];
      k.fits = add_again(s, owner - plan->tile);
    }
  }
  return k.fits;
}

/* They go up; forces of one kernel after the other. */
static void force_again(shell_device *s)
{
  int32_t *from = s->again_sent;
  for (int k = 0; k < SORTS; k++) {
    int32_t n = 0;
    for (int32_t i = 0; i < s->agains_force; i++)
      if (s->sort[s->again[i]] == k)
        memcpy(from + SHELL_ROW * n++, s->tile_row + (int64_t)SHELL_ROW * s->again[i], sizeof *from * SHELL_ROW);
    vvi_buffer_send(s->d, s->again_row[k], 0, sizeof *from * (size_t)(SHELL_ROW * n), from);
    shell_device_gradient_of(s, k, s->again_row[k], n);
    from += SHELL_ROW * n;
  }
}

static void fly_again(shell_device *s, int64_t n, const int32_t *node)
{
  int32_t *to = s->again_sent + MOST_AGAIN * SHELL_ROW;
  s->guess = find_again(s, n, node);
  s->dropped = !s->guess;
  if (!s->guess) return;
  for (int32_t i = 0; i < s->agains; i++)
    memcpy(to + TILE_COLUMNS * i, s->tile_row + (int64_t)SHELL_ROW * s->again[i], sizeof *to * TILE_COLUMNS);
  vvi_buffer_send(s->d, s->again_tile, 0, sizeof *to * (size_t)(TILE_COLUMNS * s->agains), to);
  const double push = 0.5 * s->ahead_h;
  vvi_device_launch(s->d, s->drift_tiles, s->agains, 64,
                    VVI_ARGUMENTS(VVI_BUFFER(s->again_tile), VVI_BUFFER(s->table), VVI_NUMBER(s->column),
                                  VVI_BUFFER(s->mass), VVI_NUMBER(s->stride), VVI_NUMBER(push), VVI_NUMBER(s->ahead_h),
                                  VVI_BUFFER(s->pull), VVI_BUFFER(s->q), VVI_BUFFER(s->p), VVI_BUFFER(s->ahead[0]),
                                  VVI_BUFFER(s->ahead[1])));
  exchange_ahead(s);
  force_again(s);
  launch_press(s, s->again_tile, s->agains, false, push);
  launch_extents(s, s->ahead_h);
  exchange_ahead(s);
}

void shell_stay_unfly(shell_device *s)
{
  s->flown = false;
  exchange_ahead(s);
  launch_drift(s, 0.5 * s->ahead_h, s->ahead_h, s->q, s->p);
  shell_device_forget(s);
}

bool shell_stay_drift(shell_device *s, double h)
{
  s->calm = s->dropped ? 0 : s->calm + 1, s->dropped = false, s->drifts++;
  if (!s->pushing) return false;
  s->pushing = false;
  if (s->guess && s->push_h == 0.5 * s->ahead_h && h == s->ahead_h) {
    exchange_ahead(s);
    shell_device_forget(s);
    s->flown = true;
  } else {
    launch_drift(s, s->push_h, h, s->q, s->p);
    shell_device_forget(s);
  }
  return true;
}

/* ---- what the table asks for ---- */

void shell_stay_strips(void *own, int64_t n, const int32_t *strip)
{
  shell_device *s = own;
  shell_device_build(s, "\n", "", vvi_text_shell_some);
  s->push = vvi_device_kernel(s->d, "push_nodes"), s->push_drift = vvi_device_kernel(s->d, "push_and_drift");
  s->drift_tiles = vvi_device_kernel(s->d, "drift_tiles");
  s->extents = vvi_device_kernel(s->d, "extents");
  s->bring_some = vvi_device_kernel(s->d, "bring_nodes"), s->give_some = vvi_device_kernel(s->d, "give_nodes");
  s->pull = vvi_buffer_new(s->d, sizeof(double) * (size_t)(3 * s->b->column), NULL);
  s->strips = (int32_t)n;
  s->strip = vvi_buffer_new(s->d, sizeof *strip * (size_t)(2 * n), strip);
  s->box = vvi_buffer_new(s->d, sizeof(double) * (size_t)(6 * n), NULL);
  s->asked_in = calloc((size_t)s->nodes + 1, sizeof *s->asked_in);
  s->lately = calloc(3 * ((size_t)s->nodes + 1), sizeof *s->lately);
  if (s->asked_in == NULL || s->lately == NULL) vvi_device_fail(s->d, "out of memory");
  if (vvi_device_trouble(s->d) != NULL) return;
  s->missed = s->lately + s->nodes + 1, s->guess_at = s->missed + s->nodes + 1;
  if (s->b->n_load > 0 || s->b->z_reals > 0 || s->b->booked || s->b->viscous) return;
  const size_t bytes = sizeof(double) * (size_t)(3 * s->b->column);
  for (int i = 0; i < 3; i++) s->ahead[i] = vvi_buffer_new(s->d, bytes, NULL);
  s->ahead[3] = vvi_buffer_new(s->d, sizeof(double) * (size_t)(6 * n), NULL);
  s->mark = calloc((size_t)shell_plan_of(s->b)->tiles + 1, 1);
  s->again = malloc(sizeof *s->again * MOST_AGAIN);
  if (s->mark == NULL || s->again == NULL) vvi_device_fail(s->d, "out of memory");
  for (int k = 0; k < SORTS; k++)
    s->again_row[k] = vvi_buffer_new(s->d, s->tiles[k] > 0 ? sizeof(int32_t) * MOST_AGAIN * SHELL_ROW : 0, NULL);
  s->again_tile = vvi_buffer_new(s->d, sizeof(int32_t) * MOST_AGAIN * TILE_COLUMNS, NULL);
  s->again_sent = vvi_device_pin(s->d, sizeof(int32_t) * MOST_AGAIN * (SHELL_ROW + TILE_COLUMNS));
  s->guess_node = vvi_buffer_new(s->d, sizeof(int32_t) * MOST_LATELY, NULL);
  s->guess_rows = vvi_buffer_new(s->d, NODE_ROW * sizeof(double) * MOST_LATELY, NULL);
  s->guess_down = vvi_device_pin(s->d, NODE_ROW * sizeof(double) * MOST_LATELY);
  s->guess_name = vvi_device_pin(s->d, sizeof(int32_t) * MOST_LATELY);
}

void shell_stay_press(void *own, double t)
{
  shell_device *s = own;
  if (!s->flown) shell_device_flush(s);
  if (s->b->n_load == 0 && s->b->z_reals == 0)
    s->pressing = true;
  else
    shell_device_force_to(s, t, s->pull);
}

/* With the forces, where these wait; or with the drift behind it. */
void shell_stay_push(void *own, double h)
{
  shell_device *s = own;
  if (s->flown && s->pressing && h == 0.5 * s->ahead_h) { /* that has been done */
    s->flown = s->pressing = false, s->measured = true;
    return;
  }
  if (s->flown) shell_stay_unfly(s);
  if (s->pressing && h != 0.0) {
    shell_stay_press_now(s, h);
    return;
  }
  if (!(s->guess && h == 0.5 * s->ahead_h)) shell_device_flush(s);
  s->pushing = true, s->push_h = h;
}

void shell_stay_clusters(void *own, int64_t n, const int32_t *first, const int32_t *strip, const double *half)
{
  shell_device *s = own;
  const size_t count = (size_t)n;
  s->bounds = vvi_device_kernel(s->d, "bounds"), s->take_budgets = vvi_device_kernel(s->d, "take_budgets");
  s->bring_rows = vvi_device_kernel(s->d, "bring_rows");
  s->clusters = (int32_t)n, s->report_rows = (count + 7) / 8 * 8;
  s->cluster_first = vvi_buffer_new(s->d, sizeof *first * (count + 1), first);
  s->cluster_strip = vvi_buffer_new(s->d, sizeof *strip * (size_t)first[n], strip);
  s->cluster_half = vvi_buffer_new(s->d, sizeof *half * count, half);
  s->motion = vvi_buffer_new(s->d, sizeof(vv_motion_row) * count, NULL);
  s->budget = vvi_buffer_new(s->d, sizeof(vv_motion_budget) * count, NULL);
  s->fixed = vvi_buffer_new(s->d, sizeof(int32_t) * count, NULL);
  s->which = vvi_buffer_new(s->d, sizeof(int32_t) * count, NULL);
  s->news = vvi_buffer_new(s->d, sizeof(vv_motion_budget) * count, NULL);
  s->report = vvi_buffer_new(s->d, s->report_rows + sizeof(vv_motion_row) * count, NULL);
  s->told_back = vvi_device_pin(s->d, s->report_rows + sizeof(vv_motion_row) * (count + 1));
}

static void launch_bring(shell_device *s, int32_t n, vvi_buffer *node, vvi_buffer *rows)
{
  vvi_device_each(s->d, s->bring_some, n,
                  VVI_ARGUMENTS(VVI_NUMBER(n), VVI_BUFFER(node), VVI_NUMBER(s->column), VVI_BUFFER(s->q),
                                VVI_BUFFER(s->p), VVI_BUFFER(s->pull), VVI_BUFFER(rows)));
}

/* Those that were asked for lately, named to the device where they are others than before. */
static void name_lately(shell_device *s)
{
  bool same = true;
  for (int drifts = LATELY; drifts > 0 && (drifts == LATELY || s->latelies > MOST_LATELY); drifts /= 2) {
    int32_t n = 0;
    for (int32_t i = 0; i < s->latelies; i++) {
      const int32_t node = s->lately[i];
      if (s->asked_in[node] + drifts > s->drifts)
        s->lately[n++] = node;
      else
        s->asked_in[node] = 0;
    }
    s->latelies = n;
  }
  const int32_t before = s->guesses;
  s->guesses = s->latelies <= MOST_LATELY ? s->latelies : 0;
  for (int32_t i = 0; same && i < s->guesses; i++) same = i < before && s->guess_name[i] == s->lately[i];
  if (same) return;
  for (int32_t i = 0; i < s->guesses; i++) s->guess_name[i] = s->lately[i], s->guess_at[s->lately[i]] = i;
  vvi_buffer_send(s->d, s->guess_node, 0, sizeof *s->lately * (size_t)s->guesses, s->guess_name);
}

/* They come down, for whoever asks again. */
static void fetch_lately(shell_device *s)
{
  name_lately(s);
  if (s->guesses == 0) return;
  launch_bring(s, s->guesses, s->guess_node, s->guess_rows);
  vvi_buffer_fetch(s->d, s->guess_rows, 0, NODE_ROW * sizeof(double) * (size_t)s->guesses, s->guess_down);
}

static void launch_rows(shell_device *s, int32_t n)
{
  const int32_t first = (int32_t)(s->report_rows / sizeof(double));
  vvi_device_each(s->d, s->bring_rows, n,
                  VVI_ARGUMENTS(VVI_NUMBER(n), VVI_BUFFER(s->which), VVI_BUFFER(s->motion), VVI_NUMBER(first),
                                VVI_BUFFER(s->report)));
}

void shell_stay_bounds(void *own, double h, bool drifted, int64_t n, const int32_t *cluster,
                       const vv_motion_budget *budget, unsigned char *past, vv_motion_row *row)
{
  shell_device *s = own;
  const int32_t count = (int32_t)n, done = drifted;
  const size_t rows = sizeof *row * (size_t)n;
  const bool measured = s->measured && s->ahead_h == h;
  shell_device_finish(s);
  vvi_buffer_send(s->d, s->which, 0, sizeof *cluster * (size_t)n, cluster);
  vvi_buffer_send(s->d, s->news, 0, sizeof *budget * (size_t)n, budget);
  vvi_device_each(s->d, s->take_budgets, n,
                  VVI_ARGUMENTS(VVI_NUMBER(count), VVI_BUFFER(s->which), VVI_BUFFER(s->news), VVI_BUFFER(s->budget),
                                VVI_BUFFER(s->motion), VVI_BUFFER(s->fixed)));
  if (!measured) launch_extents(s, h);
  vvi_device_each(s->d, s->bounds, s->clusters,
                  VVI_ARGUMENTS(VVI_NUMBER(s->clusters), VVI_BUFFER(s->cluster_first), VVI_BUFFER(s->cluster_strip),
                                VVI_BUFFER(s->cluster_half), VVI_BUFFER(s->box), VVI_NUMBER(done),
                                VVI_BUFFER(s->budget), VVI_BUFFER(s->motion), VVI_BUFFER(s->fixed),
                                VVI_BUFFER(s->report)));
  launch_rows(s, count);
  const bool flies = may_fly(s);
  if (flies) fetch_lately(s);
  vvi_buffer_fetch(s->d, s->report, 0, s->report_rows + rows, s->told_back);
  vvi_device_await(s->d);
  if (flies) fly_ahead(s, h); /* not before: a wait for one of NVIDIA's events is one for all that is queued by then */
  s->giving = false;
  if (vvi_device_trouble(s->d) != NULL) {
    memset(past, 0, (size_t)s->clusters), memset(row, 0, rows);
    return;
  }
  memcpy(past, s->told_back, (size_t)s->clusters);
  memcpy(row, s->told_back + s->report_rows, rows);
}

void shell_stay_rows(void *own, int64_t n, const int32_t *cluster, vv_motion_row *row)
{
  shell_device *s = own;
  shell_device_finish(s);
  vvi_device_aside(s->d, s->guess);
  vvi_buffer_send(s->d, s->which, 0, sizeof *cluster * (size_t)n, cluster);
  launch_rows(s, (int32_t)n);
  vvi_buffer_read(s->d, s->report, s->report_rows, sizeof *row * (size_t)n, row);
  vvi_device_aside(s->d, false);
  if (vvi_device_trouble(s->d) != NULL) memset(row, 0, sizeof *row * (size_t)n);
}

/* Room for rows of n nodes, which are named.  Grows by doubling; never more than all of them. */
static bool name_some(shell_device *s, int64_t n, const int32_t *node)
{
  if (n > s->most_some) {
    const int64_t room = 2 * n + 1024 < s->nodes ? 2 * n + 1024 : shell_larger(n, s->nodes);
    vvi_device_finish(s->d); /* what is given may still be on its way */
    vvi_buffer_free(s->d, s->some), vvi_buffer_free(s->d, s->rows);
    vvi_device_unpin(s->d, s->down), vvi_device_unpin(s->d, s->named);
    s->some = vvi_buffer_new(s->d, sizeof *node * (size_t)room, NULL);
    s->rows = vvi_buffer_new(s->d, NODE_ROW * sizeof(double) * (size_t)room, NULL);
    s->down = vvi_device_pin(s->d, NODE_ROW * sizeof(double) * (size_t)room);
    s->named = vvi_device_pin(s->d, sizeof *node * (size_t)room);
    s->most_some = s->down != NULL && s->named != NULL ? room : 0;
  }
  if (vvi_device_trouble(s->d) != NULL) return false;
  if (s->giving) vvi_device_finish(s->d); /* what is given is still on its way */
  s->giving = false;
  memcpy(s->named, node, sizeof *node * (size_t)n);
  vvi_buffer_send(s->d, s->some, 0, sizeof *node * (size_t)n, s->named);
  return vvi_device_trouble(s->d) == NULL;
}

/* It may be asked for again. */
static void remember(shell_device *s, int64_t n, const int32_t *node)
{
  for (int64_t i = 0; i < n; i++) {
    if (s->asked_in[node[i]] == 0) s->lately[s->latelies++] = node[i];
    s->asked_in[node[i]] = s->drifts + 1;
  }
}

static bool is_here(const shell_device *s, int32_t node)
{
  const int32_t at = s->guess_at[node];
  return at < s->guesses && s->guess_name[at] == node;
}

/* Those that came down with the bounds are taken from there; others are named in `missed`. */
static int64_t take_guessed(shell_device *s, int64_t n, const int32_t *node, double *const to[3])
{
  int64_t missed = 0;
  for (int64_t i = 0; i < n; i++) {
    if (!is_here(s, node[i])) {
      s->missed[missed++] = node[i];
      continue;
    }
    const double *row = s->guess_down + s->guess_at[node[i]];
    for (int c = 0; c < NODE_ROW; c++) to[c / 3][c % 3 * s->b->column + node[i]] = row[(int64_t)c * s->guesses];
  }
  return missed;
}

void shell_stay_bring(void *own, int64_t n, const int32_t *node, double *q, double *p, double *f)
{
  shell_device *s = own;
  double *const to[3] = {q, p, f};
  shell_device_finish(s);
  remember(s, n, node);
  if (s->guess) n = take_guessed(s, n, node, to), node = s->missed;
  if (n == 0) return;
  vvi_device_aside(s->d, s->guess);
  if (name_some(s, n, node)) {
    launch_bring(s, (int32_t)n, s->some, s->rows);
    vvi_buffer_read(s->d, s->rows, 0, NODE_ROW * sizeof(double) * (size_t)n, s->down);
  }
  vvi_device_aside(s->d, false);
  if (vvi_device_trouble(s->d) != NULL) return;
#pragma omp parallel for num_threads(s->b->threads) if (n >= SHARED_NODES && s->b->threads > 1)
  for (int c = 0; c < NODE_ROW; c++)
    for (int64_t i = 0; i < n; i++) to[c / 3][c % 3 * s->b->column + node[i]] = s->down[c * n + i];
}

void shell_stay_give(void *own, int64_t n, const int32_t *node, const double *p)
{
  shell_device *s = own;
  const int32_t count = (int32_t)n;
  if (n == 0) return;
  const bool ahead = s->guess && !s->pushing;
  if (!ahead) shell_device_flush(s);
  if (!name_some(s, n, node)) return;
  for (int c = 0; c < 3; c++)
    for (int64_t i = 0; i < n; i++) s->down[c * n + i] = p[c * s->b->column + node[i]];
  vvi_buffer_send(s->d, s->rows, 0, 3 * sizeof(double) * (size_t)n, s->down);
  s->giving = true;
  vvi_device_each(s->d, s->give_some, n,
                  VVI_ARGUMENTS(VVI_NUMBER(count), VVI_BUFFER(s->some), VVI_NUMBER(s->column), VVI_BUFFER(s->rows),
                                VVI_BUFFER(s->p)));
  if (ahead) fly_again(s, n, node);
}
