/* step/stay.c  Blocks of points that stay on an accelerator while the host resolves contacts.
 *
 * The search is told which clusters may use up a budget of their motion, and asks for what these do, and for the nodes of those that
 * it has to look at (contact/broad/away.h).  These are on the host until the drift; of all others its columns are old, and nobody may read them: where asserts are
 * compiled they are made NaN.  The host has the whole state again when somebody looks (vvi_bring_down). */
#include "contact/broad/away.h"
#include "contact/contact.h"
#include "step/accelerate.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- for the search ---- */

/* Nodes that the last drift asked for come, too: they are asked for again as often as not, and a wait costs more than some thousand. */
static void bounds(void *user, int block, double h, bool drifted, double drifts, int64_t n, const int32_t *cluster,
                   const vv_motion_budget *budget, unsigned char *past, vv_motion_row *row)
{
  struct vv_step *s = user;
  vvi_accelerator *a = s->accelerator;
  const vv_block *b = &s->model->block[block];
  const int32_t guesses = a->guessed[block] == a->now ? 0 : a->guesses[block];
  int32_t *node = a->guess[block];
  b->kind->device->bounds(a->own[block], h, drifted, drifts, n, cluster, budget, past, row, guesses, node,
                          s->state->q + b->q0, s->state->p + b->p0, a->f != NULL ? a->f + b->p0 : NULL);
  for (int32_t i = 0; i < guesses; i++) a->here[block][node[i]] = a->now;
  if (a->guessed[block] != a->now) a->guesses[block] = 0;
  a->guessed[block] = a->now;
}

static void cruise(void *user, int block, double h, bool drifted, int64_t steps, int64_t n, const int32_t *cluster,
                   const vv_motion_budget *budget)
{
  const struct vv_step *s = user;
  s->accelerator->cruising = steps;
  s->model->block[block].kind->device->cruise(s->accelerator->own[block], h, drifted, steps, n, cluster, budget);
}

static int64_t cruised(void *user)
{
  const struct vv_step *s = user;
  const vvi_accelerator *a = s->accelerator;
  int64_t n = a->cruising;
  for (int i = 0; i < s->model->n_block; i++) {
    const int64_t some = vvi_stays(s, i) ? s->model->block[i].kind->device->cruised(a->own[i]) : n;
    n = some < n ? some : n;
  }
  for (int i = 0; n < a->cruising && i < s->model->n_block; i++)
    if (vvi_stays(s, i)) s->model->block[i].kind->device->cruise_back(a->own[i], n);
  return n;
}

/* A node that is asked for in this drift; too many are no guess. */
static void note_guess(vvi_accelerator *a, int block, int32_t node)
{
  if (a->asked[block][node] == a->now) return;
  a->asked[block][node] = a->now;
  if (a->guesses[block] < VV_DEVICE_GUESSES) a->guess[block][a->guesses[block]++] = node;
}

static void rows(void *user, int block, int64_t n, const int32_t *cluster, vv_motion_row *row)
{
  const struct vv_step *s = user;
  s->model->block[block].kind->device->rows(s->accelerator->own[block], n, cluster, row);
}

static void references(void *user, int block, int32_t first, int64_t n, const double *reference)
{
  const struct vv_step *s = user;
  s->model->block[block].kind->device->references(s->accelerator->own[block], first, n, reference);
}

static void refer(void *user, int block, int64_t n, const int32_t *cluster)
{
  const struct vv_step *s = user;
  s->model->block[block].kind->device->refer(s->accelerator->own[block], n, cluster);
}

/* Those that are not here yet; NULL: of all. */
static void bring(void *user, int block, int64_t n, const int32_t *node)
{
  struct vv_step *s = user;
  vvi_accelerator *a = s->accelerator;
  const vv_block *b = &s->model->block[block];
  int64_t some = 0;
  if (!vvi_stays(s, block)) return;
  for (int64_t i = 0; i < n; i++) {
    const int32_t at = node != NULL ? node[i] : (int32_t)i;
    if (node != NULL) note_guess(a, block, at);
    if (a->here[block][at] == a->now) continue;
    a->here[block][at] = a->now, a->some[some++] = at;
  }
  b->kind->device->bring(a->own[block], some, a->some, s->state->q + b->q0, s->state->p + b->p0, a->f + b->p0);
}

static void give(void *user, int block, int64_t n, const int32_t *node)
{
  struct vv_step *s = user;
  const vv_block *b = &s->model->block[block];
  b->kind->device->give(s->accelerator->own[block], n, node, s->state->p + b->p0);
}

static bool flies(void *user, int block)
{
  const struct vv_step *s = user;
  const vv_device_table *d = s->model->block[block].kind->device;
  return vvi_stays(s, block) && d->flies != NULL && d->flies(s->accelerator->own[block]);
}

static void fly(void *user, int block, const vv_device_flights *w)
{
  const struct vv_step *s = user;
  s->model->block[block].kind->device->fly(s->accelerator->own[block], w);
}

/* ---- open and close ---- */

/* Strips of the search whose points a block has; number: of each, there. */
static void send_strips(const struct vv_step *s, int block, int32_t *row, int32_t *number)
{
  const struct vvi_sheets *m = s->model->sheets;
  const vv_block *b = &s->model->block[block];
  int32_t n = 0;
  for (int32_t i = 0; i < m->n_strip; i++) {
    const vvi_sheet_body *k = &m->body[m->strip_body[i]];
    const int32_t first = (i - k->strip0) * VVI_SHEET_STRIP, left = k->movers - first;
    if (k->carrier != VVI_CARRY_POINTS || k->block != b) continue;
    row[2 * n] = (int32_t)k->node0 + first, row[2 * n + 1] = left < VVI_SHEET_STRIP ? left : VVI_SHEET_STRIP;
    number[i] = n++;
  }
  b->kind->device->strips(s->accelerator->own[block], n, row);
}

/* And its clusters, in the order in which the search names them. */
static bool send_clusters(const struct vv_step *s, int block, const int32_t *number, int32_t *first, int32_t *strip,
                          double *half)
{
  const struct vvi_sheets *m = s->model->sheets;
  const vvi_sheet_search *search = s->contact->features->search;
  const vvi_sheet_away *k = search->away;
  int32_t *spot0 = malloc(sizeof *spot0 * (size_t)(m->n_cluster + 1));
  int32_t *spot = malloc(sizeof *spot * (size_t)(vvi_sheet_away_spots(search, block, NULL, NULL) + 1));
  const bool good = spot0 != NULL && spot != NULL;
  const int32_t n = k->first[block + 1] - k->first[block];
  int32_t at = 0;
  for (int32_t i = 0; i < n; i++) {
    const vvi_sheet_cluster *r = &m->cluster[k->cluster[k->first[block] + i]];
    first[i] = at, half[i] = 0.5 * m->body[r->body].swing;
    for (int32_t j = r->strip0; j < r->strip0 + r->strips; j++) strip[at++] = number[m->cluster_strip[j]];
  }
  first[n] = at;
  if (good) {
    vvi_sheet_away_spots(search, block, spot0, spot);
    s->model->block[block].kind->device->clusters(s->accelerator->own[block], n, first, strip, half, spot0, spot);
  }
  free(spot0), free(spot);
  return good;
}

static vv_status send_block(const struct vv_step *s, int block)
{
  const struct vvi_sheets *m = s->model->sheets;
  const vvi_sheet_cluster *last = &m->cluster[m->n_cluster - 1];
  int32_t *row = malloc(3 * sizeof *row * (size_t)(m->n_strip + 1)), *number = row + 2 * (size_t)m->n_strip;
  int32_t *first = malloc(sizeof *first * (size_t)(m->n_cluster + 2));
  int32_t *strip = malloc(sizeof *strip * (size_t)(last->strip0 + last->strips + 1));
  double *half = malloc(sizeof *half * (size_t)(m->n_cluster + 1));
  bool good = row != NULL && first != NULL && strip != NULL && half != NULL;
  if (good) {
    send_strips(s, block, row, number);
    good = send_clusters(s, block, number, first, strip, half);
  }
  free(row), free(first), free(strip), free(half);
  return good ? VV_OK : VV_NOMEM;
}

static vv_status open_block(struct vv_step *s, int i)
{
  vvi_accelerator *a = s->accelerator;
  const vv_block *b = &s->model->block[i];
  a->stays[i] = 1;
  a->here[i] = calloc((size_t)b->nodes + 1, sizeof(int32_t)),
  a->asked[i] = calloc((size_t)b->nodes + 1, sizeof(int32_t));
  a->guess[i] = calloc(VV_DEVICE_GUESSES, sizeof(int32_t));
  return a->here[i] != NULL && a->asked[i] != NULL && a->guess[i] != NULL ? VV_OK : VV_NOMEM;
}

static vv_status tell_search(struct vv_step *s)
{
  const struct vvi_features *k = s->contact->features;
  const int32_t none = 0;
  for (int i = 0; k == NULL && i < s->model->n_block; i++) {
    if (!vvi_stays(s, i)) continue;
    const vv_device_table *d = s->model->block[i].kind->device;
    d->strips(s->accelerator->own[i], 0, NULL), d->clusters(s->accelerator->own[i], 0, &none, NULL, NULL, &none, NULL);
  }
  if (k == NULL) return VV_OK;
  VV_TRY(vvi_sheet_away_create(k->search, s->model, s->accelerator->stays));
  vvi_sheet_away *away = k->search->away;
  away->user = s, away->bounds = bounds, away->rows = rows, away->bring = bring, away->give = give;
  away->references = references, away->refer = refer;
  away->cruise = cruise, away->cruised = cruised;
  away->flies = flies, away->fly = fly;
  for (int i = 0; i < s->model->n_block; i++)
    if (vvi_stays(s, i)) VV_TRY(send_block(s, i));
  return vvi_scaling_away(s->contact);
}

vv_status vvi_stay_create(struct vv_step *s)
{
  vvi_accelerator *a = s->accelerator;
  const vv_model *m = s->model;
  const size_t n = (size_t)m->n_block + 1;
  int64_t nodes = 0;
  bool any = false;
  a->now = 1;
  a->stays = calloc(n, 1), a->here = calloc(n, sizeof *a->here), a->asked = calloc(n, sizeof *a->asked);
  a->guess = calloc(n, sizeof *a->guess), a->guesses = calloc(2 * n, sizeof *a->guesses);
  if (a->stays == NULL || a->here == NULL || a->asked == NULL || a->guess == NULL || a->guesses == NULL)
    return VV_NOMEM;
  a->guessed = a->guesses + n;
  for (int i = 0; i < m->n_block && s->locate == NULL; i++) {
    const vv_block *b = &m->block[i];
    if (b->nodes == 0 || b->kind->device->bring == NULL) continue;
    VV_TRY(open_block(s, i));
    any = true, nodes = b->nodes > nodes ? b->nodes : nodes;
  }
  if (!any) return VV_OK;
  a->some = malloc(sizeof *a->some * (size_t)(nodes + 1));
  if (a->some == NULL) return VV_NOMEM;
  VV_TRY(vv_state_clone(s->state, &a->kept));
  return tell_search(s);
}

void vvi_stay_close(vvi_accelerator *a, const vv_model *m)
{
  for (int i = 0; a->here != NULL && i < m->n_block; i++) free(a->here[i]);
  for (int i = 0; a->asked != NULL && i < m->n_block; i++) free(a->asked[i]);
  for (int i = 0; a->guess != NULL && i < m->n_block; i++) free(a->guess[i]);
  vv_state_destroy(a->kept);
  free(a->stays), free(a->here), free(a->asked), free(a->guess), free(a->guesses), free(a->some);
}

/* ---- steps ---- */

#ifndef NDEBUG
/* What nobody may read: columns of a node. */
static void spoil(const vv_block *b, int64_t node, vv_state *x, double *f)
{
  for (int c = 0; c < b->kind->node_q; c++) x->q[b->q0 + c * b->column + node] = NAN;
  for (int c = 0; c < b->kind->node_p; c++) {
    x->p[b->p0 + c * b->column + node] = NAN;
    if (f != NULL) f[b->p0 + c * b->column + node] = NAN;
  }
}

/* All of them, or those that are here now. */
static void spoil_nodes(struct vv_step *s, bool all)
{
  const vvi_accelerator *a = s->accelerator;
  for (int i = 0; i < s->model->n_block; i++)
    for (int64_t k = 0; vvi_stays(s, i) && k < s->model->block[i].nodes; k++)
      if (all || a->here[i][k] == a->now) spoil(&s->model->block[i], k, s->state, a->f);
}
#endif

static void copy(vv_state *to, const vv_state *from)
{
  const vv_status status = vv_state_copy(to, from);
  assert(status == VV_OK); /* they have the same lengths */
  (void)status;
}

void vvi_stay_back(struct vv_step *s)
{
  if (s->accelerator->kept != NULL) copy(s->state, s->accelerator->kept);
}

void vvi_stay_begin(struct vv_step *s)
{
  vvi_accelerator *a = s->accelerator;
  if (a->kept == NULL) return;
  vvi_send_up(s);
  if (a->ahead) return;
  a->step = s->state->step, a->t = s->state->t, *a->before = *s->ledger;
  copy(a->kept, s->state);
  a->ahead = true, a->now++;
#ifndef NDEBUG
  spoil_nodes(s, true);
#endif
}

bool vvi_all_stay(const struct vv_step *s)
{
  bool all = s->accelerator != NULL && s->accelerator->kept != NULL && s->accelerator->ahead;
  for (int i = 0; all && i < s->model->n_block; i++) all = s->model->block[i].nodes == 0 || vvi_stays(s, i);
  return all;
}

void vvi_stay_push(struct vv_step *s, double h, const double *f)
{
  const vvi_accelerator *a = s->accelerator;
  for (int i = 0; i < s->model->n_block; i++) {
    const vv_block *b = &s->model->block[i];
    if (vvi_stays(s, i))
      b->kind->device->push(a->own[i], h);
    else
      vvi_nodes_axpy(b, 0, NULL, h, f, s->state->p);
  }
}

void vvi_stay_post(struct vv_step *s, double t, double h)
{
  const vvi_accelerator *a = s->accelerator;
  for (int i = 0; i < s->model->n_block; i++) {
    const vv_block *b = &s->model->block[i];
    if (!b->booked) continue;
    if (vvi_stays(s, i))
      b->kind->device->post(a->own[i], t, h, &s->ledger->posted);
    else
      b->kind->post(b, t, h, s->state->q + b->q0, s->state->p + b->p0, &s->ledger->posted);
  }
}

void vvi_stay_viscous(struct vv_step *s, double h)
{
  const vvi_accelerator *a = s->accelerator;
  for (int i = 0; i < s->model->n_block; i++) {
    const vv_block *b = &s->model->block[i];
    if (!b->viscous) continue;
    if (vvi_stays(s, i))
      b->kind->device->viscous(a->own[i], h, &s->ledger->posted);
    else
      b->kind->viscous(b, h, s->state->q + b->q0, s->state->p + b->p0, &s->ledger->posted);
  }
}

/* What was brought is old behind it. */
void vvi_stay_drift(struct vv_step *s, double h)
{
  vvi_accelerator *a = s->accelerator;
  for (int i = 0; i < s->model->n_block; i++) {
    const vv_block *b = &s->model->block[i];
    if (vvi_stays(s, i))
      b->kind->device->drift(a->own[i], h);
    else
      b->kind->drift(b, h, s->state->q + b->q0, s->state->p + b->p0);
  }
#ifndef NDEBUG
  spoil_nodes(s, false);
#endif
  a->now++;
}
