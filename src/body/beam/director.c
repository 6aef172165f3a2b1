/* body/beam/director.c  The energy-momentum form of a beam: start, Newton's iteration, booking, audit. */
#include "body/beam/director.h"

#include "ledger/ledger.h"
#include "math/math.h"
#include "math/newton.h"

#include <string.h>

enum { MOST_ITERATIONS = 30 };

/* ---- scratch ---- */

/* What a body's step leaves for the books. */
typedef struct director_result {
  vv_posted post;
  double iterations;
} director_result;
enum { NODE_REALS = sizeof(director_node) / sizeof(double), RESULT_REALS = sizeof(director_result) / sizeof(double) };

static int64_t rounded(int64_t reals)
{
  return (reals + 7) / 8 * 8;
}

static int64_t largest_body(const vv_block *b)
{
  int64_t most = 0;
  for (int32_t j = 0; j < b->n_body; j++)
    if (b->body[j]->n_element + 1 > most) most = b->body[j]->n_element + 1;
  return most;
}

static int team_of(const vv_block *b)
{
  return b->threads < b->n_body ? b->threads : b->n_body;
}

static int64_t body_work(const vv_block *b)
{
  return largest_body(b) * rounded(NODE_REALS + 12 + ROW + 4 * VVI_BLOCK_REALS);
}

/* Results of the bodies, increments of the nodes, and the scratch of each thread. */
static int64_t director_work(const vv_block *b)
{
  return rounded(b->n_body * RESULT_REALS) + rounded(MOVED * b->nodes) + team_of(b) * body_work(b);
}

static void place_scratch(director_body *w, int64_t n, double *scratch)
{
  w->t.lower = scratch, scratch += n * VVI_BLOCK_REALS;
  w->t.diagonal = scratch, scratch += n * VVI_BLOCK_REALS;
  w->t.upper = scratch, scratch += n * VVI_BLOCK_REALS;
  w->t.border = scratch, scratch += n * VVI_BLOCK_REALS;
  w->r = scratch, scratch += n * ROW;
  w->node = (director_node *)(void *)scratch, scratch += n * NODE_REALS;
  w->strain = scratch, scratch += n * 6;
  w->stress = scratch;
}

/* ---- masses ---- */

/* Consistent mass [2 1; 1 2] l/6 of rho A (phi) and J_d (directors); point masses stand on the diagonal.             [beam 32]
 * per: masses per length. */
static void mass_per_length(const beam_body *k, double per[4])
{
  per[0] = k->rho_a;
  for (int i = 0; i < 3; i++) per[1 + i] = beam_spread(k->inertia, i);
}

static void node_mass(const vv_block *b, const double per[4], int64_t i, double mass[4])
{
  double point[3];
  for (int c = 0; c < 3; c++) point[c] = beam_node(b, BEAM_POINT_INERTIA + c)[i];
  for (int c = 0; c < 4; c++) mass[c] = 2.0 / 3.0 * beam_node(b, BEAM_WEIGHT)[i] * per[c];
  mass[0] += beam_node(b, BEAM_POINT_MASS)[i];
  for (int c = 0; c < 3; c++) mass[1 + c] += beam_spread(point, c);
}

/* d3 has a velocity of its own only where something gives it mass. */
static int massive_directors(const vv_block *b, int32_t j)
{
  const vv_body *body = b->body[j];
  double per[4], mass[4];
  mass_per_length(beam_of(b, j), per);
  for (int64_t i = body->node0; i < body->node0 + body->n_node; i++) {
    node_mass(b, per, i, mass);
    if (mass[3] != 0.0) return 3;
  }
  return 2;
}

/* ---- reading and writing nodes ---- */

static void start_node(const vv_block *b, const beam_body *k, int64_t i, int massive, const double *q, const double *p,
                       double *v)
{
  double x[3], d[9], inertia[3], omega[3] = {0, 0, 0};
  get_node(b, q, i, x, d);
  beam_inertia(b, k, i, inertia);
  for (int a = 0; a < 3; a++) {
    double rate = 0.0;
    for (int c = 0; c < 3; c++) rate += d[3 * a + c] * p[(BEAM_S + c) * b->column + i];
    for (int c = 0; c < 3; c++) omega[c] += rate / inertia[a] * d[3 * a + c];
  }
  for (int c = 0; c < 3; c++)
    v[c * b->nodes + i] = beam_node(b, BEAM_INVERSE_MASS)[i] * p[(BEAM_P + c) * b->column + i];
  for (int a = 0; a < 3; a++) {
    double rate[3];
    vvi_cross3(omega, d + 3 * a, rate);
    for (int c = 0; c < 3; c++) v[(3 + 3 * a + c) * b->nodes + i] = a < massive ? rate[c] : 0.0;
  }
}

/* v_phi = P/m, v_d = omega x d with the lumped masses that made P and S from the initial motion. */
static void director_start(const vv_block *b, const double *q, const double *p, double *v)
{
  for (int32_t j = 0; j < b->n_body; j++) {
    const int massive = massive_directors(b, j);
    for (int64_t i = b->body[j]->node0; i < b->body[j]->node0 + b->body[j]->n_node; i++)
      start_node(b, beam_of(b, j), i, massive, q, p, v);
  }
  memset(v + VELOCITIES * b->nodes, 0, sizeof(double) * (size_t)(STRAINS * b->nodes));
}

/* (M v)_i of node i: 12 numbers. */
static void momentum_row(const vv_block *b, int32_t j, const double per[4], int64_t i, const double *v, double out[12])
{
  const vv_body *body = b->body[j];
  const int64_t last = body->node0 + body->n_node - 1, next = beam_next(b, j, i);
  int64_t before = i > body->node0 ? i - 1 : -1;
  if (before < 0 && beam_of(b, j)->closed != 0.0) before = last;
  double mass[4];
  node_mass(b, per, i, mass);
  for (int c = 0; c < VELOCITIES; c++) {
    const double *column = v + c * b->nodes;
    const double beside = (before >= 0 ? column[before] : 0.0) + (next >= 0 ? column[next] : 0.0);
    out[c] = mass[c / 3] * column[i] + beam_of(b, j)->l / 6.0 * per[c / 3] * beside;
  }
}

/* P = (M v)_phi and S = sum d_i x (M v)_i: momentum and angular momentum of the whole are sums over nodes.           [beam 33] */
static void write_momenta(const vv_block *b, int32_t j, const double *q, const double *v, double *p)
{
  double per[4];
  mass_per_length(beam_of(b, j), per);
  for (int64_t i = b->body[j]->node0; i < b->body[j]->node0 + b->body[j]->n_node; i++) {
    double row[12], x[3], d[9], spin[3], part[3];
    momentum_row(b, j, per, i, v, row);
    get_node(b, q, i, x, d);
    memset(spin, 0, sizeof spin);
    for (int a = 0; a < 3; a++) {
      vvi_cross3(d + 3 * a, row + 3 + 3 * a, part);
      for (int c = 0; c < 3; c++) spin[c] += part[c];
    }
    for (int c = 0; c < 3; c++) {
      p[(BEAM_P + c) * b->column + i] = row[c];
      p[(BEAM_S + c) * b->column + i] = spin[c];
    }
  }
}

/* ---- supports ---- */

/* The part of a node's six numbers that its support leaves free. */
static void release(const director_hold *s, double z[6])
{
  const double along = s->slope != NULL ? vvi_dot3(s->slope, z) : 0.0;
  for (int c = 0; c < 3; c++) {
    if (s->place) z[c] = 0.0;
    if (s->slope != NULL) z[c] = along * s->slope[c];
    if (s->frame) z[3 + c] = 0.0;
  }
}

/* Rows of held parts become (part) = 0. */
static void hold_rows(const director_body *w, const director_hold *s)
{
  double *diagonal = w->t.diagonal + VVI_BLOCK_REALS * s->node;
  const double unit = w->f * w->node[s->node].mass[0] + w->k->c1[2] / w->k->l;
  for (int j = 0; j < VVI_BLOCK; j++) {
    double rest[6] = {0};
    rest[j] = unit;
    release(s, rest);
    release(s, diagonal + ROW * j);
    release(s, w->t.lower + VVI_BLOCK_REALS * s->node + ROW * j);
    release(s, w->t.upper + VVI_BLOCK_REALS * s->node + ROW * j);
    for (int i = 0; i < VVI_BLOCK; i++) diagonal[ROW * j + i] += (i == j ? unit : 0.0) - rest[i];
  }
}

static void find_holds(director_body *w)
{
  w->n_hold = 0;
  for (int e = 0; e < 2; e++) {
    const int hold = (int)w->k->hold[e];
    if (hold == 0) continue;
    w->hold[w->n_hold++] = (director_hold){
        .node = e == 0 ? 0 : w->n - 1, .place = (hold & BEAM_HOLD_PLACE) != 0, .frame = (hold & BEAM_HOLD_FRAME) != 0};
    if ((hold & BEAM_HOLD_SLOPE) != 0)
      w->hold[w->n_hold++] = (director_hold){.node = e == 0 ? 1 : w->n - 2, .slope = w->k->slope[e]};
  }
}

/* ---- one body, one step ---- */

static void gather_loads(const director_body *w)
{
  const vv_body *body = w->b->body[w->j];
  for (int32_t k = body->load0; k < body->load0 + body->n_load; k++) {
    const vv_load *load = &w->b->load[k];
    int64_t from, to;
    double out[6], frame[9];
    beam_load_reach(w->b, w->j, load, &from, &to);
    for (int64_t i = from - w->first; !load->follower && i < to - w->first; i++) {
      frame_of(w->node[i].d0, frame);
      beam_load_on(w->b, load, w->half, w->first + i, frame, out, out + 3);
      for (int c = 0; c < 6; c++) w->node[i].load[c] += out[c];
    }
  }
}

/* theta = h omega: d1.omega = v2.d3, d2.omega = -v1.d3, d3.omega = (v1.d2 - v2.d1)/2 */
static void predict(director_node *a)
{
  const double *d = a->d0, *v1 = a->hv + 3, *v2 = a->hv + 6;
  const double one = vvi_dot3(v2, d + 6), two = -vvi_dot3(v1, d + 6);
  const double three = 0.5 * (vvi_dot3(v1, d + 3) - vvi_dot3(v2, d));
  for (int c = 0; c < 3; c++) {
    a->u[c] = a->hv[c];
    a->theta[c] = one * d[c] + two * d[3 + c] + three * d[6 + c];
  }
}

static void release_node(const director_body *w, const director_hold *s)
{
  director_node *a = &w->node[s->node];
  double z[6];
  memcpy(z, a->u, sizeof a->u), memcpy(z + 3, a->theta, sizeof a->theta);
  release(s, z);
  memcpy(a->u, z, sizeof a->u), memcpy(a->theta, z + 3, sizeof a->theta);
}

static void gather(director_body *w, const double *q, const double *v)
{
  double per[4];
  mass_per_length(w->k, per);
  for (int c = 0; c < 4; c++) w->mass[c] = w->k->l / 6.0 * per[c];
  w->massive = w->mass[3] != 0.0 ? 3 : 2;
  for (int64_t i = 0; i < w->n; i++) {
    director_node *a = &w->node[i];
    get_node(w->b, q, w->first + i, a->x0, a->d0);
    node_mass(w->b, per, w->first + i, a->mass);
    if (a->mass[3] != 0.0) w->massive = 3;
    for (int c = 0; c < VELOCITIES; c++) a->hv[c] = w->h * v[c * w->b->nodes + w->first + i];
    for (int c = 0; c < 3; c++) {
      a->load[c] = beam_node(w->b, BEAM_MASS)[w->first + i] * w->b->gravity[c];
      a->load[3 + c] = 0.0;
    }
    predict(a);
  }
  for (int i = 0; i < w->n_hold; i++) release_node(w, &w->hold[i]);
  for (int64_t e = 0; e < w->elements; e++) {
    const director_node *a = &w->node[e], *b = &w->node[e + 1 < w->n ? e + 1 : 0];
    beam_director_strain(w->k, a->x0, a->d0, b->x0, b->d0, w->strain + 6 * e);
    for (int c = 0; c < STRAINS; c++) w->strain[6 * e + c] += v[(VELOCITIES + c) * w->b->nodes + w->first + e];
  }
  gather_loads(w);
}

/* A spatial turn omega at the end of the step becomes an increment of theta, by the inverse of the Cayley map's differential.
 *                                                                                                                [beam 38] */
static void turn_increment(const double theta[3], double o[3])
{
  const double along = 0.25 * vvi_dot3(theta, o);
  double side[3];
  vvi_cross3(theta, o, side);
  for (int c = 0; c < 3; c++) o[c] += along * theta[c] - 0.5 * side[c];
}

/* Subtracts the solution.  Sizes: of what was added, and of the whole. */
static void advance(const director_body *w, double *added, double *whole)
{
  double most = 0.0, all = 0.0;
  for (int i = 0; i < w->n_hold; i++) release(&w->hold[i], w->r + ROW * w->hold[i].node);
  for (int64_t i = 0; i < w->n; i++) {
    director_node *a = &w->node[i];
    const double *z = w->r + ROW * i, *o = z + 3;
    double turn[3] = {o[0], o[1], o[2]};
    turn_increment(a->theta, turn);
    for (int c = 0; c < 3; c++) a->u[c] -= z[c], a->theta[c] -= turn[c];
    const double u = vvi_dot3(z, z) / (w->k->l * w->k->l), t = vvi_dot3(o, o);
    const double U = vvi_dot3(a->u, a->u) / (w->k->l * w->k->l), T = vvi_dot3(a->theta, a->theta);
    most = u > most || u != u ? u : most, most = t > most || t != t ? t : most;
    all = U > all ? U : all, all = T > all ? T : all;
  }
  *added = sqrt(most), *whole = sqrt(all);
}

static bool renew(const director_body *w)
{
  beam_director_tangent(w);
  for (int i = 0; i < w->n_hold; i++) hold_rows(w, &w->hold[i]);
  return vvi_blocktri_factor(&w->t);
}

/* tan(angle/2) = |theta|/2: beyond 127 degrees in one step an iteration has lost its way more often than not. */
static bool turns_too_far(const director_body *w)
{
  for (int64_t i = 0; i < w->n; i++)
    if (vvi_dot3(w->node[i].theta, w->node[i].theta) > 16.0) return true;
  return false;
}

/* Newton's iteration.                                                                                              [em 20b] */
static int iterate(const director_body *w)
{
  vvi_newton n = {0};
  while (n.corrections < MOST_ITERATIONS) {
    double added, whole;
    beam_director_residual(w);
    for (int i = 0; i < w->n_hold; i++) release(&w->hold[i], w->r + ROW * w->hold[i].node);
    if (vvi_newton_fresh(&n) && !renew(w)) return -1;
    vvi_blocktri_solve(&w->t, w->r);
    advance(w, &added, &whole);
    if (!isfinite(added) || turns_too_far(w)) return -1;
    if (vvi_newton_ends(&n, added, whole, 1e-17)) return n.corrections;
  }
  return -1;
}

/* ---- booking ---- */

/* The balance of angular momentum is exact about the mean place: impulses h F at phi, moments h M.              [beam 39] */
static void post_loads(const director_body *w, vv_posted *post)
{
  const vv_body *body = w->b->body[w->j];
  for (int32_t k = body->load0; k < body->load0 + body->n_load; k++) {
    const vv_load *load = &w->b->load[k];
    int64_t from, to;
    double out[6];
    beam_load_reach(w->b, w->j, load, &from, &to);
    for (int64_t i = from - w->first; i < to - w->first; i++) {
      const director_node *a = &w->node[i];
      beam_director_load(w, load, i, false, out);
      vvi_sum_add(&post->external_work, vvi_dot3(out, a->u) + vvi_dot3(out + 3, a->theta));
      beam_post_wrench(post, a->x, out, out + 3, w->h);
    }
  }
}

/* Gravity's work is in the potential. */
static void post_gravity(const director_body *w, vv_posted *post)
{
  double mass = 0.0, centre[3] = {0, 0, 0}, weight[6] = {0};
  if (vvi_norm3(w->b->gravity) == 0.0) return;
  for (int64_t i = 0; i < w->n; i++) {
    const double m = beam_node(w->b, BEAM_MASS)[w->first + i];
    mass += m;
    for (int c = 0; c < 3; c++) centre[c] += m * w->node[i].x[c];
  }
  for (int c = 0; c < 3; c++) centre[c] /= mass, weight[c] = mass * w->b->gravity[c];
  beam_post_wrench(post, centre, weight, weight + 3, w->h);
}

/* A support gives what is left in the rows it holds. */
static void post_supports(const director_body *w, vv_posted *post)
{
  if (w->n_hold > 0) beam_director_residual(w);
  for (int i = 0; i < w->n_hold; i++) {
    const double *r = w->r + ROW * w->hold[i].node;
    double left[6];
    memcpy(left, r, sizeof left);
    release(&w->hold[i], left);
    for (int c = 0; c < 6; c++) left[c] = r[c] - left[c];
    beam_post_wrench(post, w->node[w->hold[i].node].x, left, left + 3, w->h);
  }
}

static void post_body(const director_body *w, vv_posted *post)
{
  for (int64_t i = 0; i < w->n; i++) beam_director_place(&w->node[i]);
  post_gravity(w, post);
  post_loads(w, post);
  post_supports(w, post);
}

static bool has_follower(const vv_block *b, const vv_body *body)
{
  for (int32_t k = body->load0; k < body->load0 + body->n_load; k++)
    if (b->load[k].follower) return true;
  return false;
}

static void open_body(const vv_block *b, int32_t j, double t, double h, const double *q, const double *v, int64_t room,
                      double *scratch, director_body *w)
{
  const vv_body *body = b->body[j];
  const beam_body *k = beam_of(b, j);
  *w = (director_body){.b = b, .k = k, .j = j, .first = body->node0, .n = body->n_node, .elements = body->n_element};
  w->h = h, w->f = 2.0 / (h * h), w->half = t + 0.5 * h;
  w->t.n = w->n, w->t.ring = k->closed != 0.0, w->follower = has_follower(b, body);
  place_scratch(w, room, scratch);
  find_holds(w);
  gather(w, q, v);
}

/* What the step does to nodes and elements, for move_body. */
static void note_motion(const director_body *w, double *moved)
{
  for (int64_t i = 0; i < w->n; i++) {
    beam_director_place(&w->node[i]);
    memcpy(moved + MOVED * i, w->node[i].u, sizeof w->node[i].u);
    memcpy(moved + MOVED * i + 3, w->node[i].theta, sizeof w->node[i].theta);
  }
  for (int64_t e = 0; e < w->elements; e++) {
    double *de = moved + MOVED * e + 6;
    beam_director_increment(w->k, &w->node[e], &w->node[e + 1 < w->n ? e + 1 : 0], de);
    for (int c = 0; c < STRAINS; c++) de[c] += w->strain[6 * e + c];
  }
}

/* Finds u and theta of all nodes of a body; nothing of the state is changed yet. */
static void solve_body(const vv_block *b, int32_t j, double t, double h, const double *q, const double *v,
                       double *scratch, double *moved, director_result *result)
{
  director_body w;
  open_body(b, j, t, h, q, v, largest_body(b), scratch, &w);
  *result = (director_result){.iterations = iterate(&w)};
  if (b->booked) post_body(&w, &result->post);
  note_motion(&w, moved + MOVED * w.first);
}

/* Strains are sums of their increments.  Those of q have its rounding over the length of an element, which would be a walk of the
 * energy: what they lack is carried.                                                                            [beam 35a] */
static void carry_strains(const vv_block *b, int32_t j, const double *moved, const double *q, double *v)
{
  const int64_t first = b->body[j]->node0;
  for (int64_t e = 0; e < b->body[j]->n_element; e++) {
    double x[2][3], d[2][9], of_q[STRAINS];
    get_node(b, q, first + e, x[0], d[0]);
    get_node(b, q, beam_next(b, j, first + e), x[1], d[1]);
    beam_director_strain(beam_of(b, j), x[0], d[0], x[1], d[1], of_q);
    for (int c = 0; c < STRAINS; c++) v[(VELOCITIES + c) * b->nodes + first + e] = moved[MOVED * e + 6 + c] - of_q[c];
  }
}

/* q += dq, v += 2/h (dq - h v), with the same difference as in the residual: 2 dq/h - v would round the same way in every
 * step, because 2/h is never exact.                                                                              [beam 35] */
static void move_body(const vv_block *b, int32_t j, double h, const double *moved, double *q, double *v)
{
  const int massive = massive_directors(b, j);
  for (int64_t i = b->body[j]->node0; i < b->body[j]->node0 + b->body[j]->n_node; i++) {
    director_node a = {0};
    double frame[9];
    get_node(b, q, i, a.x0, a.d0);
    const double *by = moved + MOVED * (i - b->body[j]->node0);
    memcpy(a.u, by, sizeof a.u), memcpy(a.theta, by + 3, sizeof a.theta);
    for (int c = 0; c < VELOCITIES; c++) a.hv[c] = h * v[c * b->nodes + i];
    beam_director_place(&a);
    for (int c = 0; c < 3; c++) a.x0[c] += a.u[c];
    for (int c = 0; c < 9; c++) a.d0[c] += a.turn[c];
    frame_of(a.d0, frame);
    beam_put(b, q, i, a.x0, frame);
    for (int c = 0; c < 3 + 3 * massive; c++) v[c * b->nodes + i] += 2.0 / h * a.w[c];
  }
  carry_strains(b, j, moved, q, v);
}

static void add_posted(vv_posted *sum, const vv_posted *part)
{
  vvi_sum_add(&sum->external_work, part->external_work.value);
  vvi_sum_add(&sum->external_work, part->external_work.carry);
  for (int c = 0; c < 3; c++) {
    vvi_sum_add(&sum->impulse[c], part->impulse[c].value);
    vvi_sum_add(&sum->impulse[c], part->impulse[c].carry);
    vvi_sum_add(&sum->moment[c], part->moment[c].value);
    vvi_sum_add(&sum->moment[c], part->moment[c].carry);
  }
  sum->impulse_abs += part->impulse_abs, sum->moment_abs += part->moment_abs;
  for (int k = 0; k < 2; k++) sum->single[k] += part->single[k];
}

/* Moves all bodies, or none where one did not converge.  A step of no length only writes p, and needs no work. */
static int director_step(const vv_block *b, double t, double h, double *q, double *p, double *v, double *work,
                         vv_posted *post)
{
  const int team = team_of(b);
  int most = 0;
  if (h != 0.0) {
    director_result *result = (director_result *)(void *)work;
    double *moved = work + rounded(b->n_body * RESULT_REALS), *scratch = moved + rounded(MOVED * b->nodes);
#pragma omp parallel for schedule(static) num_threads(team) if (team > 1)
    for (int32_t j = 0; j < b->n_body; j++)
      solve_body(b, j, t, h, q, v, scratch + vvi_team_rank() * body_work(b), moved, &result[j]);
    for (int32_t j = 0; j < b->n_body; j++) {
      if (result[j].iterations < 0.0) return -1;
      if (result[j].iterations > most) most = (int)result[j].iterations;
    }
    for (int32_t j = 0; j < b->n_body; j++) add_posted(post, &result[j].post);
#pragma omp parallel for schedule(static) num_threads(team) if (team > 1)
    for (int32_t j = 0; j < b->n_body; j++) move_body(b, j, h, moved + MOVED * b->body[j]->node0, q, v);
  }
#pragma omp parallel for schedule(static) num_threads(team) if (team > 1)
  for (int32_t j = 0; j < b->n_body; j++) write_momenta(b, j, q, v, p);
  return most;
}

/* ---- audit ---- */

enum { SEGMENT = 256 };

/* v.M v/2 of an element and the point masses of its left node; strain energy.                            [beam 30, 32] */
static void audit_node(const vv_block *b, int32_t j, const double per[4], int64_t i, const double *q, const double *v,
                       vv_totals *sum)
{
  const beam_body *k = beam_of(b, j);
  const int64_t next = beam_next(b, j, i);
  double mass[4], e[6], xa[3], xb[3], da[9], db[9];
  node_mass(b, per, i, mass);
  for (int c = 0; c < VELOCITIES; c++) {
    const double *column = v + c * b->nodes, beside = next >= 0 ? column[next] : 0.0;
    sum->kinetic += 0.5 * mass[c / 3] * column[i] * column[i] + k->l / 6.0 * per[c / 3] * column[i] * beside;
  }
  if (next < 0) return;
  get_node(b, q, i, xa, da);
  get_node(b, q, next, xb, db);
  beam_director_strain(k, xa, da, xb, db, e);
  for (int c = 0; c < STRAINS; c++) e[c] += v[(VELOCITIES + c) * b->nodes + i];
  for (int c = 0; c < 3; c++) sum->strain += 0.5 * k->l * (k->c1[c] * e[c] * e[c] + k->c2[c] * e[3 + c] * e[3 + c]);
}

static void director_audit(const vv_block *b, const double *q, const double *v, vv_totals *sum)
{
  for (int32_t j = 0; j < b->n_body; j++) {
    const int64_t first = b->body[j]->node0, end = first + b->body[j]->n_node;
    double per[4];
    mass_per_length(beam_of(b, j), per);
    for (int64_t i0 = first; i0 < end; i0 += SEGMENT) {
      const int64_t i1 = i0 + SEGMENT < end ? i0 + SEGMENT : end;
      vv_totals part = {0};
      for (int64_t i = i0; i < i1; i++) audit_node(b, j, per, i, q, v, &part);
      sum->kinetic += part.kinetic, sum->strain += part.strain;
    }
  }
}

/* ---- one body in parts ---- */

typedef struct director_parts {
  director_body w;
  double *moved; /* [n][MOVED] */
} director_parts;
enum { PARTS_REALS = (sizeof(director_parts) + sizeof(double) - 1) / sizeof(double) };

static int64_t parts_room(const vv_block *b, int32_t j)
{
  return b->body[j]->n_element + 1 > b->body[j]->n_node ? b->body[j]->n_element + 1 : b->body[j]->n_node;
}

static int64_t parts_work(const vv_block *b, int32_t j)
{
  return rounded(PARTS_REALS) + rounded(MOVED * b->body[j]->n_node) +
         parts_room(b, j) * rounded(NODE_REALS + 12 + ROW + 4 * VVI_BLOCK_REALS);
}

static void parts_begin(const vv_block *b, int32_t j, double t, double h, const double *q, const double *p,
                        const double *v, double *work)
{
  (void)p;
  director_parts *k = (director_parts *)(void *)work;
  double *moved = work + rounded(PARTS_REALS);
  open_body(b, j, t, h, q, v, parts_room(b, j), moved + rounded(MOVED * b->body[j]->n_node), &k->w);
  k->moved = moved;
}

/* The moment rows are those of spatial turns at the end of the step, and so are the unknowns: advance() makes theta of them. */
static bool parts_correct(double *work, const double *load, bool fresh, double *added, double *whole)
{
  director_body *w = &((director_parts *)(void *)work)->w;
  w->push = load;
  beam_director_residual(w);
  for (int i = 0; i < w->n_hold; i++) release(&w->hold[i], w->r + ROW * w->hold[i].node);
  if (fresh && !renew(w)) return false;
  vvi_blocktri_solve(&w->t, w->r);
  advance(w, added, whole);
  return isfinite(*added) && !turns_too_far(w);
}

static void parts_respond(double *work, double part, double *x)
{
  (void)part;
  const director_body *w = &((director_parts *)(void *)work)->w;
  for (int i = 0; i < w->n_hold; i++) release(&w->hold[i], x + ROW * w->hold[i].node);
  vvi_blocktri_solve(&w->t, x);
  for (int i = 0; i < w->n_hold; i++) release(&w->hold[i], x + ROW * w->hold[i].node);
  for (int64_t i = 0; i < w->n; i++) turn_increment(w->node[i].theta, x + ROW * i + 3);
}

static void parts_node(const double *work, int64_t i, vv_implicit_node *out)
{
  const director_node *a = &((const director_parts *)(const void *)work)->w.node[i];
  for (int c = 0; c < 3; c++) out->place[c] = a->x0[c], out->u[c] = a->u[c], out->theta[c] = a->theta[c];
}

static void parts_rate(const double *work, int64_t i, double v[6])
{
  const director_body *w = &((const director_parts *)(const void *)work)->w;
  director_node flight = w->node[i];
  predict(&flight);
  for (int c = 0; c < 3; c++) v[c] = flight.u[c] / w->h, v[3 + c] = flight.theta[c] / w->h;
}

static void parts_finish(double *work, double *q, double *p, double *v, vv_posted *post)
{
  director_parts *k = (director_parts *)(void *)work;
  const director_body *w = &k->w;
  note_motion(w, k->moved);
  if (w->b->booked) post_body(w, post);
  move_body(w->b, w->j, w->h, k->moved, q, v);
  write_momenta(w->b, w->j, q, v, p);
}

static const vv_implicit_parts parts = {
    .turns = true,
    .work = parts_work,
    .begin = parts_begin,
    .correct = parts_correct,
    .respond = parts_respond,
    .node = parts_node,
    .rate = parts_rate,
    .finish = parts_finish,
};

const vv_implicit_table beam_implicit = {
    .node_v = VELOCITIES + STRAINS,
    .work = director_work,
    .start = director_start,
    .step = director_step,
    .audit = director_audit,
    .output = beam_director_output,
    .parts = &parts,
};
