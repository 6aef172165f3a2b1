/* contact/pairs/layers.c  Massless layers between the nodes of beams and shells and what they touch.
 *
 * A layer of stiffness s (N/m^3: modulus over thickness) lies on the surface.  Without mass it is in balance at any time: a node
 * whose share of the surface is A feels, while the surfaces without it would overlap, g < 0,                        [layer 1]
 *
 *   V = 1/2 s A g^2,  r = -h s A g along the normal,
 *
 * which is the spring of a soft pair: the kick has a contact force, nothing bounces, and a contact lasts as long as the bodies
 * press.  Nodes of a beam own w l of the surface, w the root of its section's area, corners half of it each; nodes of a shell a
 * third of the triangles about them. */
#include "contact/pairs/layers.h"

#include "contact/shapes/rules.h"
#include "geom/solid.h"
#include "math/math.h"
#include "model/columns.h"

#include <stdlib.h>

static bool is_ball(const vv_patch *p)
{
  return p->type == VV_PATCH_SOLID && p->solid != NULL && p->solid->balls;
}

static bool bends(const vv_patch *p)
{
  return p->type == VV_PATCH_CURVE || p->type == VV_PATCH_SURFACE;
}

bool vvi_layer_sides(const vv_patch *a, const vv_patch *b)
{
  const bool fixed = b->node < 0 && b->type != VV_PATCH_SOLID && b->type != VV_PATCH_TIP;
  return bends(a) && (fixed || is_ball(b));
}

vv_status vvi_layer_check(const vv_model *m, const vvi_rule *r)
{
  const vv_group *c = r->group;
  const vv_group *method = vv_sub(m->root, "method");
  vv_status status = VV_OK;
  if (r->layer <= 0.0) return VV_OK;
  if (!vv_is(method, "step", "leapfrog") && !vv_is(method, "step", "auto"))
    status = vv_complain(c, "layer", "belongs to 'method.step: leapfrog'; energy-momentum has 'response: penalty'");
  if (r->restitution < 1.0 || r->friction > 0.0)
    status = vv_complain(c, "layer", "loses nothing: restitution 1, friction 0");
  if (!vv_is(c, "response", "auto") && !vv_is(c, "response", "dcr"))
    status = vv_complain(c, "layer", "is an answer of its own: leave 'response' out");
  if (r->projection != VVI_ANTICIPATE) status = vv_complain(c, "layer", "projects nothing: leave 'projection' out");
  return status;
}

/* ---- the nodes of one side ---- */

static double distance(const vv_block *b, const double *q, int64_t i, int64_t j)
{
  const vvi_place_columns at = vvi_places_from(b, 0, q);
  const double d[3] = {at.x[j] - at.x[i], at.y[j] - at.y[i], at.z[j] - at.z[i]};
  return vvi_norm3(d);
}

/* Half of the elements at a node, times the width. */
static double share_of_curve(const vv_block *b, const vv_patch *t, const double *q, int64_t i)
{
  const int64_t last = t->nodes - 1;
  double sum = 0.0;
  if (i > 0 || t->closed) sum += distance(b, q, t->node + (i > 0 ? i - 1 : last), t->node + i);
  if (i < last || t->closed) sum += distance(b, q, t->node + i, t->node + (i < last ? i + 1 : 0));
  return 0.5 * sum * t->thickness / (t->corners == 4 ? 2.0 : 1.0);
}

static vv_status points_of_curve(vvi_layer_side *s, const double *q)
{
  const vv_patch *t = s->patch;
  for (int64_t i = 0; i < t->nodes; i++)
    for (int corner = 0; corner < t->corners; corner++) {
      s->point[s->n] = (vv_point){.patch = s->local, .xi = {(double)i, (double)corner}};
      s->share[s->n++] = share_of_curve(s->block, t, q, i);
    }
  return VV_OK;
}

static vv_status points_of_surface(vvi_layer_side *s, const double *q)
{
  const vv_patch *t = s->patch;
  s->n = t->nodes;
  for (int64_t e = 0; e < t->elements; e++) {
    double x[3][3], a[3], b[3], n[3];
    for (int k = 0; k < 3; k++) {
      const int64_t node = s->block->element_node[3 * (t->element + e) + k] - t->node;
      s->point[node] = (vv_point){.patch = s->local, .element = (int32_t)e, .xi = {k == 1, k == 2}};
      s->block->kind->surface(s->block, q, 1, &s->point[node], x[k]);
    }
    for (int c = 0; c < 3; c++) a[c] = x[1][c] - x[0][c], b[c] = x[2][c] - x[0][c];
    vvi_cross3(a, b, n);
    for (int k = 0; k < 3; k++)
      s->share[s->block->element_node[3 * (t->element + e) + k] - t->node] += vvi_norm3(n) / 6.0;
  }
  return VV_OK;
}

vv_status vvi_layer_points(const vv_model *m, int32_t patch, const double *q, vvi_layer_side *s)
{
  s->block = vvi_model_patch_block(m, patch, &s->local);
  s->patch = &s->block->patch[s->local];
  const int64_t most = s->patch->nodes * (s->patch->type == VV_PATCH_CURVE ? s->patch->corners : 1);
  s->n = 0;
  s->point = calloc((size_t)most + 1, sizeof *s->point);
  s->share = calloc((size_t)most + 1, sizeof *s->share);
  if (s->point == NULL || s->share == NULL) return VV_NOMEM;
  return s->patch->type == VV_PATCH_CURVE ? points_of_curve(s, q) : points_of_surface(s, q + s->block->q0);
}

void vvi_layer_close(vvi_layer_side *s)
{
  free(s->point), free(s->share);
  *s = (vvi_layer_side){0};
}

/* What reaches the momenta of an impulse of 1 at a point: 1, or less where supports take a part of it. */
double vvi_layer_taken(const vvi_layer_side *s, const vv_point *pt, const double *q, double *p)
{
  const vv_block *b = s->block;
  const double up[3] = {1.0, 0.0, 0.0};
  double sum = 0.0;
  b->kind->pull(b, q + b->q0, 1, pt, up, p + b->p0);
  for (int64_t i = s->patch->node; i < s->patch->node + s->patch->nodes; i++) {
    double at[VVI_NODE_P];
    vvi_node_momenta(b, i, p, at);
    sum += at[0];
    vvi_node_put(b, i, (const double[VVI_NODE_P]){0}, p);
  }
  return sum;
}

/* ---- a node and a ball ---- */

void vvi_layer_ball(const vvi_pair *c, const double *q, const double y[3], double radius, vvi_pair_spot *out)
{
  double x[3], n[3];
  const double ball = c->patch_b->solid->part[0].radius;
  c->block_b->kind->surface(c->block_b, q + c->block_b->q0, 1, &c->point_b, x);
  for (int i = 0; i < 3; i++) n[i] = x[i] - y[i];
  const double far = vvi_norm3(n);
  for (int i = 0; i < 3; i++) {
    out->n[i] = far > 0.0 ? n[i] / far : i == 2;
    out->a.arm[i] = radius * out->n[i], out->b.arm[i] = -ball * out->n[i];
  }
  out->gap = far - ball - radius;
}

/* ---- the stable step ---- */

/* M^-1 of a node that a pair pushes. */
static double inverse_of(const vvi_pair *c, const double *q, double *p)
{
  const vv_block *b = c->block_a;
  vv_mover v;
  const int64_t node = c->patch_a->type == VV_PATCH_CURVE
                           ? vvi_pair_node(c)
                           : b->element_node[3 * (c->patch_a->element + c->point_a.element) + (int)c->point_a.xi[0] +
                                             2 * (int)c->point_a.xi[1]];
  b->kind->mover(b, node, q + b->q0, p + b->p0, &v);
  return fmax(v.inverse_mass[0], c->patch_a->corners * vvi_pair_inverse_mass(c, q));
}

/* omega^2 of the bodies and of the layer on a node that nothing else holds add up, as norms of matrices do.        [layer 2] */
double vvi_layer_stable(const vv_model *m, const double *q, double *zero, double step)
{
  double most = 0.0;
  for (int i = 0; i < m->pairs->n; i++) {
    const vvi_pair *c = &m->pairs->pair[i];
    if (c->layer) most = fmax(most, inverse_of(c, q, zero) / c->compliance);
  }
  return 2.0 / sqrt(4.0 / (step * step) + most);
}
