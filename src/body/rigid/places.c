/* body/rigid/places.c  Where the copies of a body are, and how they move.
 *
 * What is random comes from a counter: copy k draws from the words (seed, k), so that it does not depend on its neighbours,
 * and only additions, products and roots are used, so that every machine draws the same scene. */
#include "body/rigid/rigid.h"

#include "model/table.h"

#include <string.h>

static const char known[] = "x|y|z|qw|qx|qy|qz|vx|vy|vz|wx|wy|wz";

/* ---- draws ---- */

/* splitmix64 */
static uint64_t next_word(uint64_t *state)
{
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* In (-1, 1) */
static double draw(uint64_t *state)
{
  return 2.0 * ((double)(next_word(state) >> 11) + 0.5) * 0x1p-53 - 1.0;
}

/* A direction in n dimensions, each as likely: a point of the cube that lies in the ball. */
static void draw_unit(uint64_t *state, int n, double *v)
{
  for (int tries = 0; tries < 1000; tries++) {
    double size = 0.0;
    for (int c = 0; c < n; c++) v[c] = draw(state), size += v[c] * v[c];
    if (size > 1.0 || size < 1e-6) continue;
    size = 1.0 / sqrt(size);
    for (int c = 0; c < n; c++) v[c] *= size;
    return;
  }
  for (int c = 0; c < n; c++) v[c] = c == 0 ? 1.0 : 0.0; /* never: the chance is 1e-160 */
}

static void disturb(const vv_group *c, int64_t copy, rigid_place *p)
{
  uint64_t state = (uint64_t)vv_integer(c, "seed") * 0xd1342543de82ef95u + (uint64_t)copy * 0x9fb21c651e98df25u;
  const double jitter = vv_number(c, "jitter"), speed = vv_number(c, "speed"), spin = vv_number(c, "spin");
  double v[4], turn[4];
  next_word(&state);
  for (int k = 0; k < 3; k++) p->x[k] += jitter * draw(&state);
  draw_unit(&state, 4, v);
  if (vv_is(c, "orientation", "random")) {
    vvi_quaternion_times(v, p->turn, turn);
    memcpy(p->turn, turn, sizeof turn);
  }
  draw_unit(&state, 3, v);
  for (int k = 0; k < 3; k++) p->velocity[k] += speed * v[k];
  draw_unit(&state, 3, v);
  for (int k = 0; k < 3; k++) p->spin[k] += spin * v[k];
}

/* ---- grid ---- */

static vv_status check_grid(const vv_group *grid, int64_t *n)
{
  const double *count = vv_numbers(grid, "count", NULL);
  double all = 1.0;
  for (int c = 0; c < 3; c++) {
    if (count[c] != floor(count[c])) return vv_complain(grid, "count", "%g is not a whole number", count[c]);
    all *= count[c];
  }
  if (all > 1e8) return vv_complain(grid, "count", "makes %g copies; 1e8 at most", all);
  *n = (int64_t)all;
  return VV_OK;
}

static void grid_place(const vv_group *grid, int64_t copy, rigid_place *p)
{
  const double *count = vv_numbers(grid, "count", NULL), *spacing = vv_numbers(grid, "spacing", NULL);
  for (int c = 0; c < 3; c++) {
    const int64_t n = (int64_t)count[c];
    p->x[c] += spacing[c] * (double)(copy % n);
    copy /= n;
  }
}

/* ---- file ---- */

static const char *const group[4][5] = {
    {"x", "y", "z"}, {"qw", "qx", "qy", "qz"}, {"vx", "vy", "vz"}, {"wx", "wy", "wz"}};

static vv_status check_columns(const vv_group *c, const vvi_columns *t)
{
  for (int i = 0; i < 4; i++) {
    int found = 0, all = 0;
    for (; group[i][all] != NULL; all++) found += vvi_columns_column(t, group[i][all]) >= 0;
    if (found != all && (found > 0 || i == 0))
      return vv_complain(c, "places", "'%.100s' has %d of the %d columns %s .. %s", vv_text(c, "places"), found, all,
                         group[i][0], group[i][all - 1]);
  }
  return VV_OK;
}

static vv_status file_place(const vv_group *c, const vvi_columns *t, int64_t row, rigid_place *p)
{
  double v[4][4] = {{0}, {1.0}}, turn[4];
  for (int i = 0; i < 4; i++)
    for (int k = 0; group[i][k] != NULL && vvi_columns_column(t, group[i][0]) >= 0; k++)
      v[i][k] = vvi_columns_at(t, row, vvi_columns_column(t, group[i][k]));
  double size = 0.0;
  for (int k = 0; k < 4; k++) size += v[1][k] * v[1][k];
  size = sqrt(size);
  if (!(size > 1e-100) || !isfinite(size))
    return vv_complain(c, "places", "'%.100s' line %lld: the quaternion has no direction; 1 0 0 0 does not turn",
                       vv_text(c, "places"), (long long)t->line[row]);
  for (int k = 0; k < 4; k++) v[1][k] /= size;
  vvi_quaternion_times(v[1], p->turn, turn);
  memcpy(p->turn, turn, sizeof turn);
  for (int k = 0; k < 3; k++) p->x[k] += v[0][k], p->velocity[k] += v[2][k], p->spin[k] += v[3][k];
  return VV_OK;
}

static vv_status file_places(const vv_group *c, int64_t n, rigid_place *out)
{
  vvi_columns t;
  VV_TRY(vvi_columns_read(c, "places", known, &t));
  vv_status status = t.rows == n ? VV_OK : vv_complain(c, "places", "the file changed while it was read");
  for (int64_t i = 0; status == VV_OK && i < n; i++) status = file_place(c, &t, i, &out[i]);
  vvi_columns_free(&t);
  return status;
}

static vv_status check_file(const vv_group *c, int64_t *n)
{
  vvi_columns t;
  VV_TRY(vvi_columns_read(c, "places", known, &t));
  vv_status status = check_columns(c, &t);
  for (int64_t i = 0; status == VV_OK && i < t.rows; i++) {
    rigid_place p = {.turn = {1.0}};
    status = file_place(c, &t, i, &p);
  }
  *n = t.rows;
  vvi_columns_free(&t);
  return status;
}

/* ---- the door ---- */

int64_t rigid_copies(const vv_group *g)
{
  if (!vv_has(g, "copies")) return 1;
  const vv_group *c = vv_sub(g, "copies");
  const bool grid = vv_has(c, "grid"), file = vv_has(c, "places");
  int64_t n = 0;
  if (grid == file) {
    vv_complain(g, "copies", grid ? "take a grid or a file of places, not both" : "need a grid or a file of places");
    return -1;
  }
  const vv_status status = grid ? check_grid(vv_sub(c, "grid"), &n) : check_file(c, &n);
  return status == VV_OK ? n : -1;
}

vv_status rigid_places(const vv_group *g, int64_t n, rigid_place *out)
{
  rigid_place first = {0};
  VV_TRY(rigid_orientation(g, "orientation", first.turn));
  memcpy(first.x, vv_numbers(g, "position", NULL), sizeof first.x);
  memcpy(first.velocity, vv_numbers(g, "velocity", NULL), sizeof first.velocity);
  if (vv_is(g, "spin_axes", "space")) memcpy(first.spin, vv_numbers(g, "spin", NULL), sizeof first.spin);
  for (int64_t i = 0; i < n; i++) out[i] = first;
  if (vv_has(g, "copies")) {
    const vv_group *c = vv_sub(g, "copies");
    if (vv_has(c, "places")) VV_TRY(file_places(c, n, out));
    for (int64_t i = 0; i < n; i++) {
      if (vv_has(c, "grid")) grid_place(vv_sub(c, "grid"), i, &out[i]);
      disturb(c, i, &out[i]);
    }
  }
  if (vv_is(g, "spin_axes", "space")) return VV_OK;
  for (int64_t i = 0; i < n; i++) { /* each in its own axes */
    double turn[9], spin[3];
    vvi_quaternion_matrix(out[i].turn, turn);
    vvi_apply33(turn, vv_numbers(g, "spin", NULL), spin);
    for (int c = 0; c < 3; c++) out[i].spin[c] += spin[c];
  }
  return VV_OK;
}
