/* step/energy_momentum/together.c  All contacts of an iterate at once, with friction, by the island solver of the engine.
 *
 * Sweeps over contacts that feel each other by rows nearly alike, as neighbours on a shell do, need not converge, and neither need those
 * of heaps.  The law of an iterate is that of an island ([island 1], the velocities being means of the step), with D = A of [em 12, 17]:
 * frames are movers, with half of their inverse masses.  What contacts do to each other through bodies that bend and through joints,
 * and the compliance of springs, is a matrix, whose root makes movers,
 *   (A + A^T)/2 = B B^T,                                                                                              [em 26]
 * by Cholesky's method with pivots from the diagonal: six columns of B are a mover of unit mass and inertia.  It ends where what is left
 * of the diagonal is as small as the error of A; that part, in which A need not even be positive, is left to the rounds that follow. */
#include "step/energy_momentum/frames.h"

#include "contact/island/island.h"
#include "math/math.h"

#include <string.h>

/* What of A is rounding where no body bends: joints are factored. */
static const double ROUNDED = 1e-12;

struct vvi_em_together {
  vvi_island_work *island;
  int32_t contacts, movers, legs; /* room */
  int64_t reals;
  vvi_island_contact *contact;
  vvi_leg *leg;
  double (*inverse)[12], (*change)[6];
  int32_t *mover;   /* [frames + 1] -1: it does not move */
  double *a, *root; /* [rows][rows] A; [rows][rows + contacts] B; behind them [rows] what is left of the diagonal */
  int32_t rank;
};

static bool fit(vvi_em_rigid *w, int32_t contacts, int32_t movers, int32_t legs, int64_t reals)
{
  struct vvi_em_together *k = w->together;
  if (k == NULL) {
    k = w->together = VVI_ARENA_NEW(w->arena, struct vvi_em_together, 1);
    if (k == NULL) return false;
    *k = (struct vvi_em_together){.mover = VVI_ARENA_NEW(w->arena, int32_t, w->n + 1)};
    if (k->mover == NULL || vvi_island_create(w->arena, 16, 16, &k->island) != VV_OK) return false;
  }
  if (contacts > k->contacts) {
    k->contact = vvi_arena_grow(w->arena, k->contact, sizeof *k->contact, k->contacts, 0, 2 * (int64_t)contacts);
    k->contacts = 2 * contacts;
  }
  if (movers > k->movers) {
    k->inverse = vvi_arena_grow(w->arena, k->inverse, sizeof *k->inverse, k->movers, 0, 2 * (int64_t)movers);
    k->change = vvi_arena_grow(w->arena, k->change, sizeof *k->change, k->movers, 0, 2 * (int64_t)movers);
    k->movers = 2 * movers;
  }
  if (legs > k->legs) {
    k->leg = vvi_arena_grow(w->arena, k->leg, sizeof *k->leg, k->legs, 0, 2 * (int64_t)legs);
    k->legs = 2 * legs;
  }
  if (reals > k->reals) {
    k->a = vvi_arena_grow(w->arena, k->a, sizeof *k->a, k->reals, 0, 2 * reals);
    k->reals = 2 * reals;
  }
  return k->contact != NULL && k->inverse != NULL && k->change != NULL && k->leg != NULL &&
         (reals == 0 || k->a != NULL);
}

/* ---- frames as movers ---- */

static int32_t list_frames(const vvi_em_rigid *w)
{
  struct vvi_em_together *k = w->together;
  int32_t n = 0;
  for (int32_t i = 0; i <= w->n; i++) {
    const vvi_em_frame *f = &w->frame[i];
    k->mover[i] = f->touched && !f->held ? n : -1;
    if (k->mover[i] < 0) continue;
    for (int c = 0; c < 6; c++)
      k->inverse[n][c] = c < 3 ? 0.5 / f->mass : 0.0, k->inverse[n][6 + c] = 0.5 * f->inverse[c];
    n++;
  }
  return n;
}

static void frame_legs(const vvi_em_rigid *w, int directions, int32_t i, vvi_island_contact *c, int32_t *legs)
{
  const struct vvi_em_together *k = w->together;
  const vvi_em_row *row = &w->rows[(int64_t)directions * i];
  const int32_t body[2] = {w->contact[i].f.slave, w->contact[i].f.master};
  c->first = *legs;
  for (int side = 0; side < 2; side++) {
    vvi_leg *leg = &k->leg[*legs];
    if (k->mover[body[side]] < 0) continue;
    *leg = (vvi_leg){.mover = k->mover[body[side]]};
    for (int d = 0; d < directions; d++)
      for (int x = 0; x < 3; x++)
        leg->force[d][x] = (side == 0 ? 1.0 : -1.0) * row[d].push[x], leg->moment[d][x] = row[d].turn[side][x];
    ++*legs;
  }
  c->legs = *legs - c->first;
}

/* ---- a root as movers ---- */

/* Columns of B until nothing is left that is more than noise.                                                       [em 26] */
static void make_root(struct vvi_em_together *k, int64_t rows, int64_t width, double noise)
{
  double *left = k->root + rows * width, most = 0.0;
  for (int64_t i = 0; i < rows; i++) left[i] = k->a[i * rows + i], most = fmax(most, left[i]);
  for (k->rank = 0; k->rank < rows; k->rank++) {
    int64_t p = 0;
    for (int64_t i = 1; i < rows; i++)
      if (left[i] > left[p]) p = i;
    if (!(left[p] > noise * most)) break;
    const double pivot = sqrt(left[p]), *by = k->root + p * width;
    for (int64_t i = 0; i < rows; i++) {
      double *to = k->root + i * width, sum = 0.5 * (k->a[i * rows + p] + k->a[p * rows + i]);
      for (int32_t m = 0; m < k->rank; m++) sum -= to[m] * by[m];
      to[k->rank] = i == p ? pivot : sum / pivot;
    }
    for (int64_t i = 0; i < rows; i++) left[i] -= k->root[i * width + k->rank] * k->root[i * width + k->rank];
    left[p] = 0.0;
  }
}

/* The compliance of a spring is a column of its own: beside it, in the diagonal of A, what is left of the others may be noise. */
static void add_springs(const vvi_em_rigid *w, int directions, double dt, int64_t width)
{
  struct vvi_em_together *k = w->together;
  for (int32_t i = 0; i < w->n_contact; i++) {
    const vvi_em_law law = vvi_em_law_of(&w->contact[i], dt);
    if (!(law.soft > 0.0)) continue;
    for (int32_t j = 0; j < w->n_contact * directions; j++)
      k->root[j * width + k->rank] = j == i * directions ? sqrt(1.0 / law.soft) : 0.0;
    k->rank++;
  }
}

static void root_legs(const struct vvi_em_together *k, int directions, int64_t width, int32_t i, vvi_island_contact *c,
                      int32_t *legs)
{
  c->first = *legs, c->legs = (k->rank + 5) / 6;
  for (int32_t m = 0; m < c->legs; m++) {
    vvi_leg *leg = &k->leg[(*legs)++];
    *leg = (vvi_leg){.mover = m};
    for (int d = 0; d < directions; d++)
      for (int x = 0; x < 6; x++) {
        const int32_t column = 6 * m + x;
        const double b = column < k->rank ? k->root[((int64_t)directions * i + d) * width + column] : 0.0;
        *(x < 3 ? &leg->force[d][x] : &leg->moment[d][x - 3]) = b;
      }
  }
}

/* ---- all ---- */

/* Uf = u - A j, with the A of the island. */
static void take_off(const vvi_em_rigid *w, int32_t movers)
{
  const struct vvi_em_together *k = w->together;
  memset(k->change, 0, sizeof *k->change * (size_t)movers);
  for (int32_t i = 0; i < w->n_contact; i++) {
    const vvi_island_contact *c = &k->contact[i];
    for (int32_t e = c->first; e < c->first + c->legs; e++) {
      const vvi_leg *leg = &k->leg[e];
      double f[6] = {0}, y[6];
      for (int d = 0; d < 3; d++)
        for (int x = 0; x < 3; x++) f[x] += c->j[d] * leg->force[d][x], f[3 + x] += c->j[d] * leg->moment[d][x];
      vvi_times6(k->inverse[leg->mover], f, y), vvi_times6(k->inverse[leg->mover] + 6, f + 3, y + 3);
      for (int x = 0; x < 6; x++) k->change[leg->mover][x] += y[x];
    }
  }
  for (int32_t i = 0; i < w->n_contact; i++) {
    vvi_island_contact *c = &k->contact[i];
    for (int32_t e = c->first; e < c->first + c->legs; e++) {
      const double *v = k->change[k->leg[e].mover];
      for (int d = 0; d < 3; d++) c->free[d] -= vvi_dot3(k->leg[e].force[d], v) + vvi_dot3(k->leg[e].moment[d], v + 3);
    }
  }
}

/* Springs are rows with a compliance 1/soft: off + soft u + x = 0, over soft.  Where it has no slope it is open, and has no impulse. */
static void fill_contact(const vvi_em_contact *from, const vvi_em_law *law, double scale, vvi_island_contact *c)
{
  *c = (vvi_island_contact){.friction = from->law->friction, .b = {from->aim}};
  for (int d = 0; d < 3; d++) c->free[d] = from->u[d], c->j[d] = from->j[d];
  if (law->soft < 0.0) return;
  c->b[0] = 0.0;
  c->free[0] = law->soft > 0.0 ? law->off / law->soft : 1e6 * scale;
  if (law->soft == 0.0) c->j[0] = c->j[1] = c->j[2] = 0.0;
}

bool vvi_em_together(vvi_em_rigid *w, int directions, double dt, const vvi_em_goal *goal)
{
  const int32_t n = w->n_contact;
  const int64_t rows = directions * (int64_t)n, width = rows + n;
  bool dense = w->n_soft > 0 || w->joints != NULL || (w->price > 0.0 && n <= VVI_EM_DENSE);
  int32_t legs = 0, movers;
  for (int32_t i = 0; i < n; i++) dense |= w->contact[i].law->stiffness > 0.0;
  if (!fit(w, n, dense ? (int32_t)width / 6 + 1 : w->n + 1, dense ? n * ((int32_t)width / 6 + 1) : 2 * n,
           dense ? rows * (rows + width + 1) : 0))
    return !(w->full = true);
  struct vvi_em_together *k = w->together;
  if (dense) {
    k->root = k->a + rows * rows;
    vvi_em_matrix(w, directions, k->a);
    double most = 0.0;
    for (int64_t i = 0; i < rows; i++) most = fmax(most, k->a[i * (rows + 1)]);
    for (int64_t i = 0; i < rows; i++) k->a[i * (rows + 1)] += w->price * most;
    make_root(k, rows, width, w->n_soft > 0 ? VVI_EM_NOISE : ROUNDED);
    add_springs(w, directions, dt, width);
    movers = (k->rank + 5) / 6;
    for (int32_t m = 0; m < movers; m++)
      for (int x = 0; x < 12; x++) k->inverse[m][x] = x % 6 < 3 ? 1.0 : 0.0;
  } else {
    movers = list_frames(w);
  }
  for (int32_t i = 0; i < n; i++) {
    const vvi_em_law law = vvi_em_law_of(&w->contact[i], dt);
    fill_contact(&w->contact[i], &law, goal->scale, &k->contact[i]);
    if (dense)
      root_legs(k, directions, width, i, &k->contact[i], &legs);
    else
      frame_legs(w, directions, i, &k->contact[i], &legs);
  }
  take_off(w, movers);
  vvi_island_problem p = {.movers = movers,
                          .contacts = n,
                          .inverse = (const double(*)[12])k->inverse,
                          .leg = k->leg,
                          .contact = k->contact,
                          .speed = 1e13 * goal->nearer, /* [island 5] */
                          .far = goal->near,
                          .newton = movers < VVI_HUGE ? goal->newton : 0,
                          .change = k->change};
  vvi_island_stats stats;
  if (movers == 0 || !vvi_island_solve(k->island, &p, w->threads, &stats)) return false;
  w->newton += stats.newton;
  for (int32_t i = 0; i < n; i++)
    for (int d = 0; d < directions; d++) w->move[(int64_t)directions * i + d] = k->contact[i].j[d] - w->contact[i].j[d];
  return true;
}
