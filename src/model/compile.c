/* model/compile.c  Measure, place, fill, check: from groups to blocks.
 *
 * Pass 1 asks every body what it needs and adds up, one block per kind that is used; then everything is placed at once;
 * pass 2 lets the kinds fill their slices; pass 3 checks that no number is left undefined. */
#include "model/columns.h"
#include "model/model.h"

#include "math/math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 20000 }; /* loops over more are shared by the threads */

static const vv_body_kind *kind_find(const vv_catalog *c, const char *name)
{
  for (const vv_body_kind *const *k = c->body; *k != NULL; k++)
    if (strcmp((*k)->name, name) == 0) return *k;
  return NULL;
}

/* What ranks share is large: it is in the file where a scene was prepared. */
static bool is_kept(const vv_model *m, const vv_body_kind *k)
{
  return k->share != NULL && vvi_is_prepared(m->ctx);
}

/* What was measured, but for what it left for fill. */
static vv_status keep_need(const vv_model *m, int body, vv_need *need)
{
  vv_need kept = *need;
  kept.arena = NULL, kept.found = NULL;
  VV_TRY(vvi_keep_value(m->ctx, &kept, sizeof kept, "need%d", body));
  kept.arena = need->arena, kept.found = need->found;
  *need = kept;
  return VV_OK;
}

/* Pass 1: bodies in scene order, counts per kind.  All bodies are measured, so that all their mistakes are reported. */
static vv_status measure_bodies(vv_model *m, vv_need *need)
{
  const vv_catalog *catalog = vvi_ctx_catalog(m->ctx);
  vv_status status = VV_OK;
  for (int i = 0; i < m->n_body; i++) {
    vv_body *b = &m->body[i];
    b->group = vv_item(m->root, "bodies", i);
    b->name = vv_item_name(m->root, "bodies", i);
    b->kind = kind_find(catalog, vv_text(b->group, "kind"));
    b->index = i;
    VV_ASSERT(b->kind != NULL && b->kind->node_p <= VVI_NODE_P);
    need[i] = (vv_need){.arena = need[i].arena};
    vv_status one = is_kept(m, b->kind) ? VV_OK : b->kind->measure(b->group, &need[i]);
    if (one == VV_OK && b->kind->share != NULL) one = keep_need(m, i, &need[i]);
    if (one != VV_OK && status == VV_OK) status = one;
  }
  return status;
}

/* Reals in whole lines of memory. */
static int64_t whole_lines(int64_t reals)
{
  return (reals + 7) / 8 * 8;
}

/* Gives every body its slices in its block. */
static vv_status slice_block(vv_model *m, vv_block *block, const vv_body_kind *kind, const vv_need *need)
{
  block->kind = kind;
  const vv_body **list = VVI_ARENA_NEW(&m->arena, const vv_body *, m->n_body);
  if (list == NULL) return VV_NOMEM;
  for (int i = 0; i < m->n_body; i++) {
    vv_body *b = &m->body[i];
    if (b->kind != kind) continue;
    b->block = m->n_block;
    b->node0 = block->nodes, b->n_node = need[i].nodes;
    b->element0 = block->elements, b->n_element = need[i].elements;
    b->z0 = block->z_reals, b->n_z = need[i].internal;
    b->patch0 = block->patches, b->n_patch = need[i].patches;
    b->load0 = block->n_load, b->n_load = need[i].loads;
    block->nodes += need[i].nodes;
    block->elements += need[i].elements;
    block->z_reals += whole_lines(need[i].internal);
    block->patches += need[i].patches;
    block->n_load += need[i].loads;
    list[block->n_body++] = b;
  }
  block->body = list;
  return VV_OK;
}

/* Columns that lie a multiple of 4 KiB apart fight for the same places in the caches: long ones are moved apart by 17
 * lines of 64 bytes.  (docs/performance.md) */
static int64_t column_of(const vv_body_kind *k, int64_t nodes)
{
  enum { LINE = 8, PAGE = 64 * LINE, APART = 17 * LINE, LONG = 2048 };
  if (k->node_q <= 1) return nodes;
  const int64_t lines = (nodes + LINE - 1) / LINE * LINE;
  return nodes < LONG ? lines : lines + (APART - lines % PAGE + PAGE) % PAGE;
}

static bool can_touch(const vv_model *m)
{
  for (int i = 0; i < vv_count(m->root, "contacts"); i++)
    if (!vv_is(vv_item(m->root, "contacts", i), "response", "none")) return true;
  return false;
}

/* The columns of a block: after they were filled in, or in place of that. */
static vv_status keep_block(const vv_model *m, vv_block *b)
{
  const vv_body_kind *k = b->kind;
  const int number = (int)(b - m->block);
  if (k->share == NULL) return VV_OK;
  VV_TRY(vvi_keep(m->ctx, &b->node_real, sizeof *b->node_real, k->node_reals * b->stride, "block%d.node", number));
  VV_TRY(vvi_keep(m->ctx, &b->element_real, sizeof *b->element_real, k->element_reals * b->elements, "block%d.element",
                  number));
  return vvi_keep(m->ctx, &b->element_node, sizeof *b->element_node, k->element_nodes * b->elements, "block%d.corner",
                  number);
}

/* Said before it is asked for: a machine that swaps answers to nobody. */
static vv_status check_memory(const vv_model *m, const vv_block *b)
{
  const vv_body_kind *k = b->kind;
  const double reals = (double)b->nodes * (k->node_reals + 6.0 * (k->node_q + k->node_p)) +
                       (double)b->elements * k->element_reals + 2.0 * (double)b->z_reals;
  const double bytes = k->node_bytes + (can_touch(m) ? k->contact_bytes : 0);
  const double wanted = 8.0 * reals + (double)b->nodes * bytes, there = vvi_memory();
  if (wanted <= there || is_kept(m, k)) return VV_OK;
  return vv_complain(b->body[0]->group, NULL, "%lld nodes of kind %s need about %.3g GB, and this machine has %.3g GB",
                     (long long)b->nodes, k->name, 1e-9 * wanted, 1e-9 * there);
}

static vv_status no_memory(const vv_block *b)
{
  vv_complain(b->body[0]->group, NULL, "out of memory for %lld nodes of kind %s; use fewer", (long long)b->nodes,
              b->kind->name);
  return VV_NOMEM;
}

static vv_status place_block(vv_model *m, vv_block *b)
{
  const vv_body_kind *k = b->kind;
  VV_TRY(check_memory(m, b));
  b->claims = k->claims;
  if (b->nodes > INT32_MAX - 8) return vv_complain(b->body[0]->group, NULL, "more than 2^31 nodes of kind %s", k->name);
  b->stride = (b->nodes + 7) / 8 * 8;
  b->column = column_of(k, b->nodes);
  b->q0 = m->nq, b->p0 = m->np;
  b->patch0 = m->n_patch;
  m->nq += k->node_q * b->column;
  m->np += k->node_p * b->column;
  m->n_patch += b->patches;
  if (is_kept(m, k)) {
    VV_TRY(keep_block(m, b));
  } else {
    b->node_real = VVI_ARENA_NEW(&m->arena, double, k->node_reals * b->stride);
    b->element_real = VVI_ARENA_NEW(&m->arena, double, k->element_reals * b->elements);
    b->element_node = VVI_ARENA_NEW(&m->arena, int32_t, k->element_nodes * b->elements);
  }
  b->body_real = VVI_ARENA_NEW(&m->arena, double, k->body_reals * b->n_body);
  b->patch = VVI_ARENA_NEW(&m->arena, vv_patch, b->patches);
  b->load = VVI_ARENA_NEW(&m->arena, vv_load, b->n_load);
  if (!b->node_real || !b->element_real || !b->element_node || !b->body_real || !b->patch || !b->load)
    return no_memory(b);
  memcpy(b->gravity, m->gravity, sizeof b->gravity);
  b->threads = vv_ctx_threads(m->ctx);
  return VV_OK;
}

/* Internal variables lie behind all places, each body's from the start of a line of memory on, and so do momenta behind them. */
static void place_internal(vv_model *m)
{
  m->nx = m->nq;
  for (int i = 0; i < m->n_block; i++) {
    vv_block *b = &m->block[i];
    if (b->z_reals > 0) m->nq = whole_lines(m->nq);
    b->z0 = m->nq - b->q0;
    m->nq += b->z_reals;
  }
}

static vv_status place_blocks(vv_model *m, const vv_need *need)
{
  const vv_catalog *catalog = vvi_ctx_catalog(m->ctx);
  int n_kind = 0;
  while (catalog->body[n_kind] != NULL) n_kind++;
  m->block = VVI_ARENA_NEW(&m->arena, vv_block, n_kind);
  if (m->block == NULL) return VV_NOMEM;
  for (int k = 0; k < n_kind; k++) {
    vv_block *b = &m->block[m->n_block];
    VV_TRY(slice_block(m, b, catalog->body[k], need));
    if (b->n_body == 0) continue;
    VV_TRY(place_block(m, b));
    m->n_block++;
  }
  place_internal(m);
  return VV_OK;
}

/* Pass 2.  What measure has left for fill goes when the body is filled. */
static vv_status fill_blocks(vv_model *m, const vv_need *need, double *q, double *p)
{
  vv_status status = VV_OK;
  for (int i = 0; i < m->n_block; i++) {
    vv_block *b = &m->block[i];
    for (int32_t j = 0; j < b->n_body; j++) {
      const vv_need *n = &need[b->body[j]->index];
      vv_fill f = {.block = b, .body = b->body[j], .body_in_block = j, .q = q + b->q0, .p = p + b->p0};
      f.arena = &m->arena, f.early = n->arena, f.found = n->found;
      const vv_status one = b->kind->fill(b->body[j]->group, &f);
      vvi_arena_free(n->arena);
      if (one != VV_OK && status == VV_OK) status = one;
    }
    m->driven |= b->driven, m->viscous |= b->viscous, m->flows |= b->z_reals > 0;
    if (status == VV_OK && !vvi_is_prepared(m->ctx)) status = keep_block(m, b);
  }
  return status;
}

/* 0, or no number where one of them is not finite. */
static double zero_of(int64_t n, const double *x)
{
  double sum = 0.0;
#pragma omp parallel for schedule(static) reduction(+ : sum) if (n > MANY)
  for (int64_t i = 0; i < n; i++) sum += 0.0 * x[i];
  return sum;
}

/* Pass 3: what the kinds computed from finite words must be finite too. */
static vv_status check_finite(const vv_model *m, const double *q, const double *p)
{
  for (int i = 0; i < m->n_body; i++) {
    const vv_body *body = &m->body[i];
    const vv_block *b = &m->block[body->block];
    double sum = 0.0;
    for (int c = 0; c < b->kind->node_reals; c++)
      sum += zero_of(body->n_node, b->node_real + c * b->stride + body->node0);
    for (int c = 0; c < b->kind->node_q; c++) sum += zero_of(body->n_node, q + b->q0 + c * b->column + body->node0);
    for (int c = 0; c < b->kind->node_p; c++) sum += zero_of(body->n_node, p + b->p0 + c * b->column + body->node0);
    if (sum != 0.0)
      return vv_complain(body->group, NULL, "its masses, stiffnesses or motion overflow; check the units");
  }
  return VV_OK;
}

/* Grows the box [lo, hi] to hold n points. */
static void include_points(int64_t n, const double *x, double lo[3], double hi[3])
{
  for (int c = 0; c < 3; c++) {
    double low = lo[c], high = hi[c];
#pragma omp parallel for schedule(static) reduction(min : low) reduction(max : high) if (n > MANY)
    for (int64_t i = 0; i < n; i++)
      low = x[3 * i + c] < low ? x[3 * i + c] : low, high = x[3 * i + c] > high ? x[3 * i + c] : high;
    lo[c] = low, hi[c] = high;
  }
}

/* Size of the scene: the diagonal of the box around all nodes and surface points, for tolerances on gaps. */
static vv_status measure_length(vv_model *m, const double *q, const double *p)
{
  double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY}, d = 0.0;
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    for (int32_t j = 0; j < b->patches; j++) {
      if (b->patch[j].node < 0) continue;
      double x[3];
      const vv_point pt = {.patch = j};
      b->kind->surface(b, q + b->q0, 1, &pt, x);
      include_points(1, x, lo, hi);
    }
    if (b->nodes == 0) continue;
    double *x = malloc(sizeof(double) * 3 * (size_t)b->nodes);
    if (x == NULL) return vvi_fail(m->ctx, VV_NOMEM, "out of memory");
    b->kind->output(b, 0, q + b->q0, p + b->p0, x); /* output 0 is the position */
    include_points(b->nodes, x, lo, hi);
    free(x);
  }
  for (int c = 0; c < 3; c++)
    if (hi[c] > lo[c]) d += (hi[c] - lo[c]) * (hi[c] - lo[c]);
  m->length_scale = d > 0.0 ? sqrt(d) : 1.0;
  for (int c = 0; c < 3; c++)
    if (hi[c] >= lo[c]) m->reach = fmax(m->reach, fmax(fabs(lo[c]), fabs(hi[c])));
  return VV_OK;
}

/* What is looked at when everything is filled in; known where it was prepared. */
static vv_status look_over(vv_model *m, const double *q, const double *p)
{
  if (!vvi_is_prepared(m->ctx)) {
    VV_TRY(check_finite(m, q, p));
    VV_TRY(measure_length(m, q, p));
  }
  VV_TRY(vvi_keep_value(m->ctx, &m->length_scale, sizeof m->length_scale, "length"));
  return vvi_keep_value(m->ctx, &m->reach, sizeof m->reach, "reach");
}

static vv_status check_scene(const vv_model *m)
{
  uint64_t hash = m->scene_hash;
  VV_TRY(vvi_keep_value(m->ctx, &hash, sizeof hash, "scene_hash"));
  if (hash == m->scene_hash) return VV_OK;
  return vvi_fail(m->ctx, VV_SCENE, "%.160s: is another scene than the one that was prepared; prepare it again",
                  vvi_ctx_prepared(m->ctx)->path);
}

/* The first state: zeros that are filled in; the state that was prepared. */
static vv_status place_state(vv_model *m, double **q, double **p)
{
  *q = *p = NULL;
  if (vvi_is_prepared(m->ctx)) return vvi_model_start(m, q, p);
  *q = VVI_ARENA_NEW(&m->arena, double, m->nq);
  *p = VVI_ARENA_NEW(&m->arena, double, m->np);
  return *q != NULL && *p != NULL ? VV_OK : vvi_fail(m->ctx, VV_NOMEM, "out of memory for the state");
}

vv_status vvi_model_start(const vv_model *m, double **q, double **p)
{
  VV_TRY(vvi_keep(m->ctx, q, sizeof **q, m->nq, "state.q"));
  return vvi_keep(m->ctx, p, sizeof **p, m->np, "state.p");
}

static vv_status build_bodies(vv_model *m, vv_need *need, double **q, double **p)
{
  VV_TRY(measure_bodies(m, need));
  VV_TRY(place_blocks(m, need));
  VV_TRY(place_state(m, q, p));
  VV_TRY(fill_blocks(m, need, *q, *p));
  return look_over(m, *q, *p);
}

vv_status vvi_model_build(vv_ctx *ctx, const vv_spec *spec, vv_model *m, double **q, double **p)
{
  m->ctx = ctx;
  VV_TRY(vvi_bind(ctx, spec, &m->arena, &m->root));
  m->source = vvi_arena_text(&m->arena, vvi_spec_source(spec));
  m->title = vv_text(m->root, "title");
  m->scene_hash = vvi_group_hash(m->root);
  m->n_body = vv_count(m->root, "bodies");
  VV_TRY(check_scene(m));
  int n;
  memcpy(m->gravity, vv_numbers(m->root, "gravity", &n), sizeof m->gravity);
  m->body = VVI_ARENA_NEW(&m->arena, vv_body, m->n_body);
  vv_need *need = VVI_ARENA_NEW(&m->arena, vv_need, m->n_body);
  vvi_arena *early = VVI_ARENA_NEW(&m->arena, vvi_arena, m->n_body);
  if (m->source == NULL || m->body == NULL || need == NULL || early == NULL) return VV_NOMEM;
  for (int i = 0; i < m->n_body; i++) need[i].arena = &early[i];
  const int team = vvi_team_usual(vv_ctx_threads(ctx));
  const vv_status status = build_bodies(m, need, q, p);
  vvi_team_usual(team);
  for (int i = 0; i < m->n_body; i++) vvi_arena_free(&early[i]);
  return status;
}

int vvi_model_body_find(const vv_model *m, const char *name)
{
  for (int i = 0; i < m->n_body; i++)
    if (strcmp(m->body[i].name, name) == 0) return i;
  return -1;
}

const vv_block *vvi_model_patch_block(const vv_model *m, int32_t patch, int32_t *local)
{
  int i = m->n_block - 1;
  while (i > 0 && m->block[i].patch0 > patch) i--;
  *local = patch - m->block[i].patch0;
  return &m->block[i];
}

const vv_patch *vvi_model_patch(const vv_model *m, int32_t patch)
{
  int32_t local;
  const vv_block *b = vvi_model_patch_block(m, patch, &local);
  return &b->patch[local];
}

void vv_model_destroy(vv_model *m)
{
  if (m == NULL) return;
  for (int i = 0; i < m->n_block; i++)
    if (m->block[i].kind->unshare != NULL) m->block[i].kind->unshare(&m->block[i]);
  vvi_arena arena = m->arena; /* the model itself lives in its arena */
  vvi_arena_free(&arena);
}

const char *vv_model_step_reason(const vv_model *m)
{
  return m->step_reason;
}

double vv_model_stable_step(const vv_model *m)
{
  return m->stable_step;
}
double vv_model_step(const vv_model *m)
{
  return m->step;
}
int64_t vv_model_steps(const vv_model *m)
{
  return m->steps;
}
int vv_model_bodies(const vv_model *m)
{
  return m->n_body;
}
const char *vv_model_body_name(const vv_model *m, int i)
{
  return m->body[i].name;
}
const char *vv_model_body_kind(const vv_model *m, int i)
{
  return m->body[i].kind->name;
}
const char *vv_model_title(const vv_model *m)
{
  return m->title;
}
vv_ctx *vv_model_ctx(const vv_model *m)
{
  return m->ctx;
}

int64_t vv_model_nodes(const vv_model *m)
{
  int64_t n = 0;
  for (int i = 0; i < m->n_block; i++) n += m->block[i].nodes;
  return n;
}
