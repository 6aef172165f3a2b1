/* step/solids/rest.c  Contacts at rest: islands, the way from a guess to an answer, and the guard of the energy. */
#include "step/solids/rest.h"

#include "math/math.h"
#include "step/solids/rest_work.h"

#include <float.h>
#include <string.h>

/* Limits for an island in a step; one with more contacts than LARGE gets less and goes on in the next step. */
enum { NEWTON = 60, SWEEPS = 60, LARGE = 128, NEWTON_LARGE = 20, SWEEPS_LARGE = 12, BLOCKS_PER_MOVER = 48 };

vv_status vvi_rest_room(vvi_arena *arena, int32_t contacts, vvi_rest_work *w)
{
  w->contacts = contacts;
  w->contact = VVI_ARENA_NEW(arena, int32_t, contacts);
  w->row = VVI_ARENA_NEW(arena, vvi_rest_row, contacts);
  w->trial = VVI_ARENA_NEW(arena, vvi_rest_trial, contacts);
  return w->contact == NULL || w->row == NULL || w->trial == NULL ? VV_NOMEM : VV_OK;
}

vv_status vvi_rest_create(vvi_arena *arena, int32_t movers, int32_t contacts, vvi_rest_work **out)
{
  vvi_rest_work *w = VVI_ARENA_NEW(arena, vvi_rest_work, 1);
  if (w == NULL) return VV_NOMEM;
  const int32_t rows = movers < VVI_FACTOR_MOST ? movers : VVI_FACTOR_MOST;
  const int64_t slots = 2 * (int64_t)movers + 1, blocks = (int64_t)BLOCKS_PER_MOVER * movers;
  *w = (vvi_rest_work){.movers = movers, .newton = NEWTON, .sweeps = SWEEPS};
  w->parent = VVI_ARENA_NEW(arena, int32_t, movers);
  w->isle_of_root = VVI_ARENA_NEW(arena, int32_t, movers);
  w->local = VVI_ARENA_NEW(arena, int32_t, movers);
  w->moves = VVI_ARENA_NEW(arena, unsigned char, movers);
  w->first_contact = VVI_ARENA_NEW(arena, int32_t, movers + 2);
  w->first_mover = VVI_ARENA_NEW(arena, int32_t, movers + 2);
  w->mover = VVI_ARENA_NEW(arena, int32_t, movers);
  w->impulse = VVI_ARENA_NEW(arena, vvi_six, movers);
  w->velocity = VVI_ARENA_NEW(arena, vvi_six, movers);
  w->root = vvi_arena_alloc(arena, sizeof *w->root * (size_t)movers);
  w->end = VVI_ARENA_NEW(arena, vvi_isle_end, movers);
  w->s = VVI_ARENA_NEW(arena, vvi_six, slots);
  w->step = VVI_ARENA_NEW(arena, vvi_six, slots);
  w->way = VVI_ARENA_NEW(arena, vvi_six, slots);
  w->scratch = VVI_ARENA_NEW(arena, vvi_six, slots);
  vvi_factor *f = &w->pool;
  f->place = VVI_ARENA_NEW(arena, int32_t, movers);
  f->node = VVI_ARENA_NEW(arena, int32_t, movers);
  f->first = VVI_ARENA_NEW(arena, int32_t, slots);
  f->row = VVI_ARENA_NEW(arena, int32_t, blocks);
  f->bits = VVI_ARENA_NEW(arena, uint64_t, (int64_t)movers * vvi_factor_words(rows));
  f->diag = vvi_arena_alloc(arena, sizeof *f->diag * (size_t)movers);
  f->below = vvi_arena_alloc(arena, sizeof *f->below * (size_t)blocks);
  *out = w;
  const void *const all[] = {w->moves, w->parent,  w->isle_of_root, w->local,    w->first_contact, w->first_mover,
                             w->mover, w->impulse, w->root,         w->velocity, w->end,           w->s,
                             w->step,  w->way,     w->scratch,      f->place,    f->node,          f->first,
                             f->row,   f->bits,    f->diag,         f->below};
  for (int i = 0; i < VV_COUNT(all); i++) {
    if (all[i] == NULL) return VV_NOMEM;
  }
  return vvi_rest_room(arena, contacts, w);
}

/* ---- islands: movers that contacts connect; what is fixed connects nothing ---- */

static bool can_move(const vv_mover *m)
{
  const double *a = m->inverse_mass, *b = m->inverse_inertia;
  return a[0] + a[1] + a[2] + b[0] + b[1] + b[2] > 0.0;
}

static bool moves(const vvi_rest_work *w, int32_t m)
{
  return m >= 0 && w->moves[m];
}

/* The mover that names the island of a contact; -1: nothing there can move. */
static int32_t name_of(vvi_rest_work *w, const vvi_rest_problem *p, int32_t i)
{
  const vvi_rest_contact *c = &p->contact[i];
  if (moves(w, c->a)) return vvi_group_of(w->parent, c->a);
  return moves(w, c->b) ? vvi_group_of(w->parent, c->b) : -1;
}

/* Counts into first[k + 2]; summed, first[k + 1] is where island k begins and, filled, where it ends. */
static void add_up(int32_t islands, int32_t *first)
{
  for (int32_t k = 0; k < islands; k++) first[k + 2] += first[k + 1];
}

/* Islands in the order of their first contacts, contacts and movers sorted by them and else in their own order. */
static void find_islands(vvi_rest_work *w, vvi_rest_problem *p)
{
  for (int32_t m = 0; m < p->movers; m++)
    w->parent[m] = m, w->isle_of_root[m] = -1, w->moves[m] = can_move(&p->mover[m]);
  for (int32_t i = 0; i < p->n; i++) {
    if (moves(w, p->contact[i].a) && moves(w, p->contact[i].b))
      vvi_group_join(w->parent, p->contact[i].a, p->contact[i].b);
  }
  w->islands = 0;
  memset(w->first_contact, 0, sizeof *w->first_contact * (size_t)(w->movers + 2));
  memset(w->first_mover, 0, sizeof *w->first_mover * (size_t)(w->movers + 2));
  for (int32_t i = 0; i < p->n; i++) {
    const int32_t root = name_of(w, p, i);
    if (root < 0) continue;
    if (w->isle_of_root[root] < 0) w->isle_of_root[root] = w->islands++;
    w->first_contact[w->isle_of_root[root] + 2]++;
  }
  for (int32_t m = 0; m < p->movers; m++) {
    const int32_t k = w->isle_of_root[vvi_group_of(w->parent, m)];
    if (k >= 0) w->first_mover[k + 2]++;
  }
  add_up(w->islands, w->first_contact), add_up(w->islands, w->first_mover);
  for (int32_t i = 0; i < p->n; i++) {
    const int32_t root = name_of(w, p, i);
    if (root >= 0) w->contact[w->first_contact[w->isle_of_root[root] + 1]++] = i;
  }
  for (int32_t m = 0; m < p->movers; m++) {
    const int32_t k = w->isle_of_root[vvi_group_of(w->parent, m)];
    if (k >= 0) w->mover[w->first_mover[k + 1]++] = m;
  }
  for (int32_t k = 0; k < w->islands; k++) {
    for (int32_t i = w->first_mover[k]; i < w->first_mover[k + 1]; i++) w->local[w->mover[i]] = i - w->first_mover[k];
  }
}

/* ---- one island: velocities of given impulses ---- */

static void times_symmetric(const double a[6], const double x[3], double y[3])
{
  y[0] = a[0] * x[0] + a[5] * x[1] + a[4] * x[2];
  y[1] = a[5] * x[0] + a[1] * x[1] + a[3] * x[2];
  y[2] = a[4] * x[0] + a[3] * x[1] + a[2] * x[2];
}

static void strike(double y[6], const double arm[3], double sign, const double j[3])
{
  double moment[3];
  vvi_cross3(arm, j, moment);
  for (int k = 0; k < 3; k++) y[k] += sign * j[k], y[3 + k] += sign * moment[k];
}

/* impulse = G^T j and velocity = vf + M^-1 G^T j of the movers of island k. */
static void deliver(vvi_rest_work *w, const vvi_rest_problem *p, int32_t k)
{
  for (int32_t i = w->first_mover[k]; i < w->first_mover[k + 1]; i++) {
    memset(w->impulse[w->mover[i]], 0, sizeof *w->impulse);
  }
  for (int32_t i = w->first_contact[k]; i < w->first_contact[k + 1]; i++) {
    const vvi_rest_contact *c = &p->contact[w->contact[i]];
    if (moves(w, c->a)) strike(w->impulse[c->a], c->arm_a, -1.0, c->j);
    if (moves(w, c->b)) strike(w->impulse[c->b], c->arm_b, 1.0, c->j);
  }
  for (int32_t i = w->first_mover[k]; i < w->first_mover[k + 1]; i++) {
    const int32_t m = w->mover[i];
    double *v = w->velocity[m];
    times_symmetric(p->mover[m].inverse_mass, w->impulse[m], v);
    times_symmetric(p->mover[m].inverse_inertia, w->impulse[m] + 3, v + 3);
    for (int c = 0; c < 6; c++) v[c] += p->velocity[6 * m + c];
  }
}

static void add_point_velocity(const double v[6], const double arm[3], double sign, double u[3])
{
  double turn[3];
  vvi_cross3(v + 3, arm, turn);
  for (int c = 0; c < 3; c++) u[c] += sign * (v[c] + turn[c]);
}

static double largest(const double x[3])
{
  return fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2])));
}

/* The rate at which a gap may close; one within the rounding of places and arms is closed. */
static double closing(const vvi_rest_problem *p, const vvi_rest_contact *c)
{
  const int32_t m = c->b >= 0 ? c->b : c->a;
  const double size = largest(p->mover[m].place) + largest(c->b >= 0 ? c->arm_b : c->arm_a);
  return (c->gap > 256.0 * DBL_EPSILON * size ? c->gap / p->dt : 0.0) - c->rise;
}

/* What is small in island k, m/s. */
typedef struct scales {
  double load;  /* what the loads give in a step */
  double rest;  /* at rest: far below that, and not below the rounding of the impulses */
  double solve; /* to be reached by a solve, so that the next step finds it at rest */
} scales;

static scales small_of(const vvi_rest_work *w, const vvi_rest_problem *p, int32_t k)
{
  double load = 0.0, noise = 0.0;
  for (int32_t i = w->first_mover[k]; i < w->first_mover[k + 1]; i++) {
    const int32_t m = w->mover[i];
    const double *v0 = p->before + 6 * m, *vf = p->velocity + 6 * m, *a = p->mover[m].inverse_mass;
    const double push[3] = {vf[0] - v0[0], vf[1] - v0[1], vf[2] - v0[2]};
    load = fmax(load, largest(push));
    noise = fmax(noise, largest(vf) + largest(w->impulse[m]) * fmax(a[0], fmax(a[1], a[2])));
  }
  noise *= DBL_EPSILON;
  return (scales){.load = load, .rest = 1e-12 * load + 32.0 * noise, .solve = fmax(1e-13 * load, 8.0 * noise)};
}

/* Do the impulses given answer island k?  Sliding ones are not tried: they change with every step. */
static bool holds(const vvi_rest_work *w, const vvi_rest_problem *p, int32_t k, double tol)
{
  for (int32_t i = w->first_contact[k]; i < w->first_contact[k + 1]; i++) {
    const vvi_rest_contact *c = &p->contact[w->contact[i]];
    double u[3] = {0, 0, 0};
    if (moves(w, c->a)) add_point_velocity(w->velocity[c->a], c->arm_a, -1.0, u);
    if (moves(w, c->b)) add_point_velocity(w->velocity[c->b], c->arm_b, 1.0, u);
    const double un = vvi_dot3(u, c->n), jn = vvi_dot3(c->j, c->n), normal = un + closing(p, c);
    if (jn < 0.0 || normal < -tol || (jn > 0.0 && normal > tol)) return false;
    double rub = 0.0, slip = 0.0;
    for (int e = 0; e < 3; e++) {
      const double jt = c->j[e] - jn * c->n[e], ut = u[e] - un * c->n[e];
      rub += jt * jt, slip += ut * ut;
    }
    const double limit = c->friction * jn * (1.0 + 4.0 * DBL_EPSILON) + DBL_EPSILON * jn;
    if (rub > limit * limit || (c->friction * jn > 0.0 && slip > tol * tol)) return false;
  }
  return true;
}

/* ---- one island: its contacts in scaled velocities ---- */

/* Lower root of a symmetric matrix, xx yx yy zx zy zz; a direction without inverse mass gets a zero column. */
static void root_of(const double a[6], double l[6])
{
  const double least = 1e-14 * (a[0] + a[1] + a[2]);
  const double d0 = a[0] > least ? sqrt(a[0]) : 0.0;
  l[0] = d0, l[1] = d0 > 0.0 ? a[5] / d0 : 0.0, l[3] = d0 > 0.0 ? a[4] / d0 : 0.0;
  const double r1 = a[1] - l[1] * l[1], d1 = r1 > least ? sqrt(r1) : 0.0;
  l[2] = d1, l[4] = d1 > 0.0 ? (a[3] - l[3] * l[1]) / d1 : 0.0;
  const double r2 = a[2] - l[3] * l[3] - l[4] * l[4];
  l[5] = r2 > least ? sqrt(r2) : 0.0;
}

/* y = sign x^T l */
static void times_root(const double l[6], double sign, const double x[3], double y[3])
{
  y[0] = sign * (x[0] * l[0] + x[1] * l[1] + x[2] * l[3]);
  y[1] = sign * (x[1] * l[2] + x[2] * l[4]);
  y[2] = sign * (x[2] * l[5]);
}

static void frame_of(const double n[3], double axis[3][3])
{
  memcpy(axis[0], n, sizeof axis[0]);
  vvi_across(n, axis + 1);
}

static double dot12(const vvi_rest_row *r, int i, int k)
{
  double sum = 0.0;
  for (int c = 0; c < 6; c++) sum += r->b[0][i][c] * r->b[0][k][c] + r->b[1][i][c] * r->b[1][k][c];
  return sum;
}

/* One end of a contact: its row of B and what its free velocity adds. */
static void fill_end(const vvi_rest_work *w, const vvi_rest_problem *p, int32_t m, int e, const double arm[3],
                     double axis[3][3], vvi_rest_row *r)
{
  const double sign = e == 0 ? -1.0 : 1.0;
  double u[3] = {0, 0, 0};
  add_point_velocity(p->velocity + 6 * m, arm, sign, u);
  for (int i = 0; i < 3; i++) {
    double moment[3];
    vvi_cross3(arm, axis[i], moment);
    times_root(w->root[m], sign, axis[i], r->b[e][i]);
    times_root(w->root[m] + 6, sign, moment, r->b[e][i] + 3);
    r->c[i] += vvi_dot3(u, axis[i]);
  }
  r->side[e] = w->local[m];
}

static void fill_blocks(vvi_rest_row *r)
{
  double *a = r->a;
  a[0] = dot12(r, 0, 0), a[1] = dot12(r, 1, 1), a[2] = dot12(r, 2, 2);
  a[3] = dot12(r, 1, 2), a[4] = dot12(r, 0, 2), a[5] = dot12(r, 0, 1);
  const double det = a[1] * a[2] - a[3] * a[3], half = 0.5 * (a[1] - a[2]);
  const double most = 0.5 * (a[1] + a[2]) + sqrt(half * half + a[3] * a[3]);
  r->inverse[0] = a[0] > 0.0 ? 1.0 / a[0] : 0.0;
  r->soft = most > 0.0 ? 1.0 / most : 0.0;
  const bool flat = !(det > 1e-14 * most * most); /* cannot move along some tangent */
  r->inverse[1] = flat ? r->soft : a[2] / det;
  r->inverse[2] = flat ? r->soft : a[1] / det;
  r->inverse[3] = flat ? 0.0 : -a[3] / det;
}

static void fill_row(const vvi_rest_work *w, const vvi_rest_problem *p, const vvi_rest_contact *c, int32_t movers,
                     vvi_rest_row *r, vvi_rest_trial *t)
{
  memset(r, 0, sizeof *r);
  frame_of(c->n, t->axis);
  r->side[0] = r->side[1] = movers;
  r->friction = c->friction;
  r->c[0] = closing(p, c);
  if (moves(w, c->a)) fill_end(w, p, c->a, 0, c->arm_a, t->axis, r);
  if (moves(w, c->b)) fill_end(w, p, c->b, 1, c->arm_b, t->axis, r);
  fill_blocks(r);
  r->j[0] = fmax(vvi_dot3(c->j, c->n), 0.0);
  for (int i = 1; i < 3; i++) r->j[i] = vvi_dot3(c->j, t->axis[i]);
  const double rub = sqrt(r->j[1] * r->j[1] + r->j[2] * r->j[2]), limit = r->friction * r->j[0];
  if (rub > limit) r->j[1] *= limit / rub, r->j[2] *= limit / rub;
}

/* The part of the work memory that belongs to island k; one slot more than movers stands for all that is fixed. */
static vvi_isle open_isle(const vvi_rest_work *w, int32_t k)
{
  const int32_t m0 = w->first_mover[k], m = w->first_mover[k + 1] - m0, c0 = w->first_contact[k];
  const int32_t words = vvi_factor_words(w->movers < VVI_FACTOR_MOST ? w->movers : VVI_FACTOR_MOST);
  const vvi_factor *f = &w->pool;
  return (vvi_isle){.contacts = w->first_contact[k + 1] - c0,
                    .movers = m,
                    .row = w->row + c0,
                    .trial = w->trial + c0,
                    .s = w->s + m0 + k,
                    .step = w->step + m0 + k,
                    .way = w->way + m0 + k,
                    .scratch = w->scratch + m0 + k,
                    .factor = {.n = m,
                               .room = BLOCKS_PER_MOVER * m,
                               .place = f->place + m0,
                               .node = f->node + m0,
                               .first = f->first + m0 + k,
                               .row = f->row + (int64_t)BLOCKS_PER_MOVER * m0,
                               .bits = f->bits + (int64_t)words * m0,
                               .diag = f->diag + m0,
                               .below = f->below + (int64_t)BLOCKS_PER_MOVER * m0}};
}

/* Finds an order of elimination and where each contact stands in the matrix; false: too large or too full for Newton. */
static bool plan(vvi_isle *isle)
{
  vvi_factor *f = &isle->factor;
  if (f->n > VVI_FACTOR_MOST) return false;
  vvi_factor_begin(f);
  for (int32_t i = 0; i < isle->contacts; i++) {
    const int32_t *side = isle->row[i].side;
    isle->trial[i].block = side[0] < f->n && side[1] < f->n ? 0 : -1;
    if (isle->trial[i].block == 0) vvi_factor_pair(f, side[0], side[1]);
  }
  if (!vvi_factor_plan(f)) return false;
  for (int32_t i = 0; i < isle->contacts; i++) {
    vvi_rest_trial *t = &isle->trial[i];
    if (t->block == 0) t->block = vvi_factor_find(f, isle->row[i].side[0], isle->row[i].side[1], &t->turned);
  }
  return true;
}

/* From the impulses given to the answer: Newton's method, and contact by contact what that leaves. */
static vvi_isle_end solve_isle(vvi_rest_work *w, const vvi_rest_problem *p, int32_t k, const scales *small)
{
  vvi_isle isle = open_isle(w, k);
  vvi_isle_end end = {0};
  bool done = false;
  isle.tolerance = small->solve, isle.load = small->load;
  for (int32_t i = w->first_mover[k]; i < w->first_mover[k + 1]; i++) {
    root_of(p->mover[w->mover[i]].inverse_mass, w->root[w->mover[i]]);
    root_of(p->mover[w->mover[i]].inverse_inertia, w->root[w->mover[i]] + 6);
  }
  for (int32_t i = 0; i < isle.contacts; i++) {
    fill_row(w, p, &p->contact[w->contact[w->first_contact[k] + i]], isle.movers, &isle.row[i], &isle.trial[i]);
  }
  const bool large = isle.contacts > LARGE;
  const int32_t newton = large && w->newton > NEWTON_LARGE ? NEWTON_LARGE : w->newton;
  const int32_t sweeps = large && w->sweeps > SWEEPS_LARGE ? SWEEPS_LARGE : w->sweeps;
  if (newton > 0 && plan(&isle)) end.newton = vvi_rest_newton(&isle, newton, &done);
  end.failed = !done;
  end.sweeps = vvi_gauss_seidel(&isle, sweeps, &end.residual);
  for (int32_t i = 0; i < isle.contacts; i++) {
    const double *j = isle.row[i].j;
    double(*axis)[3] = isle.trial[i].axis;
    double *out = p->contact[w->contact[w->first_contact[k] + i]].j;
    for (int c = 0; c < 3; c++) out[c] = j[0] * axis[0][c] + j[1] * axis[1][c] + j[2] * axis[2][c];
  }
  return end;
}

/* ---- the guard: whatever the solver left, the energy of what is connected does not grow ---- */

/* Sums over the movers that impulses connect. */
enum { GAIN, BEFORE, WORK, STRUCK, BLOW, LOAD };

/* v.M v/2 of three components, a the inverse of M; a direction without inverse mass counts nothing. */
static double kinetic(const double a[6], const double v[3])
{
  double l[6];
  root_of(a, l);
  const double x = l[0] > 0.0 ? v[0] / l[0] : 0.0;
  const double y = l[2] > 0.0 ? (v[1] - l[1] * x) / l[2] : 0.0;
  const double z = l[5] > 0.0 ? (v[2] - l[3] * x - l[4] * y) / l[5] : 0.0;
  return 0.5 * (x * x + y * y + z * z);
}

static double dot6(const double a[6], const double b[6])
{
  return vvi_dot3(a, b) + vvi_dot3(a + 3, b + 3);
}

/* E1 - E0 = (J.(v1 + v0) - dt f.(v1 - v0))/2 of one mover, J the impulse on it [many 21]. */
static double gain(const vvi_rest_work *w, const vvi_rest_problem *p, int32_t m)
{
  double sum = 0.0;
  for (int c = 0; c < 6; c++) {
    const double v0 = p->before[6 * m + c], v1 = w->velocity[m][c];
    sum += w->impulse[m][c] * (v1 + v0) - p->pushed[6 * m + c] * (v1 - v0);
  }
  return 0.5 * sum;
}

static bool acts(const vvi_rest_contact *c)
{
  return c->j[0] != 0.0 || c->j[1] != 0.0 || c->j[2] != 0.0;
}

static bool leans(const vvi_rest_work *w, const vvi_rest_problem *p, int32_t k)
{
  for (int32_t i = w->first_contact[k]; i < w->first_contact[k + 1]; i++) {
    const vvi_rest_contact *c = &p->contact[w->contact[i]];
    if (acts(c) && !(moves(w, c->a) && moves(w, c->b))) return true;
  }
  return false;
}

/* Finds what impulses connect in island k: parent, and whether it leans on something fixed (in isle_of_root). */
static void connect_struck(vvi_rest_work *w, const vvi_rest_problem *p, int32_t k)
{
  for (int32_t i = w->first_mover[k]; i < w->first_mover[k + 1]; i++) {
    w->parent[w->mover[i]] = w->mover[i], w->isle_of_root[w->mover[i]] = 0;
  }
  for (int32_t i = w->first_contact[k]; i < w->first_contact[k + 1]; i++) {
    const vvi_rest_contact *c = &p->contact[w->contact[i]];
    if (acts(c) && moves(w, c->a) && moves(w, c->b)) vvi_group_join(w->parent, c->a, c->b);
  }
  for (int32_t i = w->first_contact[k]; i < w->first_contact[k + 1]; i++) {
    const vvi_rest_contact *c = &p->contact[w->contact[i]];
    if (acts(c) && !moves(w, c->a)) w->isle_of_root[vvi_group_of(w->parent, c->b)] = 1;
    if (acts(c) && !moves(w, c->b)) w->isle_of_root[vvi_group_of(w->parent, c->a)] = 1;
  }
}

/* scratch[root] = the sums over those touched. */
static void add_energies(vvi_rest_work *w, const vvi_rest_problem *p, int32_t k)
{
  vvi_six *sum = w->scratch + w->first_mover[k] + k;
  memset(sum, 0, sizeof *sum * (size_t)(w->first_mover[k + 1] - w->first_mover[k]));
  for (int32_t i = w->first_mover[k]; i < w->first_mover[k + 1]; i++) {
    const int32_t m = w->mover[i];
    if (!p->touched[m]) continue;
    const double *v0 = p->before + 6 * m, *vf = p->velocity + 6 * m, *v1 = w->velocity[m], *f = p->pushed + 6 * m;
    double *y = sum[w->local[vvi_group_of(w->parent, m)]];
    y[GAIN] += gain(w, p, m);
    y[BEFORE] += kinetic(p->mover[m].inverse_mass, v0) + kinetic(p->mover[m].inverse_inertia, v0 + 3);
    y[WORK] += dot6(f, v1);
    y[STRUCK] += dot6(w->impulse[m], v0);
    y[BLOW] += dot6(w->impulse[m], v1) - dot6(w->impulse[m], vf);
    y[LOAD] += 0.5 * (dot6(f, vf) - dot6(f, v0));
  }
}

/* The factor on the momenta, or on the impulses, that makes E1 = E0.                                           [many 30, 31]
 *   leaning:  beta^2 T1 - beta dt f.v1 - T0 = 0
 *   floating: (J.M^-1 J/2) alpha^2 + (J.v0) alpha - (dt f).M^-1 (dt f)/2 = 0: momentum and spin are kept as they are */
static double factor_of(const double y[6], bool leans)
{
  const double after = y[BEFORE] + y[GAIN] + y[WORK];
  const double a = leans ? after : 0.5 * y[BLOW], b = leans ? -y[WORK] : y[STRUCK], c = leans ? y[BEFORE] : y[LOAD];
  if (!(a > 0.0)) return 1.0;
  const double root = sqrt(fmax(b * b + 4.0 * a * c, 0.0)), x = b > 0.0 ? 2.0 * c / (b + root) : (root - b) / (2.0 * a);
  return fmin(x, 1.0);
}

static double total_gain(const vvi_rest_work *w, const vvi_rest_problem *p, int32_t k)
{
  double sum = 0.0;
  for (int32_t i = w->first_mover[k]; i < w->first_mover[k + 1]; i++) {
    if (p->touched[w->mover[i]]) sum += gain(w, p, w->mover[i]);
  }
  return sum;
}

static bool guard(vvi_rest_work *w, const vvi_rest_problem *p, int32_t k)
{
  if (!(total_gain(w, p, k) > 0.0)) return false;
  vvi_six *sum = w->scratch + w->first_mover[k] + k;
  connect_struck(w, p, k);
  add_energies(w, p, k);
  for (int32_t i = w->first_contact[k]; i < w->first_contact[k + 1]; i++) {
    vvi_rest_contact *c = &p->contact[w->contact[i]];
    const int32_t root = vvi_group_of(w->parent, moves(w, c->a) ? c->a : c->b);
    const double *y = sum[w->local[root]];
    if (!(y[GAIN] > 0.0) || w->isle_of_root[root] || !acts(c)) continue;
    const double alpha = factor_of(y, false);
    for (int e = 0; e < 3; e++) c->j[e] *= alpha;
  }
  deliver(w, p, k);
  for (int32_t i = w->first_mover[k]; i < w->first_mover[k + 1]; i++) {
    const int32_t m = w->mover[i], root = vvi_group_of(w->parent, m);
    const double *y = sum[w->local[root]];
    if (!p->touched[m] || !(y[GAIN] > 0.0) || !w->isle_of_root[root]) continue;
    p->scale[m] = factor_of(y, true);
    for (int c = 0; c < 6; c++) w->velocity[m][c] *= p->scale[m];
  }
  return true;
}

/* Everything touched, leaning on something fixed, and moving by rounding only: it rests, and its momenta are set to zero.
 * That takes energy and gives none. */
static bool rests(const vvi_rest_work *w, const vvi_rest_problem *p, int32_t k, double tol)
{
  for (int32_t i = w->first_mover[k]; i < w->first_mover[k + 1]; i++) {
    const int32_t m = w->mover[i];
    const double *v = w->velocity[m], *a = p->mover[m].inverse_mass, *b = p->mover[m].inverse_inertia;
    const double mass = a[0] + a[1] + a[2], inertia = b[0] + b[1] + b[2], v2 = vvi_dot3(v, v),
                 w2 = vvi_dot3(v + 3, v + 3);
    if (!p->touched[m] || v2 > tol * tol || w2 * mass > tol * tol * inertia) return false;
  }
  return leans(w, p, k);
}

static void stop(vvi_rest_work *w, const vvi_rest_problem *p, int32_t k)
{
  for (int32_t i = w->first_mover[k]; i < w->first_mover[k + 1]; i++) {
    memset(w->velocity[w->mover[i]], 0, sizeof *w->velocity);
    p->scale[w->mover[i]] = 0.0;
  }
}

/* ---- all islands ---- */

static vvi_isle_end treat(vvi_rest_work *w, const vvi_rest_problem *p, int32_t k)
{
  vvi_isle_end end = {0};
  deliver(w, p, k);
  const scales small = small_of(w, p, k);
  const bool solved = !holds(w, p, k, small.rest);
  if (solved) {
    end = solve_isle(w, p, k, &small);
    deliver(w, p, k);
  }
  for (int32_t i = w->first_contact[k]; i < w->first_contact[k + 1]; i++) {
    const vvi_rest_contact *c = &p->contact[w->contact[i]];
    if (!acts(c)) continue;
    if (moves(w, c->a)) p->touched[c->a] = 1;
    if (moves(w, c->b)) p->touched[c->b] = 1;
  }
  if (rests(w, p, k, small.rest)) {
    stop(w, p, k);
  } else {
    end.guarded = guard(w, p, k);
  }
  for (int32_t i = w->first_mover[k]; i < w->first_mover[k + 1]; i++) {
    memcpy(p->velocity + 6 * w->mover[i], w->velocity[w->mover[i]], sizeof(vvi_six));
  }
  return end;
}

enum { PARALLEL_FROM = 2048 }; /* contacts: below it, waking a thread costs more than it brings: 50 ns each at rest */

static void treat_together(vvi_rest_work *w, const vvi_rest_problem *p)
{
#pragma omp parallel for schedule(dynamic, 4) num_threads(p->threads)
  for (int32_t k = 0; k < w->islands; k++) w->end[k] = treat(w, p, k);
}

void vvi_rest_solve(vvi_rest_work *w, vvi_rest_problem *p, vvi_rest_stats *stats)
{
  VV_ASSERT(p->movers <= w->movers && p->n <= w->contacts);
  find_islands(w, p);
  for (int32_t m = 0; m < p->movers; m++) p->scale[m] = 1.0, p->touched[m] = 0;
  if (p->threads > 1 && w->islands > 1 && p->n >= PARALLEL_FROM)
    treat_together(w, p);
  else
    for (int32_t k = 0; k < w->islands; k++) w->end[k] = treat(w, p, k);
  *stats = (vvi_rest_stats){.islands = w->islands};
  for (int32_t k = 0; k < w->islands; k++) {
    const vvi_isle_end *e = &w->end[k];
    if (e->newton > stats->newton) stats->newton = e->newton;
    if (e->sweeps > stats->sweeps) stats->sweeps = e->sweeps;
    stats->failed += e->failed, stats->guarded += e->guarded;
    stats->residual = fmax(stats->residual, e->residual);
  }
}
