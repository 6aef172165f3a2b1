/* contact/rows/linked.c  Contact of bodies that joints connect: an assembly answers an impulse as a whole.
 *
 * An assembly is one mover with many coordinates: its velocities are those that its joints allow, and so are its
 * accelerations; an impulse at one of its bodies is answered by all its joints at once,
 *
 *   V- = A (p - h f/2),   Vf = A (p + h f/2),   V+ = Vf + A G^T J,   A = M^-1 - M^-1 Gj^T (Gj M^-1 Gj^T)^-1 Gj M^-1  [joint 10]
 *
 * which is [contact 21] with another inverse mass: whatever is said there of work, rest and passes holds, and joints do no work
 * in an impact.  Solvers get the rows of joints with the velocity 0 asked for; the impulses of contacts are then spread by
 * the exact A.  Flights are those of the step itself, joints and all. */
#include "contact/contact.h"
#include "math/math.h"

#include <string.h>

/* Rows of a joint in threes and ones: threes of one kind that stand side by side. */
static int chunk_of(const vvi_joint *j, int row)
{
  const bool three =
      row + 3 <= j->rows && j->tie[row].type == j->tie[row + 1].type && j->tie[row].type == j->tie[row + 2].type;
  return three ? 3 : 1;
}

static int32_t chunks(const vvi_joint *j)
{
  int32_t n = 0;
  for (int r = 0; r < j->rows; r += chunk_of(j, r)) n++;
  return n;
}

int32_t vvi_links_of(const vv_model *m)
{
  int32_t n = 0;
  for (int32_t i = 0; m->joints != NULL && i < m->joints->n; i++) n += chunks(&m->joints->joint[i]);
  return n;
}

vv_status vvi_linked_create(struct vvi_contact_step *w, struct vvi_joint_step *joints)
{
  const struct vvi_joints *k = joints->joints;
  w->linkable = w->near->solids->movers;
  w->assembly_of = VVI_ARENA_NEW(w->arena, int32_t, 2 * (int64_t)w->linkable + 2);
  w->linked_at = VVI_ARENA_NEW(w->arena, int64_t, k->assemblies);
  if (w->assembly_of == NULL || w->linked_at == NULL) return VV_NOMEM;
  for (int32_t i = 0; i < w->linkable; i++) w->assembly_of[i] = -1;
  w->link_of = w->assembly_of + w->linkable + 1;
  for (int32_t i = 0; i < k->nodes; i++)
    if (k->node[i].mover >= 0) w->assembly_of[k->node[i].mover] = k->node[i].assembly, w->link_of[k->node[i].mover] = i;
  w->joints = joints;
  return VV_OK;
}

const vvi_joint_node *vvi_linked_nodes(const struct vvi_contact_step *w, int32_t assembly, int32_t *n)
{
  const vvi_assembly *a = &w->joints->joints->assembly[assembly];
  *n = a->nodes;
  return w->joints->joints->node + a->node0;
}

int32_t vvi_linked_rows(const struct vvi_contact_step *w, int32_t assembly)
{
  const vvi_assembly *a = &w->joints->joints->assembly[assembly];
  int32_t n = 0;
  for (int32_t j = a->joint0; j < a->joint0 + a->joints; j++) n += chunks(&w->joints->joints->joint[j]);
  return n;
}

/* ---- forces ---- */

void vvi_linked_forces(struct vvi_contact_step *w)
{
  const struct vvi_joints *k = w->joints->joints;
  vvi_joints_look(w->joints, w->q);
  for (int32_t i = 0; i < k->assemblies; i++) {
    const vvi_assembly *a = &k->assembly[i];
    if (k->node[a->node0].mover < 0) continue;
    for (int32_t n = a->node0; n < a->node0 + a->nodes; n++) w->joints->ahead[n] = w->force[k->node[n].mover];
    vvi_assembly_allow(w->joints, i, w->joints->ahead);
    for (int32_t n = a->node0; n < a->node0 + a->nodes; n++) w->force[k->node[n].mover] = w->joints->ahead[n];
  }
}

double vvi_linked_speed(const struct vvi_contact_step *w, int32_t mover, double arm)
{
  if (vvi_linked(w, mover) < 0) return 0.0;
  const double *v = w->joints->turned[w->link_of[mover]];
  return vvi_norm3(v) + arm * vvi_norm3(v + 3);
}

/* ---- islands ---- */

/* m: angles as lengths, where both weigh the same. */
static double radius_of(const struct vvi_joint_step *w, const vvi_joint *k)
{
  double mass = 0.0, inertia = 0.0;
  for (int s = 0; s < 2; s++) {
    const vv_mover *m = k->end[s].node >= 0 ? &w->now[k->end[s].node] : NULL;
    for (int c = 0; m != NULL && c < 3; c++) mass += m->inverse_mass[c], inertia += m->inverse_inertia[c];
  }
  return mass > 0.0 && inertia > 0.0 ? sqrt(mass / inertia) : 1.0;
}

static void add_rows(struct vvi_contact_step *w, vvi_contact_group *g, int32_t j, int32_t *at, int32_t *legs)
{
  const vvi_joint *k = &w->joints->joints->joint[j];
  const vvi_joint_rows *rows = &w->joints->rows[j];
  const double radius = radius_of(w->joints, k);
  for (int r = 0; r < k->rows; r += chunk_of(k, r)) {
    vvi_island_contact *o = &g->problem[(*at)++];
    *o = (vvi_island_contact){.first = *legs, .rows = chunk_of(k, r), .joint = j};
    for (int s = 0; s < 2; s++) {
      if (k->end[s].node < 0) continue;
      const vvi_working *m = &w->work[w->joints->joints->node[k->end[s].node].mover];
      vvi_leg *leg = &g->leg[(*legs)++];
      *leg = (vvi_leg){.mover = m->local};
      for (int c = 0; c < o->rows; c++) {
        const double *from = rows->leg[s][r + c];
        const double by = k->tie[r + c].type == VVI_TIE_ANGLE ? radius : 1.0;
        for (int i = 0; i < 3; i++) leg->force[c][i] = by * from[i], leg->moment[c][i] = by * from[3 + i];
        o->free[c] += by * (vvi_dot3(from, m->now) + vvi_dot3(from + 3, m->now + 3));
      }
      o->legs++;
    }
  }
}

int32_t vvi_linked_number(struct vvi_contact_step *w, vvi_contact_group *g, int32_t n, int32_t movers, int32_t *legs)
{
  int32_t at = n;
  g->links = 0;
  for (int32_t i = 0; w->joints != NULL && i < movers; i++) {
    const int32_t a = vvi_linked(w, g->who[i]);
    int32_t nodes;
    if (a < 0) continue;
    const vvi_joint_node *node = vvi_linked_nodes(w, a, &nodes);
    bool there = false; /* an earlier one of the same assembly */
    for (int32_t k = 0; k < i && !there; k++) there = vvi_linked(w, g->who[k]) == a;
    if (there) continue;
    for (int32_t k = 0; k < nodes; k++) {
      vvi_working *m = &w->work[node[k].mover];
      if (m->local >= 0) continue;
      const vv_mover *from = &w->near->mover[node[k].mover];
      memcpy(g->inverse[movers], from->inverse_mass, sizeof from->inverse_mass);
      memcpy(g->inverse[movers] + 6, from->inverse_inertia, sizeof from->inverse_inertia);
      g->who[movers] = node[k].mover;
      m->local = movers++;
    }
    const vvi_assembly *s = &w->joints->joints->assembly[a];
    for (int32_t j = s->joint0; j < s->joint0 + s->joints; j++) add_rows(w, g, j, &at, legs);
  }
  g->links = at - n;
  return movers;
}

/* The impulses of joints that the last spread found: where the solver starts. */
void vvi_linked_warm(struct vvi_contact_step *w, vvi_contact_group *g, int32_t n)
{
  for (int32_t i = n; i < n + g->links;) {
    const int32_t j = g->problem[i].joint;
    const vvi_joint *k = &w->joints->joints->joint[j];
    const double radius = radius_of(w->joints, k);
    for (int r = 0; r < k->rows; r += chunk_of(k, r), i++)
      for (int c = 0; c < g->problem[i].rows; c++)
        g->problem[i].j[c] =
            w->joints->rhs[VVI_JOINT_ROWS * (int64_t)j + r + c] / (k->tie[r + c].type == VVI_TIE_ANGLE ? radius : 1.0);
  }
}

/* Calls for the first mover of each assembly in an island. */
static bool leads(const struct vvi_contact_step *w, int32_t mover)
{
  const int32_t a = vvi_linked(w, mover);
  int32_t n;
  return a >= 0 && vvi_linked_nodes(w, a, &n)->mover == mover;
}

static void take(struct vvi_contact_step *w, int32_t a, double (*from)[6])
{
  int32_t n;
  const vvi_joint_node *node = vvi_linked_nodes(w, a, &n);
  double(*to)[6] = w->joints->extra + w->joints->joints->assembly[a].node0;
  for (int32_t k = 0; k < n; k++) memcpy(to[k], from[w->work[node[k].mover].local], sizeof to[k]);
}

void vvi_linked_spread(struct vvi_contact_step *w, const vvi_contact_group *g, int32_t movers, double (*change)[6])
{
  for (int32_t i = 0; g->links > 0 && i < movers; i++) {
    const int32_t a = vvi_linked(w, g->who[i]);
    int32_t n;
    if (!leads(w, g->who[i])) continue;
    const vvi_joint_node *node = vvi_linked_nodes(w, a, &n);
    take(w, a, change);
    vvi_assembly_spread(w->joints, a, w->joints->extra);
    const double(*from)[6] = (const double(*)[6])w->joints->extra + w->joints->joints->assembly[a].node0;
    for (int32_t k = 0; k < n; k++) memcpy(change[w->work[node[k].mover].local], from[k], sizeof *from);
  }
}

void vvi_linked_fly(struct vvi_contact_step *w, int32_t a, const vvi_contact_group *g)
{
  int32_t n;
  const vvi_joint_node *node = vvi_linked_nodes(w, a, &n);
  const int32_t first = w->joints->joints->assembly[a].node0;
  double(*extra)[6] = w->joints->extra;
  if (g != NULL) take(w, a, g->change);
  for (int32_t k = 0; g != NULL && k < n; k++)
    for (int c = 0; c < 6; c++) extra[first + k][c] *= w->sign;
  vvi_assembly_fly(w->joints, a, w->sign * w->h, w->q, w->p, w->f, g != NULL ? extra : NULL);
  for (int32_t k = 0; k < n; k++) {
    vvi_working *m = &w->work[node[k].mover];
    const vv_mover *at = &w->joints->ahead[first + k];
    memcpy(m->place, at->place, sizeof m->place);
    memcpy(m->turn, at->turn, sizeof m->turn);
    m->flown = true;
  }
}

/* ---- what is shown ---- */

void vvi_linked_show(struct vvi_contact_step *w, vvi_contact_group *g, int32_t movers)
{
  for (int32_t i = 0; g->links > 0 && i < movers; i++) {
    const int32_t a = vvi_linked(w, g->who[i]);
    int32_t n;
    if (!leads(w, g->who[i])) continue;
    const vvi_joint_node *node = vvi_linked_nodes(w, a, &n);
    double(*extra)[6] = w->joints->extra + w->joints->joints->assembly[a].node0;
    for (int32_t k = 0; k < n; k++) memcpy(extra[k], w->work[node[k].mover].held, sizeof *extra);
    vvi_assembly_spread(w->joints, a, w->joints->extra);
    for (int32_t k = 0; k < n; k++) {
      double *held = w->work[node[k].mover].held, by[6], turn[3];
      for (int c = 0; c < 6; c++) by[c] = extra[k][c] - held[c];
      vvi_cross3(w->near->mover[node[k].mover].place, by, turn);
      for (int c = 0; c < 3; c++) g->pending[c] += by[c], g->pending[3 + c] += turn[c] + by[3 + c];
      memcpy(held, extra[k], sizeof *extra);
    }
  }
}

void vvi_linked_rest(struct vvi_contact_step *w, int32_t mover, double *half)
{
  if (vvi_linked(w, mover) < 0) return;
  const int32_t n = w->link_of[mover];
  const vvi_joint_node *node = &w->joints->joints->node[n];
  const vv_block *b = &w->model->block[node->block];
  double j[6];
  for (int c = 0; c < 6; c++) j[c] = -(0.5 * w->h * w->joints->tie[n][c]);
  b->kind->scatter(b, node->node, w->q + b->q0, j, half + b->p0);
}
