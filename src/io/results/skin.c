/* io/results/skin.c  Bodies that look like something: their triangles at every node, for ParaView.
 *
 * Single precision, and only what changes the picture: results.h5 holds the numbers.  Arrays are made copy by copy while
 * they are written, so that a hundred thousand copies cost no memory. */
#include "io/results/paraview.h"

#include <string.h>

enum { PLACE, TURN, VELOCITY, FIELDS, CHUNK = 256 };

/* ---- what does not change ---- */

static int field_find(const vv_body_kind *k, const char *name, int components)
{
  for (int i = 0; i < k->n_output; i++) {
    const vv_output_field *f = &k->output_field[i];
    if (strcmp(f->name, name) == 0 && f->components == components && !f->on_elements) return i;
  }
  return -1;
}

static vv_skin skin_of(const vv_block *b, int32_t body)
{
  vv_skin skin = {0};
  if (!b->kind->skin(b, body, &skin)) skin = (vv_skin){0};
  return skin;
}

/* Corners are counted in 32 bits. */
bool vvi_skin_has(const vv_block *b)
{
  int64_t corners = 0;
  if (b->kind->skin == NULL || field_find(b->kind, "position", 3) < 0 || field_find(b->kind, "orientation", 4) < 0)
    return false;
  for (int32_t j = 0; j < b->n_body; j++) corners += 3 * skin_of(b, j).triangles * b->body[j]->n_node;
  return corners > 0 && corners < INT32_MAX;
}

vv_status vvi_skin_prepare(const vv_block *b, vvi_arena *arena, vvi_skinned *s)
{
  static const char *const name[FIELDS] = {"position", "orientation", "velocity"};
  static const int components[FIELDS] = {3, 4, 3};
  *s = (vvi_skinned){0};
  for (int32_t j = 0; j < b->n_body; j++) {
    const vv_skin skin = skin_of(b, j);
    s->points += skin.points * b->body[j]->n_node;
    s->triangles += skin.triangles * b->body[j]->n_node;
  }
  for (int i = 0; i < FIELDS; i++) {
    s->field[i] = field_find(b->kind, name[i], components[i]);
    s->node[i] = VVI_ARENA_NEW(arena, double, components[i] * b->nodes);
    if (s->node[i] == NULL) return VV_NOMEM;
  }
  return VV_OK;
}

void vvi_skin_head(vvi_vtu_head *h, const vvi_skinned *s)
{
  const uint64_t points = (uint64_t)s->points, cells = (uint64_t)s->triangles;
  vvi_vtu_say_start(h, s->points, s->triangles);
  vvi_vtu_say(h, "      <Points>\n");
  vvi_vtu_say_array(h, "Float32", "Points", 3, 3 * sizeof(float) * points);
  vvi_vtu_say(h, "      </Points>\n      <PointData>\n");
  vvi_vtu_say_array(h, "Float32", "velocity", 3, 3 * sizeof(float) * points);
  vvi_vtu_say_array(h, "Int32", "body", 1, sizeof(int32_t) * points);
  vvi_vtu_say_array(h, "Int32", "copy", 1, sizeof(int32_t) * points);
  vvi_vtu_say(h, "      </PointData>\n      <CellData>\n      </CellData>\n      <Cells>\n");
  vvi_vtu_say_array(h, "Int32", "connectivity", 1, 3 * sizeof(int32_t) * cells);
  vvi_vtu_say_array(h, "Int32", "offsets", 1, sizeof(int32_t) * cells);
  vvi_vtu_say_array(h, "UInt8", "types", 1, cells);
  vvi_vtu_say(h, "      </Cells>\n");
  vvi_vtu_say_end(h);
}

/* ---- one frame ---- */

void vvi_skin_put(const vv_block *b, vvi_skinned *s, int field, const double *value)
{
  for (int i = 0; i < FIELDS; i++)
    if (field == s->field[i]) memcpy(s->node[i], value, sizeof(double) * (size_t)((i == TURN ? 4 : 3) * b->nodes));
}

/* x = place + X + 2 v x (w X + v x X) of the unit quaternion (w, v). */
static void place_point(const double *place, const double *turn, const double *X, float x[3])
{
  const double w = turn[0], *v = turn + 1;
  double a[3];
  for (int c = 0; c < 3; c++) {
    const int d = (c + 1) % 3, e = (c + 2) % 3;
    a[c] = w * X[c] + v[d] * X[e] - v[e] * X[d];
  }
  for (int c = 0; c < 3; c++) {
    const int d = (c + 1) % 3, e = (c + 2) % 3;
    x[c] = (float)(place[c] + X[c] + 2.0 * (v[d] * a[e] - v[e] * a[d]));
  }
}

/* One value, or one point, of a copy for each of the arrays. */
typedef enum array { POINTS, SPEEDS, BODIES, COPIES, CORNERS, ENDS, TYPES } array;
typedef struct copy {
  const vv_body *body;
  const vvi_skinned *s;
  vv_skin skin;
  int64_t node, first_point, first_triangle;
} copy;

/* The bytes of item i of an array, in order; returns how many. */
static size_t item(const copy *k, array which, int i, void *out)
{
  int32_t whole[3];
  float real[3];
  switch (which) {
  case POINTS:
    place_point(k->s->node[PLACE] + 3 * k->node, k->s->node[TURN] + 4 * k->node, k->skin.point + 3 * i, real);
    memcpy(out, real, sizeof real);
    return sizeof real;
  case SPEEDS:
    for (int c = 0; c < 3; c++) real[c] = (float)k->s->node[VELOCITY][3 * k->node + c];
    memcpy(out, real, sizeof real);
    return sizeof real;
  case CORNERS:
    for (int c = 0; c < 3; c++) whole[c] = (int32_t)(k->first_point + k->skin.triangle[3 * i + c]);
    memcpy(out, whole, sizeof whole);
    return sizeof whole;
  case TYPES:
    *(uint8_t *)out = 5; /* triangle */
    return 1;
  case BODIES:
    whole[0] = k->body->index;
    break;
  case COPIES:
    whole[0] = (int32_t)(k->node - k->body->node0);
    break;
  case ENDS:
    whole[0] = (int32_t)(3 * (k->first_triangle + i + 1));
    break;
  }
  memcpy(out, whole, sizeof *whole);
  return sizeof *whole;
}

static vv_status write_copy(vvi_vtu *v, vv_ctx *ctx, const copy *k, array which)
{
  const int n = which <= COPIES ? k->skin.points : k->skin.triangles;
  unsigned char text[CHUNK * 3 * sizeof(float)];
  size_t used = 0;
  for (int i = 0; i < n; i++) {
    used += item(k, which, i, text + used);
    if (i + 1 < n && (i + 1) % CHUNK != 0) continue;
    VV_TRY(vvi_vtu_bytes(v, ctx, text, used));
    used = 0;
  }
  return VV_OK;
}

static vv_status write_array(vvi_vtu *v, vv_ctx *ctx, array which)
{
  static const size_t size[] = {
      3 * sizeof(float), 3 * sizeof(float), sizeof(int32_t), sizeof(int32_t), 3 * sizeof(int32_t), sizeof(int32_t), 1};
  const vv_block *b = v->block;
  const uint64_t bytes = size[which] * (uint64_t)(which <= COPIES ? v->skin->points : v->skin->triangles);
  copy k = {.s = v->skin};
  VV_TRY(vvi_vtu_bytes(v, ctx, &bytes, sizeof bytes));
  for (int32_t j = 0; j < b->n_body; j++) {
    k.body = b->body[j];
    k.skin = skin_of(b, j);
    for (int64_t i = 0; i < k.body->n_node; i++) {
      k.node = k.body->node0 + i;
      VV_TRY(write_copy(v, ctx, &k, which));
      k.first_point += k.skin.points;
      k.first_triangle += k.skin.triangles;
    }
  }
  return VV_OK;
}

vv_status vvi_skin_write(vvi_vtu *v, vv_ctx *ctx)
{
  for (int a = POINTS; a <= TYPES; a++) VV_TRY(write_array(v, ctx, (array)a));
  return VV_OK;
}
