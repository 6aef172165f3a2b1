/* model/sys.c  One loop over blocks for each column of the body table. */
#include "model/model.h"

#include "math/math.h"
#include "model/columns.h"
#include "model/traction.h"
#include "visviva/net.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void vvi_sys_kick(const vv_model *m, double t, double h, const double *q, double *p)
{
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    b->kind->kick(b, t, h, q + b->q0, p + b->p0);
  }
}

int vvi_sys_drift(const vv_model *m, double h, double *q, double *p)
{
  int most = 0;
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    const int n = b->kind->drift(b, h, q + b->q0, p + b->p0);
    if (n > most) most = n;
  }
  return most;
}

/* Has one rank all of it, and nothing else than its elements and gravity pushes it? */
static bool is_plain(const vv_block *b)
{
  return b->n_load == 0 && b->spans == 0;
}

static void force_kick(const vv_block *b, double t, double h, const double *q, double *f, double *p)
{
  if (b->kind->force_kick != NULL && is_plain(b)) {
    b->kind->force_kick(b, h, q + b->q0, f + b->p0, p + b->p0);
    return;
  }
  vvi_nodes_axpy(b, 0, NULL, 0.0, NULL, f);
  b->kind->kick(b, t, 1.0, q + b->q0, f + b->p0);
  vvi_nodes_axpy(b, 0, NULL, h, f, p);
}

void vvi_sys_force_kick(const vv_model *m, double t, double h, const double *q, double *f, double *p)
{
  for (int i = 0; i < m->n_block; i++) force_kick(&m->block[i], t, h, q, f, p);
}

void vvi_sys_leap(const vv_model *m, double t, double a, double h, double kick, double *q, double *f, double *p)
{
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    if (b->kind->leap != NULL && is_plain(b)) {
      b->kind->leap(b, a, h, kick, q + b->q0, f + b->p0, p + b->p0);
      continue;
    }
    vvi_nodes_axpy(b, 0, NULL, a, f, p);
    b->kind->drift(b, h, q + b->q0, p + b->p0);
    if (kick != 0.0) force_kick(b, t, kick, q, f, p);
  }
}

void vvi_sys_flow(const vv_model *m, double h, double *q, const double *p, vv_posted *post)
{
  if (!m->flows) return;
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    if (b->z_reals > 0) b->kind->flow(b, h, q + b->q0, p + b->p0, post);
  }
}

void vvi_sys_flow_stride(const vv_model *m, double h, double *q, double *p, vv_posted *post)
{
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    if (b->z_reals > 0 && b->kind->flow_stride != NULL) {
      b->kind->flow_stride(b, h, q + b->q0, p + b->p0, post);
      continue;
    }
    if (b->z_reals > 0) b->kind->flow(b, h, q + b->q0, p + b->p0, post);
    b->kind->stride(b, h, q + b->q0, p + b->p0);
  }
}

void vvi_sys_flow_kick(const vv_model *m, double t, double h, double *q, const double *p, double *f, vv_posted *post)
{
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    if (b->z_reals > 0 && b->kind->flow_kick != NULL) {
      b->kind->flow_kick(b, t, h, q + b->q0, p + b->p0, f + b->p0, post);
      continue;
    }
    if (b->z_reals > 0) b->kind->flow(b, h, q + b->q0, p + b->p0, post);
    b->kind->kick(b, t, 1.0, q + b->q0, f + b->p0);
  }
}

void vvi_sys_viscous(const vv_model *m, double h, const double *q, double *p, vv_posted *post)
{
  if (!m->viscous) return;
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    if (b->viscous) b->kind->viscous(b, h, q + b->q0, p + b->p0, post);
  }
}

void vvi_sys_drive(const vv_model *m, double t, double h, double *q, double *p, vv_posted *post)
{
  if (!m->driven) return;
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    if (b->driven) b->kind->drive(b, t, h, q + b->q0, p + b->p0, post);
  }
}

void vvi_sys_post(const vv_model *m, double t, double h, const double *q, const double *p, vv_posted *post)
{
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    if (b->booked) b->kind->post(b, t, h, q + b->q0, p + b->p0, post);
  }
}

void vvi_sys_audit(const vv_model *m, const double *q, const double *p, vv_totals *sum)
{
  *sum = (vv_totals){0};
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    b->kind->audit(b, q + b->q0, p + b->p0, sum);
  }
}

double vvi_sys_energy_floor(const vv_model *m, const double *q)
{
  double sum = 0.0;
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    if (b->kind->energy_floor != NULL) sum += b->kind->energy_floor(b, q + b->q0);
  }
  return sum;
}

/* Momenta of a block as they are shown: contacts that hold have given half of their impulse already. */
static const double *shown(const vv_model *m, const vv_block *b, const vv_state *x, double **own)
{
  const int64_t n = b->kind->node_p * b->column;
  const double *half = m->shown > 0 ? x->memory + m->shown + b->p0 : NULL;
  bool any = false;
  for (int64_t i = 0; half != NULL && i < n && !any; i++) any = half[i] != 0.0;
  if (!any) return x->p + b->p0;
  if ((*own = malloc(sizeof(double) * (size_t)n)) == NULL) return NULL;
  for (int64_t i = 0; i < n; i++) (*own)[i] = x->p[b->p0 + i] + half[i];
  return *own;
}

/* ---- rank 0 looks, and the others work for it ---- */

/* A kind that is shared tells of its block where all ranks ask it.  Rank 0 does so when somebody looks there; the others wait for
 * what it asks for: a field of a block; energies of bodies of a block. */
typedef enum ask { ASK_NOTHING, ASK_FIELD, ASK_TOTALS } ask;

static bool is_shared(const vv_block *b)
{
  return b->spans > 0 && b->kind->settle != NULL;
}

static void agree(const vv_model *m, double x[3])
{
  const vv_net *net = vvi_ctx_net(m->ctx);
  for (int i = 0; net->rank > 0 && i < 3; i++) x[i] = INFINITY;
  net->least(net, 3, x);
}

static void ask_for(const vv_model *m, ask what, const vv_block *b, int which)
{
  if (m->served != NULL && *m->served && is_shared(b)) agree(m, (double[3]){what, (double)(b - m->block), which});
}

static vv_status audit_block(const vv_model *m, const vv_block *b, const vv_state *x, int only, vv_totals *out);

void vvi_sys_serve(const vv_model *m, const vv_state *x)
{
  const vv_net *net = vvi_ctx_net(m->ctx);
  int64_t most = 1;
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i]; /* fields are of elements or of nodes; a strip has more of these */
    most = b->elements > most ? b->elements : most;
    most = b->nodes > most ? b->nodes : most;
  }
  if (m->served == NULL) return;
  if (net->rank == 0) {
    *m->served = true;
    return;
  }
  double *out = vvi_zeros_alloc(sizeof(double) * (size_t)(3 * most)), now[3];
  vv_totals *sum = calloc((size_t)m->n_body + 1, sizeof *sum);
  for (;;) { /* without memory the others wait in vain, and MPI ends the job */
    agree(m, now);
    if (now[0] == ASK_NOTHING || out == NULL || sum == NULL) break;
    const vv_block *b = &m->block[(int)now[1]];
    if (now[0] == ASK_FIELD)
      (void)vvi_sys_output(m, b, (int)now[2], x, out);
    else
      (void)audit_block(m, b, x, (int)now[2], sum);
  }
  vvi_zeros_free(out, sizeof(double) * (size_t)(3 * most));
  free(sum);
}

void vvi_sys_served(const vv_model *m)
{
  if (m->served == NULL || !*m->served) return;
  *m->served = false;
  agree(m, (double[3]){ASK_NOTHING, 0.0, 0.0});
}

/* only: index of a body, -1: all of the block */
static vv_status audit_block(const vv_model *m, const vv_block *b, const vv_state *x, int only, vv_totals *out)
{
  if (b->kind->audit_body == NULL || b->nodes == 0) return VV_OK;
  ask_for(m, ASK_TOTALS, b, only);
  double *own = NULL;
  const double *p = shown(m, b, x, &own);
  if (p == NULL) return vvi_fail(m->ctx, VV_NOMEM, "out of memory");
  for (int32_t j = 0; j < b->n_body; j++)
    if (only < 0 || b->body[j]->index == only)
      b->kind->audit_body(b, j, x->q + b->q0, p, only < 0 ? &out[b->body[j]->index] : out);
  free(own);
  return VV_OK;
}

vv_status vvi_sys_audit_bodies(const vv_model *m, const vv_state *x, vv_totals *out)
{
  for (int i = 0; i < m->n_body; i++) out[i] = (vv_totals){0};
  for (int i = 0; i < m->n_block; i++) VV_TRY(audit_block(m, &m->block[i], x, -1, out));
  return VV_OK;
}

vv_status vvi_sys_audit_body(const vv_model *m, const vv_state *x, int body, vv_totals *out)
{
  *out = (vv_totals){0};
  return audit_block(m, &m->block[m->body[body].block], x, body, out);
}

vv_status vvi_sys_output(const vv_model *m, const vv_block *b, int field, const vv_state *x, double *out)
{
  const vv_implicit_table *form = vvi_model_implicit(m) ? b->kind->implicit : NULL;
  double *own = NULL;
  ask_for(m, ASK_FIELD, b, field);
  if (vvi_traction_output(m, b, field, x, out)) return VV_OK;
  const double *p = shown(m, b, x, &own);
  if (p == NULL) return vvi_fail(m->ctx, VV_NOMEM, "out of memory");
  (form != NULL && form->output != NULL ? form->output : b->kind->output)(b, field, x->q + b->q0, p, out);
  free(own);
  return VV_OK;
}

void vvi_sys_vary_kick(const vv_model *m, double h, const double *q, const double *dq, double *dp)
{
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    if (b->kind->vary != NULL) b->kind->vary->kick(b, h, q + b->q0, dq + b->p0, dp + b->p0);
  }
}

double vvi_frames_twist(const vv_block *b, const double *p, const double *dq_v, const double *dq_w, double *magnitude)
{
  double sum = 0.0;
  for (int64_t i = 0; i < b->nodes; i++) {
    double S[3], v[3], w[3], both[3];
    for (int c = 0; c < 3; c++) {
      const int64_t at = (3 + c) * b->column + i;
      S[c] = p[at], v[c] = dq_v[at], w[c] = dq_w[at];
    }
    vvi_cross3(v, w, both);
    const double part = vvi_dot3(S, both);
    sum += part, *magnitude += fabs(part);
  }
  return sum;
}

void vvi_sys_vary_drift(const vv_model *m, double h, const double *q, const double *p, double *dq, double *dp)
{
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    const vv_vary_table *vary = b->kind->vary;
    if (vary != NULL && vary->drift != NULL) vary->drift(b, h, q + b->q0, p + b->p0, dq + b->p0, dp + b->p0);
  }
}

/* Runs of nodes that this rank moves: counted, then written. */
static vv_status find_spans(vv_block *b, int rank, vvi_arena *arena)
{
  for (int pass = 0; pass < 2; pass++) {
    bool inside = false;
    int64_t n = 0;
    for (int64_t i = 0; i < b->nodes; i++) {
      const bool mine = b->kind->owner(b, i) == rank;
      if (mine && !inside) n++;
      if (pass == 1 && mine && !inside) b->span[n - 1] = (vv_span){i, 0};
      if (pass == 1 && mine) b->span[n - 1].n++;
      inside = mine;
    }
    if (pass == 1) break;
    b->spans = n > 0 ? n : 1; /* one without nodes: this rank has none */
    if ((b->span = VVI_ARENA_NEW(arena, vv_span, b->spans)) == NULL) return VV_NOMEM;
  }
  return VV_OK;
}

vv_status vvi_sys_share(vv_model *m, const vv_net *net)
{
  if (net->ranks > 1 && (m->served = VVI_ARENA_NEW(&m->arena, bool, 2)) == NULL) return VV_NOMEM;
  m->settled = m->served != NULL ? m->served + 1 : NULL;
  for (int i = 0; i < m->n_block; i++) {
    vv_block *b = &m->block[i];
    if (b->kind->share == NULL || b->nodes == 0 || b->breaks) continue; /* what breaks has one rank, see vv_compile */
    VV_TRY(b->kind->share(b, net, &m->arena));
    VV_TRY(find_spans(b, net->rank, &m->arena));
  }
  return VV_OK;
}

void vvi_sys_settle(const vv_model *m, vv_state *x)
{
  for (int i = 0; i < m->n_block; i++)
    if (is_shared(&m->block[i])) {
      m->block[i].kind->settle(&m->block[i]);
      if (m->settled != NULL) *m->settled = true;
    }
  vvi_sys_release(m, x);
}

void vvi_sys_release(const vv_model *m, vv_state *x)
{
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    if (is_shared(b)) b->kind->release(b, x->q + b->q0, x->p + b->p0);
  }
}

/* Of a block that is shared the nodes that this rank moves; internal variables are left out there. */
void vvi_sys_places(const vv_model *m, vvi_piece_fn *fn, void *user)
{
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    if (b->spans == 0) fn(user, b->q0, (int64_t)b->kind->node_q * b->column);
    for (int64_t k = 0; k < b->spans; k++)
      for (int c = 0; c < b->kind->node_q; c++) fn(user, b->q0 + c * b->column + b->span[k].first, b->span[k].n);
    if (b->z_reals > 0 && b->spans == 0) fn(user, b->q0 + b->z0, b->z_reals);
  }
}

typedef struct copying {
  const double *from;
  double *to;
} copying;

static void copy_piece(void *user, int64_t first, int64_t n)
{
  const copying *w = user;
  memcpy(w->to + first, w->from + first, sizeof(double) * (size_t)n);
}

void vvi_sys_copy(const vv_model *m, const double *q, const double *p, double *to_q, double *to_p)
{
  for (int i = 0; q != NULL && i < m->n_block; i++)
    if (m->block[i].spans > 0) copy_piece(&(copying){q, to_q}, m->block[i].q0 + m->block[i].z0, m->block[i].z_reals);
  if (q != NULL) vvi_sys_places(m, copy_piece, &(copying){q, to_q});
  if (p != NULL) vvi_sys_momenta(m, copy_piece, &(copying){p, to_p});
}

void vvi_sys_momenta(const vv_model *m, vvi_piece_fn *fn, void *user)
{
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    if (b->spans == 0) fn(user, b->p0, (int64_t)b->kind->node_p * b->column);
    for (int64_t k = 0; k < b->spans; k++)
      for (int c = 0; c < b->kind->node_p; c++) fn(user, b->p0 + c * b->column + b->span[k].first, b->span[k].n);
  }
}

void vvi_sys_gather(const vv_model *m, vv_state *x)
{
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    if (b->kind->gather != NULL && b->nodes > 0) b->kind->gather(b, x->q + b->q0, x->p + b->p0);
  }
}

unsigned vvi_sys_claims(const vv_model *m)
{
  unsigned claims = ~0u;
  for (int i = 0; i < m->n_block; i++) claims &= m->block[i].claims;
  return claims;
}

bool vvi_sys_varies(const vv_model *m)
{
  for (int i = 0; i < m->n_block; i++)
    if (m->block[i].kind->vary == NULL) return false;
  return true;
}

bool vvi_sys_booked(const vv_model *m)
{
  for (int i = 0; i < m->n_block; i++)
    if (m->block[i].booked || m->block[i].driven) return true;
  return false;
}

bool vvi_sys_loaded(const vv_model *m)
{
  for (int i = 0; i < m->n_block; i++)
    if (m->block[i].n_load > 0) return true;
  return false;
}

bool vvi_sys_steady(const vv_model *m)
{
  for (int i = 0; i < m->n_block; i++)
    if (m->block[i].n_load > 0 || m->block[i].driven) return false;
  return true;
}
