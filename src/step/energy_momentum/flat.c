/* step/energy_momentum/flat.c  A discrete gradient for kinds whose nodes only move: shells.
 *
 * The force of a step is that of the middle, and what it lacks to do the work V_n - V_n+1 exactly: for each body            [em 19]
 *   F = F(qmid) - e D,   D = M (dq - a - b x (xmid - X)),   e = (V_n+1 - V_n + F(qmid).dq)/D.dq,
 * a and b such that D has no momentum and no angular momentum about the middle.  V does not change under rigid motions, so
 * F(qmid) has neither, and both momenta are kept; D.dq is the square of what of dq is no rigid motion.
 *
 *   (2/h^2) (M dq - h p_n) = F + contacts,   p_n+1 = p_n + (2/h) (M dq - h p_n)                                             [em 20]
 *
 * by Newton's method; its linear systems by conjugate gradients over the masses.  What the tangent does to a vector is the
 * difference of two forces: (hf)^2/4 of the step decides how many of them are needed, nothing is assembled. */
#include "step/energy_momentum/frames.h"

#include "math/math.h"

#include <string.h>

enum { ROW = VV_IMPLICIT_ROW, MOST_INNER = 400 };

/* Of a body in the step. */
typedef struct flat_body {
  double before; /* V_n */
  double e;      /* [em 19] */
  bool held;     /* some of its nodes are: outside takes its momenta, and D is M dq */
  double middle[3], drift[3], turn[3];
} flat_body;

typedef struct flat {
  const vv_block *b;
  vv_block bare;     /* without gravity and loads: forces of the strains alone */
  vv_block laden;    /* without gravity */
  double t, h, size; /* t: middle of the step; size: m, about the distance of nodes */
  double lacks;      /* J: of the energy of the step, what the bound of e leaves out */
  int64_t n, column;
  int columns; /* of q */
  flat_body *body;
  double *mass;                   /* [nodes] 0: held */
  const double *load;             /* [nodes][ROW] of contacts, as last seen */
  double *q, *p;                  /* at n: [columns][column], [3][column] */
  double *z, *place, *force;      /* [3], [columns], [3]: dq, scratch of places, F(qmid) of the strains */
  double *outer;                  /* [3]: what loads are in the middle */
  double *r, *d, *kd, *s, *moved; /* [3]: of the linear systems; moved: force elsewhere */
} flat;

enum { FLAT_REALS = (sizeof(flat) + 7) / 8, BODY_REALS = (sizeof(flat_body) + 7) / 8, ARRAYS = 9 };

static int64_t work_of(const vv_block *b, int32_t unused)
{
  (void)unused;
  return FLAT_REALS + BODY_REALS * b->n_body + b->nodes + b->column * (2 * b->kind->node_q + 3 * ARRAYS);
}

static void place_arrays(flat *w, double *at)
{
  const int64_t three = 3 * w->column;
  w->body = (flat_body *)(void *)at, at += BODY_REALS * w->b->n_body;
  w->mass = at, at += w->n;
  w->q = at, at += w->columns * w->column;
  w->place = at, at += w->columns * w->column;
  double **const list[ARRAYS] = {&w->p, &w->z, &w->force, &w->outer, &w->r, &w->d, &w->kd, &w->s, &w->moved};
  for (int i = 0; i < ARRAYS; i++) *list[i] = at, at += three;
}

/* ---- energy and force ---- */

/* place = q + part z */
static void put(const flat *w, double part)
{
  for (int c = 0; c < 3; c++)
    for (int64_t i = 0; i < w->n; i++) {
      const int64_t k = c * w->column + i;
      w->place[k] = w->q[k] + part * w->z[k];
    }
}

static double strain_of(const flat *w, int32_t body, const double *q)
{
  vv_totals sum = {0};
  if (w->b->n_body == 1 || w->b->kind->audit_body == NULL)
    w->b->kind->audit(w->b, q, w->p, &sum);
  else
    w->b->kind->audit_body(w->b, body, q, w->p, &sum);
  return sum.strain;
}

static void force_at(const flat *w, const double *q, double *f)
{
  memset(f, 0, sizeof(double) * (size_t)(3 * w->column));
  w->bare.kind->kick(&w->bare, 0.0, 1.0, q, f);
}

/* Loads of the middle of the step, where `force` is known: what the kind kicks with them and without. */
static void load_at(const flat *w, const double *q)
{
  memset(w->outer, 0, sizeof(double) * (size_t)(3 * w->column));
  if (w->b->n_load == 0) return;
  w->laden.kind->kick(&w->laden, w->t, 1.0, q, w->outer);
  for (int64_t i = 0; i < 3 * w->column; i++) w->outer[i] -= w->force[i];
}

static void node3(const flat *w, const double *from, int64_t i, double x[3])
{
  for (int c = 0; c < 3; c++) x[c] = from[c * w->column + i];
}

/* a and b of [em 19]: the rigid motion with the momenta of dq. */
static void rigid_part(const flat *w, int32_t body, flat_body *k)
{
  const vv_body *of = w->b->body[body];
  double mass = 0.0, moment[3] = {0, 0, 0}, inertia[6] = {0};
  for (int c = 0; c < 3; c++) k->middle[c] = k->drift[c] = k->turn[c] = 0.0;
  if (k->held) return;
  for (int64_t i = of->node0; i < of->node0 + of->n_node; i++) {
    mass += w->mass[i];
    for (int c = 0; c < 3; c++) {
      k->middle[c] += w->mass[i] * w->place[c * w->column + i];
      k->drift[c] += w->mass[i] * w->z[c * w->column + i];
    }
  }
  for (int c = 0; c < 3; c++) k->middle[c] /= mass, k->drift[c] /= mass;
  for (int64_t i = of->node0; i < of->node0 + of->n_node; i++) {
    double r[3], u[3], l[3];
    const double m = w->mass[i];
    node3(w, w->place, i, r), node3(w, w->z, i, u);
    for (int c = 0; c < 3; c++) r[c] -= k->middle[c];
    vvi_cross3(r, u, l);
    for (int c = 0; c < 3; c++) moment[c] += m * l[c];
    inertia[0] += m * (r[1] * r[1] + r[2] * r[2]), inertia[1] += m * (r[0] * r[0] + r[2] * r[2]);
    inertia[2] += m * (r[0] * r[0] + r[1] * r[1]);
    inertia[3] -= m * r[1] * r[2], inertia[4] -= m * r[0] * r[2], inertia[5] -= m * r[0] * r[1];
  }
  if (!vvi_solve6(inertia, moment, k->turn)) k->turn[0] = k->turn[1] = k->turn[2] = 0.0;
}

/* D of a node; place is the middle. */
static void deformation(const flat *w, const flat_body *k, int64_t i, double d[3])
{
  double r[3], turn[3];
  node3(w, w->place, i, r);
  for (int c = 0; c < 3; c++) r[c] -= k->middle[c];
  vvi_cross3(k->turn, r, turn);
  for (int c = 0; c < 3; c++) d[c] = w->mass[i] * (w->z[c * w->column + i] - k->drift[c] - turn[c]);
}

/* e of all bodies, and the force of the middle.                                                                   [em 19] */
static void balance(flat *w)
{
  w->lacks = 0.0;
  put(w, 1.0);
  for (int32_t j = 0; j < w->b->n_body; j++) w->body[j].e = strain_of(w, j, w->place) - w->body[j].before;
  put(w, 0.5);
  force_at(w, w->place, w->force);
  load_at(w, w->place);
  for (int32_t j = 0; j < w->b->n_body; j++) {
    flat_body *k = &w->body[j];
    const vv_body *of = w->b->body[j];
    double square = 0.0;
    rigid_part(w, j, k);
    for (int64_t i = of->node0; i < of->node0 + of->n_node; i++) {
      double d[3];
      deformation(w, k, i, d);
      for (int c = 0; c < 3; c++) {
        k->e += w->force[c * w->column + i] * w->z[c * w->column + i];
        square += d[c] * w->z[c * w->column + i];
      }
    }
    const double most = 1.0 / (w->h * w->h), lack = k->e; /* what a step can bear */
    k->e = square > 0.0 ? fmax(-most, fmin(most, lack / square)) : 0.0;
    w->lacks += fabs(lack - k->e * square);
  }
}

/* ---- linear systems ---- */

static double dot(const flat *w, const double *a, const double *b, bool over_mass)
{
  double sum = 0.0;
  for (int c = 0; c < 3; c++)
    for (int64_t i = 0; i < w->n; i++)
      if (w->mass[i] > 0.0) sum += a[c * w->column + i] * b[c * w->column + i] / (over_mass ? w->mass[i] : 1.0);
  return sum;
}

static double largest(const flat *w, const double *x)
{
  double most = 0.0;
  for (int c = 0; c < 3; c++)
    for (int64_t i = 0; i < w->n; i++) most = fmax(most, fabs(x[c * w->column + i]));
  return most;
}

/* kd = K d, K = (2/h^2 + e) M - dF/2, the derivative as a difference from the force of the middle. */
static void apply(const flat *w)
{
  const double most = largest(w, w->d), s = most > 0.0 ? 1e-7 * w->size / most : 0.0;
  for (int c = 0; c < 3; c++)
    for (int64_t i = 0; i < w->n; i++) {
      const int64_t k = c * w->column + i;
      w->place[k] = w->q[k] + 0.5 * w->z[k] + s * w->d[k];
    }
  force_at(w, w->place, w->moved);
  for (int32_t j = 0; j < w->b->n_body; j++) {
    const vv_body *of = w->b->body[j];
    const double part = 2.0 / (w->h * w->h) + w->body[j].e;
    for (int c = 0; c < 3; c++)
      for (int64_t i = of->node0; i < of->node0 + of->n_node; i++) {
        const int64_t k = c * w->column + i;
        const double turned = s > 0.0 && w->mass[i] > 0.0 ? 0.5 * (w->moved[k] - w->force[k]) / s : 0.0;
        w->kd[k] = part * w->mass[i] * w->d[k] - turned;
      }
  }
}

/* x/m; nothing moves what is held. */
static double over(const flat *w, double x, int64_t i)
{
  return w->mass[i] > 0.0 ? x / w->mass[i] : 0.0;
}

/* s = K^-1 r to a part of itself, r is used up. */
static bool conjugate(const flat *w, double part)
{
  memset(w->s, 0, sizeof(double) * (size_t)(3 * w->column));
  double rr = dot(w, w->r, w->r, true);
  const double enough = part * part * rr;
  for (int c = 0; c < 3; c++)
    for (int64_t i = 0; i < w->n; i++) w->d[c * w->column + i] = over(w, w->r[c * w->column + i], i);
  for (int k = 0; k < MOST_INNER && rr > enough && rr > 0.0; k++) {
    apply(w);
    const double curve = dot(w, w->d, w->kd, false);
    if (!(curve > 0.0)) return k > 0; /* not convex here: what was found so far serves */
    const double by = rr / curve;
    for (int64_t i = 0; i < 3 * w->column; i++) w->s[i] += by * w->d[i], w->r[i] -= by * w->kd[i];
    const double next = dot(w, w->r, w->r, true), turn = next / rr;
    if (!(next < INFINITY)) return false;
    for (int c = 0; c < 3; c++)
      for (int64_t i = 0; i < w->n; i++) {
        const int64_t at = c * w->column + i;
        w->d[at] = over(w, w->r[at], i) + turn * w->d[at];
      }
    rr = next;
  }
  return true;
}

/* ---- the parts ---- */

static const flat *flat_of(const double *work)
{
  return (const flat *)(const void *)work;
}

/* 1/mass is how far a unit of momentum drifts in a unit of time. */
static void find_masses(flat *w)
{
  memset(w->place, 0, sizeof(double) * (size_t)(w->columns * w->column));
  for (int64_t i = 0; i < 3 * w->column; i++) w->d[i] = 1.0;
  w->b->kind->drift(w->b, 1.0, w->place, w->d);
  for (int64_t i = 0; i < w->n; i++) w->mass[i] = w->place[i] > 0.0 ? 1.0 / w->place[i] : 0.0;
  for (int32_t j = 0; j < w->b->n_body; j++) {
    const vv_body *of = w->b->body[j];
    w->body[j].held = false;
    for (int64_t i = of->node0; i < of->node0 + of->n_node; i++) w->body[j].held |= !(w->mass[i] > 0.0);
  }
}

static void begin(const vv_block *b, int32_t unused, double t, double h, const double *q, const double *p,
                  const double *v, double *work)
{
  (void)unused, (void)v;
  flat *w = (flat *)(void *)work;
  *w = (flat){
      .b = b, .laden = *b, .t = t + 0.5 * h, .h = h, .n = b->nodes, .column = b->column, .columns = b->kind->node_q};
  memset(w->laden.gravity, 0, sizeof w->laden.gravity);
  w->bare = w->laden, w->bare.n_load = 0;
  place_arrays(w, work + FLAT_REALS);
  find_masses(w);
  memcpy(w->q, q, sizeof(double) * (size_t)(w->columns * w->column));
  memcpy(w->place, q, sizeof(double) * (size_t)(w->columns * w->column));
  memcpy(w->p, p, sizeof(double) * (size_t)(3 * w->column));
  memset(w->z, 0, sizeof(double) * (size_t)(3 * w->column));
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, d[3];
  for (int c = 0; c < 3; c++) {
    for (int64_t i = 0; i < w->n; i++) {
      const int64_t k = c * w->column + i;
      w->z[k] = over(w, h * p[k], i);
      if (i < b->body[0]->n_node) low[c] = fmin(low[c], q[k]), high[c] = fmax(high[c], q[k]);
    }
    d[c] = high[c] - low[c];
  }
  w->size = vvi_norm3(d) / sqrt((double)b->body[0]->n_node);
  for (int32_t j = 0; j < b->n_body; j++) w->body[j].before = strain_of(w, j, q);
}

/* r = (2/h^2) (M z - h p) - F - M g - loads - contacts                                                            [em 20] */
static void residual(flat *w, const double *load)
{
  const double f = 2.0 / (w->h * w->h);
  balance(w);
  memset(w->r, 0, sizeof(double) * (size_t)(3 * w->column));
  for (int32_t j = 0; j < w->b->n_body; j++) {
    const vv_body *of = w->b->body[j];
    for (int64_t i = of->node0; i < of->node0 + of->n_node; i++) {
      double d[3];
      if (!(w->mass[i] > 0.0)) continue;
      deformation(w, &w->body[j], i, d);
      for (int c = 0; c < 3; c++) {
        const int64_t k = c * w->column + i;
        w->r[k] = f * (w->mass[i] * w->z[k] - w->h * w->p[k]) - w->force[k] + w->body[j].e * d[c] -
                  w->mass[i] * w->b->gravity[c] - w->outer[k] - load[ROW * i + c];
      }
    }
  }
}

static bool correct(double *work, const double *load, bool fresh, double *added, double *whole)
{
  (void)fresh;
  flat *w = (flat *)(void *)work;
  w->load = load;
  residual(w, load);
  if (!conjugate(w, 1e-4)) return false;
  for (int64_t i = 0; i < 3 * w->column; i++) w->z[i] -= w->s[i];
  *added = largest(w, w->s) / w->size, *whole = largest(w, w->z) / w->size;
  return isfinite(*added);
}

/* Where the strains are not convex along the very first direction, as of a shell that buckles, masses answer alone: with a column of
 * zeros a spring would look as if nothing could move it, and pass for solved. */
static void respond(double *work, double part, double *x)
{
  const flat *w = flat_of(work);
  memset(w->r, 0, sizeof(double) * (size_t)(3 * w->column));
  for (int64_t i = 0; i < w->n; i++)
    for (int c = 0; c < 3; c++) w->r[c * w->column + i] = w->mass[i] > 0.0 ? x[ROW * i + c] : 0.0;
  const bool found = conjugate(w, part);
  for (int64_t i = 0; i < w->n; i++)
    for (int c = 0; c < 3; c++) {
      const int64_t at = ROW * i + c;
      x[at] = found ? w->s[c * w->column + i] : over(w, 0.5 * w->h * w->h * x[at], i);
      x[at + 3] = 0.0;
    }
}

static double lacks(const double *work)
{
  return flat_of(work)->lacks;
}

static void node_of(const double *work, int64_t i, vv_implicit_node *out)
{
  const flat *w = flat_of(work);
  node3(w, w->q, i, out->place), node3(w, w->z, i, out->u);
  for (int c = 0; c < 3; c++) out->theta[c] = 0.0;
}

static void rate_of(const double *work, int64_t i, double v[6])
{
  const flat *w = flat_of(work);
  for (int c = 0; c < 3; c++) v[c] = over(w, w->p[c * w->column + i], i), v[3 + c] = 0.0;
}

/* Loads do the work F.dq, and their impulses act in the middle of the step; q: of its end. */
static void post_loads(const flat *w, const double *q, vv_posted *post)
{
  double work = 0.0;
  for (int64_t i = 0; i < w->n && w->b->n_load > 0; i++) {
    double x[3], j[3];
    for (int c = 0; c < 3; c++) {
      const int64_t k = c * w->column + i;
      x[c] = q[k] - 0.5 * w->z[k], j[c] = w->h * w->outer[k];
      work += w->outer[k] * w->z[k];
    }
    if (vvi_norm3(j) > 0.0) vvi_post_impulse(post, x, j);
  }
  vvi_sum_add(&post->external_work, work);
}

/* Supports give what the strains do to the nodes that are free, and take what pushes those that are held. */
static void post_supports(const flat *w, const double *q, vv_posted *post)
{
  for (int32_t j = 0; j < w->b->n_body; j++) {
    const vv_body *of = w->b->body[j];
    for (int64_t i = of->node0; w->body[j].held && i < of->node0 + of->n_node; i++) {
      const double free = w->mass[i] > 0.0 ? w->h : 0.0, held = w->mass[i] > 0.0 || w->load == NULL ? 0.0 : w->h;
      double x[3], impulse[3];
      for (int c = 0; c < 3; c++) {
        const int64_t k = c * w->column + i;
        x[c] = q[k] - 0.5 * w->z[k];
        impulse[c] = free * (w->force[k] - w->body[j].e * w->mass[i] * w->z[k]) -
                     held * (held > 0.0 ? w->load[ROW * i + c] : 0.0);
      }
      if (vvi_norm3(impulse) > 0.0) vvi_post_impulse(post, x, impulse);
    }
  }
}

static void finish(double *work, double *q, double *p, double *unused, vv_posted *post)
{
  (void)unused;
  const flat *w = flat_of(work);
  double mass = 0.0, centre[3] = {0, 0, 0}, weight[3];
  for (int c = 0; c < 3; c++)
    for (int64_t i = 0; i < w->n; i++) {
      const int64_t k = c * w->column + i;
      centre[c] += w->mass[i] * (q[k] + 0.5 * w->z[k]);
      mass += c == 0 ? w->mass[i] : 0.0;
      q[k] += w->z[k];
      p[k] += 2.0 / w->h * (w->mass[i] * w->z[k] - w->h * p[k]);
    }
  post_loads(w, q, post);
  post_supports(w, q, post);
  if (vvi_norm3(w->b->gravity) == 0.0) return;
  for (int c = 0; c < 3; c++) centre[c] /= mass, weight[c] = w->h * mass * w->b->gravity[c];
  vvi_post_impulse(post, centre, weight);
}

const vv_implicit_parts vvi_em_flat_parts = {
    .work = work_of,
    .begin = begin,
    .correct = correct,
    .respond = respond,
    .lacks = lacks,
    .node = node_of,
    .rate = rate_of,
    .finish = finish,
};
