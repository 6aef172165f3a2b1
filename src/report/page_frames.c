/* report/page_frames.c  Motion for the report page: positions, frames of sections, fields to colour by.
 *
 * Positions travel as the first frame (float) plus displacements in 65536 levels over the range of the body, per axis:
 * the error is at most half a level, and the page states it.  Orientations are quaternions (w, x, y, z) in 16 bits a
 * component, fields have 256 levels over the range that all but one in two hundred values have.  Elastic bodies come with
 * their shapes at contacts (keys), between the frames.  What does not fit is left out in this order: components of vectors,
 * keys beyond a third of the page, fields but the velocity, frames in between, bodies. */
#include "report/page.h"

#include <math.h>
#include <string.h>

enum {
  OBJECT_TEXT = 512,
  NAME_TEXT = 256,
  MAX_CHANNELS = 64,
  POSITION_LEVELS = 65535,
  FIELD_LEVELS = 255,
  HOLD = 1 << 22,
  BINS = 4096,
  FEW_COPIES = 16
};
static const double largest = 1e30;     /* beyond it a float is no use, and the run is lost anyhow */
static const int64_t good_frames = 240; /* rather fewer fields than fewer frames than this */

/* How a body says where its sections or copies point. */
typedef enum turning { TURN_NONE, TURN_FRAME, TURN_QUATERNION } turning;

/* One number at every node or element, to colour by. */
typedef struct channel {
  const char *field;
  int component; /* -1: the length of the vector, or the only number */
  int components;
  int64_t count;
  char unit[NAME_TEXT];
  bool on_elements;
  int rank; /* 0: the first to show, 1: worth having, 2: components of vectors */
} channel;

typedef struct body {
  int index;      /* in the run */
  int64_t number; /* in the model */
  char name[NAME_TEXT], kind[NAME_TEXT];
  const char *place; /* field that says where it is: what touches others, the limit surface of a shell or the nodes */
  int64_t nodes, elements, element_nodes, skin_points, skin_triangles;
  turning turn;
  double *start;          /* [nodes][3] first frame */
  double low[3], high[3]; /* of the displacement */
  int n_channel;
  channel *channel; /* [n_channel] */
  bool keyed;       /* there are shapes of it at contacts */
  bool left_out;
} body;

typedef struct motion {
  vvi_paper *paper;
  vvi_arena *arena;
  vvi_run *run;
  int n_body;
  body *body;      /* [n_body] those with nodes */
  double *buffer;  /* one field of one body at one time */
  int64_t longest; /* numbers in it */
  double *held;    /* [frames][each] a field that was read in one go: opening it costs more */
  const body *held_body;
  const char *held_field;
  int64_t each; /* numbers of the held field in a frame */
  int64_t kept;
  int64_t *frame; /* [kept] */
  int64_t all_keys, keys;
  int64_t *key;     /* [keys] in /keys */
  double *key_time; /* [all_keys] */
  int rank;         /* channels up to this rank */
} motion;

/* ---- what is there ---- */

static void object_of(const vvi_run *run, int index, const char *field, char out[OBJECT_TEXT])
{
  snprintf(out, OBJECT_TEXT, "/bodies/%.240s%s%.200s", run->body[index], field != NULL ? "/" : "",
           field != NULL ? field : "");
}

/* Rows of a constant table [rows][columns] of a body; 0: it has none. */
static int64_t rows_of(vvi_run *run, int index, const char *name, int64_t *columns)
{
  char object[OBJECT_TEXT];
  int64_t dims[VVI_H5_RANK];
  int rank = 0;
  object_of(run, index, name, object);
  if (!vvi_h5_has(&run->h5, object) || vvi_h5_shape(&run->h5, object, &rank, dims) != VV_OK || rank != 2) return 0;
  *columns = dims[1];
  return dims[0];
}

static bool has_vector(vvi_run *run, int index, const char *field, int64_t nodes, int components)
{
  int64_t count;
  int have;
  vvi_run_shape(run, index, field, &count, &have);
  return count == nodes && have == components;
}

static turning find_turning(vvi_run *run, int index, int64_t nodes)
{
  if (has_vector(run, index, "orientation", nodes, 4)) return TURN_QUATERNION;
  const bool frame = has_vector(run, index, "d1", nodes, 3) && has_vector(run, index, "d2", nodes, 3) &&
                     has_vector(run, index, "d3", nodes, 3);
  return frame ? TURN_FRAME : TURN_NONE;
}

static bool is_any(const char *name, int n, const char *const list[])
{
  for (int i = 0; i < n; i++)
    if (strcmp(name, list[i]) == 0) return true;
  return false;
}

/* A vector gives its length and its components; momenta look like velocities and come last. */
static void add_channels(vvi_run *run, const char *field, body *b)
{
  static const char *const shape[] = {"position", "limit", "number", "orientation", "d1", "d2", "d3"};
  static const char *const late[] = {"momentum", "angular_momentum"};
  if (is_any(field, VV_COUNT(shape), shape)) return;
  char object[OBJECT_TEXT], on[NAME_TEXT] = "", unit[NAME_TEXT] = "";
  int64_t count;
  int components;
  vvi_run_shape(run, b->index, field, &count, &components);
  if (count == 0 || (count != b->nodes && count != b->elements)) return;
  object_of(run, b->index, field, object);
  (void)!vvi_h5_get_text(&run->h5, object, "unit", unit, sizeof unit);
  if (vvi_h5_get_text(&run->h5, object, "on", on, sizeof on) != VV_OK) strcpy(on, count == b->nodes ? "nodes" : "");
  const bool later = is_any(field, VV_COUNT(late), late), first = strcmp(field, "velocity") == 0;
  for (int k = -1; k < (components > 1 ? components : 0) && b->n_channel < MAX_CHANNELS; k++) {
    channel *c = &b->channel[b->n_channel++];
    *c = (channel){.field = field, .component = k, .components = components, .count = count};
    c->on_elements = strcmp(on, "nodes") != 0;
    c->rank = later || k >= 0 ? 2 : first ? 0 : 1;
    snprintf(c->unit, sizeof c->unit, "%s", unit);
  }
}

static vv_status find_channels(motion *m, body *b)
{
  char object[OBJECT_TEXT];
  char **name = NULL;
  int n = 0;
  object_of(m->run, b->index, NULL, object);
  VV_TRY(vvi_h5_names(&m->run->h5, object, m->arena, &n, &name));
  b->channel = VVI_ARENA_NEW(m->arena, channel, MAX_CHANNELS);
  if (b->channel == NULL) return VV_NOMEM;
  for (int i = 0; i < n; i++) add_channels(m->run, name[i], b);
  return VV_OK;
}

static void key_object(const motion *m, const body *b, const char *field, char out[OBJECT_TEXT])
{
  snprintf(out, OBJECT_TEXT, "/keys/bodies/%.240s/%.200s", m->run->body[b->index], field);
}

static bool has_key(motion *m, const body *b, const char *field)
{
  char object[OBJECT_TEXT];
  int64_t dims[VVI_H5_RANK];
  int rank = 0;
  key_object(m, b, field, object);
  if (!vvi_h5_has(&m->run->h5, object) || vvi_h5_shape(&m->run->h5, object, &rank, dims) != VV_OK) return false;
  return rank == 3 && dims[0] >= m->all_keys && dims[1] == b->nodes && dims[2] == 3;
}

static bool has_keys(motion *m, const body *b)
{
  if (m->all_keys == 0 || b->turn == TURN_QUATERNION || !has_key(m, b, b->place)) return false;
  return b->turn == TURN_NONE || (has_key(m, b, "d1") && has_key(m, b, "d2") && has_key(m, b, "d3"));
}

/* Times of the shapes at contacts; a folder of an older version has none. */
static vv_status find_keys(motion *m)
{
  vvi_h5 *f = &m->run->h5;
  int64_t dims[VVI_H5_RANK] = {0}, first = 0;
  int rank = 0;
  if (!vvi_h5_has(f, "/keys/time")) return VV_OK;
  VV_TRY(vvi_h5_shape(f, "/keys/time", &rank, dims));
  VV_TRY(vvi_h5_get_whole(f, "/keys", "first", &first));
  m->all_keys = rank == 1 ? dims[0] : 0;
  m->key_time = VVI_ARENA_NEW(m->arena, double, m->all_keys + 1);
  m->key = VVI_ARENA_NEW(m->arena, int64_t, m->all_keys + 1);
  if (m->key_time == NULL || m->key == NULL) return VV_NOMEM;
  return m->all_keys > 0 ? vvi_h5_read(f, "/keys/time", VVI_H5_DOUBLE, m->all_keys, m->key_time) : VV_OK;
}

static vv_status find_body(motion *m, int index)
{
  vvi_run *run = m->run;
  char object[OBJECT_TEXT];
  int64_t nodes, columns = 0;
  int components;
  vvi_run_shape(run, index, "position", &nodes, &components);
  if (nodes == 0 || components != 3) return VV_OK;
  body *b = &m->body[m->n_body++];
  *b = (body){.index = index, .nodes = nodes};
  char surface[NAME_TEXT] = "limit"; /* a folder of an older version does not say */
  object_of(run, index, NULL, object);
  (void)!vvi_h5_get_text(&run->h5, object, "surface", surface, sizeof surface);
  const bool limit = strcmp(surface, "limit") == 0 && has_vector(run, index, "limit", nodes, 3);
  b->place = limit ? "limit" : "position";
  VV_TRY(vvi_h5_get_text(&run->h5, object, "name", b->name, sizeof b->name));
  VV_TRY(vvi_h5_get_text(&run->h5, object, "kind", b->kind, sizeof b->kind));
  VV_TRY(vvi_h5_get_whole(&run->h5, object, "index", &b->number));
  b->elements = rows_of(run, index, "elements", &b->element_nodes);
  b->skin_points = rows_of(run, index, "skin_points", &columns);
  if (columns != 3) b->skin_points = 0;
  b->skin_triangles = rows_of(run, index, "skin_triangles", &columns);
  if (columns != 3) b->skin_triangles = 0;
  b->turn = find_turning(run, index, nodes);
  b->keyed = has_keys(m, b);
  b->start = VVI_ARENA_NEW(m->arena, double, 3 * nodes);
  if (b->start == NULL) return VV_NOMEM;
  VV_TRY(find_channels(m, b));
  int64_t longest = b->turn == TURN_FRAME ? 9 * nodes : 4 * nodes;
  for (int i = 0; i < b->n_channel; i++)
    if (b->channel[i].count * b->channel[i].components > longest)
      longest = b->channel[i].count * b->channel[i].components;
  if (longest > m->longest) m->longest = longest;
  return VV_OK;
}

/* ---- what fits ---- */

static int64_t fixed_bytes(const body *b)
{
  return 12 * b->nodes + 4 * b->elements * b->element_nodes + 12 * b->skin_points + 12 * b->skin_triangles;
}

static int64_t frame_bytes(const body *b, int rank)
{
  int64_t bytes = 6 * b->nodes + (b->turn != TURN_NONE ? 8 * b->nodes : 0);
  for (int i = 0; i < b->n_channel; i++)
    if (b->channel[i].rank <= rank) bytes += b->channel[i].count;
  return bytes;
}

static int64_t key_bytes(const motion *m)
{
  int64_t bytes = 8; /* time */
  for (int i = 0; i < m->n_body; i++) {
    const body *b = &m->body[i];
    if (b->keyed && !b->left_out) bytes += 6 * b->nodes + (b->turn != TURN_NONE ? 8 * b->nodes : 0);
  }
  return bytes;
}

/* How many frames fit with channels up to `rank`; -1: not even the shapes do. */
static int64_t frames_that_fit(const motion *m, int rank, int64_t most)
{
  int64_t fixed = m->keys * key_bytes(m), each = 16; /* time and step */
  for (int i = 0; i < m->n_body; i++)
    if (!m->body[i].left_out) fixed += fixed_bytes(&m->body[i]), each += frame_bytes(&m->body[i], rank);
  if (fixed > most) return -1;
  const int64_t n = (most - fixed) / each;
  return n < m->run->frames ? n : m->run->frames;
}

static bool drop_largest(motion *m)
{
  body *b = NULL;
  for (int i = 0; i < m->n_body; i++)
    if (!m->body[i].left_out && (b == NULL || m->body[i].nodes > b->nodes)) b = &m->body[i];
  if (b != NULL) b->left_out = true;
  return b != NULL;
}

static vv_status choose(motion *m, int64_t most)
{
  const int64_t all = m->run->frames, enough = all < good_frames ? all : good_frames, third = most / 3 / key_bytes(m);
  m->keys = m->all_keys < third ? m->all_keys : third > 0 ? third : 0;
  for (m->rank = 2; m->rank > 0 && frames_that_fit(m, m->rank, most) < (m->rank == 2 ? all : enough);) m->rank--;
  while (frames_that_fit(m, m->rank, most) < (all < 2 ? all : 2) && drop_largest(m)) continue;
  for (int64_t k = 0; k < m->keys; k++) m->key[k] = m->keys > 1 ? k * (m->all_keys - 1) / (m->keys - 1) : 0;
  m->kept = frames_that_fit(m, m->rank, most);
  if (m->kept < 0) m->kept = 0;
  m->frame = VVI_ARENA_NEW(m->arena, int64_t, m->kept + 1);
  if (m->frame == NULL) return VV_NOMEM;
  for (int64_t k = 0; k < m->kept; k++) m->frame[k] = m->kept > 1 ? k * (all - 1) / (m->kept - 1) : 0;
  return VV_OK;
}

/* ---- ranges ---- */

static vv_status read_field(motion *m, const body *b, const char *field, int64_t k, double *out)
{
  int64_t count;
  int components;
  vvi_run *run = m->run;
  if (m->held_body != b || m->held_field != field) {
    vvi_run_shape(run, b->index, field, &count, &components);
    m->each = count * components;
    if (m->each * run->frames > HOLD) return vvi_run_read(run, b->index, field, m->frame[k], 1, 0, count, out);
    VV_TRY(vvi_run_read(run, b->index, field, 0, run->frames, 0, count, m->held));
    m->held_body = b;
    m->held_field = field;
  }
  memcpy(out, m->held + m->frame[k] * m->each, sizeof *out * (size_t)m->each);
  return VV_OK;
}

/* The same of a shape at a contact. */
static vv_status read_key(motion *m, const body *b, const char *field, int64_t k, double *out)
{
  char object[OBJECT_TEXT];
  key_object(m, b, field, object);
  return vvi_h5_read_box(&m->run->h5, object, VVI_H5_DOUBLE, 3, (const int64_t[]){m->key[k], 0, 0},
                         (const int64_t[]){1, b->nodes, 3}, out);
}

static bool is_sound(int64_t n, const double *x)
{
  for (int64_t i = 0; i < n; i++)
    if (!(fabs(x[i]) < largest)) return false;
  return true;
}

/* A run that burst is shown up to the last frame that can be shown. */
static vv_status cut_frames(motion *m)
{
  for (int i = 0; i < m->n_body; i++)
    for (int64_t k = 0; k < m->kept && !m->body[i].left_out; k++) {
      VV_TRY(read_field(m, &m->body[i], m->body[i].place, k, m->buffer));
      if (!is_sound(3 * m->body[i].nodes, m->buffer)) m->kept = k;
    }
  const double end = m->kept > 0 ? m->run->time[m->frame[m->kept - 1]] : -INFINITY;
  while (m->keys > 0 && !(m->key_time[m->key[m->keys - 1]] < end)) m->keys--;
  return VV_OK;
}

static void widen(body *b, const double *x)
{
  for (int64_t i = 0; i < 3 * b->nodes; i++) {
    const double u = x[i] - b->start[i];
    b->low[i % 3] = fmin(b->low[i % 3], u);
    b->high[i % 3] = fmax(b->high[i % 3], u);
  }
}

static vv_status find_range(motion *m, body *b)
{
  for (int64_t k = 0; k < m->kept && !b->left_out; k++) {
    VV_TRY(read_field(m, b, b->place, k, m->buffer));
    if (k == 0) memcpy(b->start, m->buffer, sizeof(double) * 3 * (size_t)b->nodes);
    widen(b, m->buffer);
  }
  for (int64_t k = 0; k < m->keys && b->keyed && !b->left_out; k++) {
    VV_TRY(read_key(m, b, b->place, k, m->buffer));
    widen(b, m->buffer);
  }
  return VV_OK;
}

static uint64_t level_of(double x, double low, double high, int levels)
{
  const double at = high > low ? (x - low) / (high - low) * levels + 0.5 : 0;
  return at > 0 ? at < levels ? (uint64_t)at : (uint64_t)levels : 0; /* not finite: 0 */
}

/* ---- blocks ---- */

static void put_vector(vvi_json *j, const char *key, const double x[3])
{
  vvi_json_open(j, key, '[');
  for (int c = 0; c < 3; c++) vvi_json_number(j, NULL, x[c]);
  vvi_json_close(j, ']');
}

/* Displacements from the first frame, in levels. */
static void put_levels(motion *m, const body *b)
{
  for (int64_t i = 0; i < 3 * b->nodes; i++)
    vvi_block_whole(m->paper, level_of(m->buffer[i] - b->start[i], b->low[i % 3], b->high[i % 3], POSITION_LEVELS), 2);
}

static vv_status put_positions(motion *m, const body *b)
{
  vvi_paper *p = m->paper;
  vvi_json *j = &p->json;
  vvi_json_open(j, "position", '{');
  vvi_json_whole(j, "start", vvi_block_begin(p));
  for (int64_t i = 0; i < 3 * b->nodes; i++) vvi_block_float(p, b->start[i]);
  vvi_block_end(p);
  vvi_json_whole(j, "block", vvi_block_begin(p));
  for (int64_t k = 0; k < m->kept; k++) {
    VV_TRY(read_field(m, b, b->place, k, m->buffer));
    put_levels(m, b);
  }
  for (int64_t k = 0; k < m->keys && b->keyed; k++) {
    VV_TRY(read_key(m, b, b->place, k, m->buffer));
    put_levels(m, b);
  }
  vvi_block_end(p);
  vvi_json_flag(j, "keyed", b->keyed); /* shapes at contacts follow those of the frames */
  put_vector(j, "low", b->low);
  put_vector(j, "high", b->high);
  vvi_json_close(j, '}');
  return p->status;
}

/* The rotation whose columns are d1, d2, d3, by the largest of the four squares 4w^2, 4x^2, 4y^2, 4z^2. */
static void quaternion_of(const double *d1, const double *d2, const double *d3, double q[4])
{
  const double r[3][3] = {{d1[0], d2[0], d3[0]}, {d1[1], d2[1], d3[1]}, {d1[2], d2[2], d3[2]}};
  const double trace = r[0][0] + r[1][1] + r[2][2];
  int big = 0; /* 0: w */
  for (int i = 0; i < 3; i++)
    if (r[i][i] > (big == 0 ? trace : r[big - 1][big - 1])) big = i + 1;
  if (big == 0) {
    q[0] = 1 + trace;
    q[1] = r[2][1] - r[1][2], q[2] = r[0][2] - r[2][0], q[3] = r[1][0] - r[0][1];
  } else {
    const int i = big - 1, j = (i + 1) % 3, k = (i + 2) % 3;
    q[0] = r[k][j] - r[j][k];
    q[1 + i] = 1 + r[i][i] - r[j][j] - r[k][k];
    q[1 + j] = r[j][i] + r[i][j];
    q[1 + k] = r[k][i] + r[i][k];
  }
}

static void put_quaternion(vvi_paper *p, const double q[4])
{
  const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int c = 0; c < 4; c++) {
    const double x = norm > 0 ? q[c] / norm : c == 0;
    vvi_block_whole(p, (uint64_t)(int64_t)lround(32767 * (isfinite(x) ? x : 0)), 2);
  }
}

/* Of a frame, or behind the last frame of a shape at a contact. */
static vv_status read_turning(motion *m, const body *b, int64_t k, double *q)
{
  static const char *const director[] = {"d1", "d2", "d3"};
  const int64_t n = b->nodes;
  double *d = m->buffer;
  if (b->turn == TURN_QUATERNION) return read_field(m, b, "orientation", k, q);
  for (int i = 0; i < 3; i++)
    VV_TRY(k < m->kept ? vvi_run_read(m->run, b->index, director[i], m->frame[k], 1, 0, n, d + 3 * n * i)
                       : read_key(m, b, director[i], k - m->kept, d + 3 * n * i));
  for (int64_t i = 0; i < n; i++) quaternion_of(d + 3 * i, d + 3 * (n + i), d + 3 * (2 * n + i), q + 4 * i);
  return VV_OK;
}

static vv_status put_turning(motion *m, const body *b)
{
  vvi_paper *p = m->paper;
  if (b->turn == TURN_NONE) return VV_OK;
  double *q = VVI_ARENA_NEW(m->arena, double, 4 * b->nodes);
  if (q == NULL) return VV_NOMEM;
  vvi_json_whole(&p->json, "orientation", vvi_block_begin(p));
  for (int64_t k = 0; k < m->kept + (b->keyed ? m->keys : 0); k++) {
    VV_TRY(read_turning(m, b, k, q));
    for (int64_t i = 0; i < b->nodes; i++) put_quaternion(p, q + 4 * i);
  }
  vvi_block_end(p);
  return p->status;
}

/* The values of a channel at one time, at the front of the buffer. */
static vv_status read_channel(motion *m, const body *b, const channel *c, int64_t k)
{
  VV_TRY(read_field(m, b, c->field, k, m->buffer));
  if (c->components == 1) return VV_OK;
  for (int64_t i = 0; i < c->count; i++) {
    const double *x = m->buffer + i * c->components;
    double square = 0;
    for (int a = 0; a < c->components; a++) square += x[a] * x[a];
    m->buffer[i] = c->component >= 0 ? x[c->component] : sqrt(square);
  }
  return VV_OK;
}

/* The smallest and the largest number of a channel. */
static vv_status find_extremes(motion *m, const body *b, const channel *c, double *low, double *high)
{
  *low = INFINITY, *high = -INFINITY;
  for (int64_t k = 0; k < m->kept; k++) {
    VV_TRY(read_channel(m, b, c, k));
    for (int64_t i = 0; i < c->count; i++)
      if (isfinite(m->buffer[i])) *low = fmin(*low, m->buffer[i]), *high = fmax(*high, m->buffer[i]);
  }
  return VV_OK;
}

/* A few numbers at a tip or in one moment would take all colours: the range is cut where one in two hundred numbers lies
 * beyond, if that makes it shorter by a third.  What is beyond has the colour of the end. */
static vv_status cut_range(motion *m, const body *b, const channel *c, double *low, double *high)
{
  int64_t *count = VVI_ARENA_NEW(m->arena, int64_t, BINS + 1), all = 0;
  const double from = *low, width = (*high - *low) / BINS;
  if (count == NULL) return VV_NOMEM;
  memset(count, 0, sizeof *count * (BINS + 1));
  for (int64_t k = 0; k < m->kept && width > 0; k++) {
    VV_TRY(read_channel(m, b, c, k));
    for (int64_t i = 0; i < c->count; i++)
      if (isfinite(m->buffer[i])) count[level_of(m->buffer[i], *low, *high, BINS - 1)]++, all++;
  }
  int first = 0, last = BINS - 1;
  for (int64_t beyond = count[0]; beyond <= all / 200 && first < last;) beyond += count[++first];
  for (int64_t beyond = count[last]; beyond <= all / 200 && first < last;) beyond += count[--last];
  if (all == 0 || first + 1 >= last || last + 1 - first > BINS * 2 / 3) return VV_OK;
  if (!(first * 10 < last)) *low = from + first * width; /* nearly the lowest: stays the lowest */
  *high = from + (last + 1) * width;
  return VV_OK;
}

static vv_status put_channel(motion *m, const body *b, const channel *c)
{
  vvi_paper *p = m->paper;
  vvi_json *j = &p->json;
  double low, high;
  VV_TRY(find_extremes(m, b, c, &low, &high));
  if (low > high) return VV_OK; /* not one number */
  const double least = low, most = high;
  VV_TRY(cut_range(m, b, c, &low, &high));
  vvi_json_open(j, NULL, '{');
  vvi_json_text(j, "field", c->field);
  vvi_json_whole(j, "component", c->component);
  vvi_json_whole(j, "components", c->components);
  vvi_json_text(j, "unit", c->unit);
  vvi_json_text(j, "on", c->on_elements ? "elements" : "nodes");
  vvi_json_number(j, "low", low);
  vvi_json_number(j, "high", high);
  vvi_json_number(j, "least", least); /* of all, also of those beyond the range */
  vvi_json_number(j, "most", most);
  vvi_json_whole(j, "block", vvi_block_begin(p));
  for (int64_t k = 0; k < m->kept; k++) {
    VV_TRY(read_channel(m, b, c, k));
    for (int64_t i = 0; i < c->count; i++) vvi_block_whole(p, level_of(m->buffer[i], low, high, FIELD_LEVELS), 1);
  }
  vvi_block_end(p);
  vvi_json_close(j, '}');
  return p->status;
}

/* ---- what a body holds: kinetic energy and momentum ---- */

/* Kinetic energy and momentum of the nodes [from, to): sum 1/2 p.v + 1/2 L.w, sum p.  `x` holds p, v, L, w of all nodes. */
static void put_holding(vvi_paper *p, const double *x, int64_t nodes, int64_t from, int64_t to)
{
  double kinetic = 0, momentum[3] = {0};
  const double *v = x + 3 * nodes, *spin = x + 6 * nodes, *rate = x + 9 * nodes;
  for (int64_t i = 3 * from; i < 3 * to; i++) {
    kinetic += 0.5 * (x[i] * v[i] + spin[i] * rate[i]);
    momentum[i % 3] += x[i];
  }
  vvi_block_float(p, kinetic);
  for (int c = 0; c < 3; c++) vvi_block_float(p, momentum[c]);
}

/* A few copies one by one, everything else in one sum; frame by frame. */
static vv_status put_holdings(motion *m, const body *b)
{
  static const char *const field[] = {"momentum", "velocity", "angular_momentum", "angular_velocity"};
  vvi_paper *p = m->paper;
  const bool copies = b->turn == TURN_QUATERNION && b->nodes <= FEW_COPIES;
  const int64_t rows = copies ? b->nodes : 1, each = b->nodes / rows, n = 3 * b->nodes;
  double *x = VVI_ARENA_NEW(m->arena, double, VV_COUNT(field) * n);
  if (x == NULL) return VV_NOMEM;
  if (!has_vector(m->run, b->index, field[0], b->nodes, 3) || !has_vector(m->run, b->index, field[1], b->nodes, 3))
    return VV_OK;
  memset(x, 0, sizeof *x * (size_t)(VV_COUNT(field) * n)); /* bars and shells have no spin */
  vvi_json_whole(&p->json, "holding_rows", rows);
  vvi_json_whole(&p->json, "holdings", vvi_block_begin(p));
  for (int64_t k = 0; k < m->kept; k++) {
    for (int f = 0; f < VV_COUNT(field); f++)
      if (has_vector(m->run, b->index, field[f], b->nodes, 3))
        VV_TRY(vvi_run_read(m->run, b->index, field[f], m->frame[k], 1, 0, b->nodes, x + f * n));
    for (int64_t row = 0; row < rows; row++) put_holding(p, x, b->nodes, row * each, (row + 1) * each);
  }
  vvi_block_end(p);
  return p->status;
}

/* ---- constant tables ---- */

static vv_status put_wholes(motion *m, const body *b, const char *key, int64_t rows, int64_t columns)
{
  vvi_paper *p = m->paper;
  char object[OBJECT_TEXT];
  if (rows == 0) return VV_OK;
  int32_t *value = VVI_ARENA_NEW(m->arena, int32_t, rows * columns);
  if (value == NULL) return VV_NOMEM;
  object_of(m->run, b->index, key, object);
  VV_TRY(vvi_h5_read(&m->run->h5, object, VVI_H5_INT32, rows * columns, value));
  vvi_json_whole(&p->json, key, vvi_block_begin(p));
  for (int64_t i = 0; i < rows * columns; i++) vvi_block_whole(p, (uint32_t)value[i], 4);
  vvi_block_end(p);
  return p->status;
}

static vv_status put_skin(motion *m, const body *b)
{
  vvi_paper *p = m->paper;
  char object[OBJECT_TEXT];
  if (b->skin_points == 0 || b->skin_triangles == 0) return VV_OK;
  double *value = VVI_ARENA_NEW(m->arena, double, 3 * b->skin_points);
  if (value == NULL) return VV_NOMEM;
  object_of(m->run, b->index, "skin_points", object);
  VV_TRY(vvi_h5_read(&m->run->h5, object, VVI_H5_DOUBLE, 3 * b->skin_points, value));
  vvi_json_whole(&p->json, "skin_points", vvi_block_begin(p));
  for (int64_t i = 0; i < 3 * b->skin_points; i++) vvi_block_float(p, value[i]);
  vvi_block_end(p);
  return put_wholes(m, b, "skin_triangles", b->skin_triangles, 3);
}

/* ---- all of it ---- */

static vv_status put_body(motion *m, const body *b)
{
  vvi_json *j = &m->paper->json;
  vvi_json_open(j, NULL, '{');
  vvi_json_text(j, "name", b->name);
  vvi_json_text(j, "kind", b->kind);
  vvi_json_whole(j, "index", b->number);
  vvi_json_whole(j, "nodes", b->nodes);
  vvi_json_whole(j, "element_nodes", b->element_nodes);
  vvi_json_flag(j, "left_out", b->left_out);
  if (!b->left_out) {
    VV_TRY(put_positions(m, b));
    VV_TRY(put_turning(m, b));
    VV_TRY(put_wholes(m, b, "elements", b->elements, b->element_nodes));
    VV_TRY(put_skin(m, b));
    VV_TRY(put_holdings(m, b));
  }
  vvi_json_open(j, "fields", '[');
  for (int i = 0; i < b->n_channel && !b->left_out; i++)
    if (b->channel[i].rank <= m->rank) VV_TRY(put_channel(m, b, &b->channel[i]));
  vvi_json_close(j, ']');
  vvi_json_close(j, '}');
  return VV_OK;
}

static void put_times(motion *m)
{
  vvi_paper *p = m->paper;
  vvi_json *j = &p->json;
  vvi_json_open(j, "frames", '{');
  vvi_json_whole(j, "kept", m->kept);
  vvi_json_whole(j, "all", m->run->frames);
  vvi_json_flag(j, "burst", m->kept > 0 && m->frame[m->kept - 1] != m->run->frames - 1);
  vvi_json_whole(j, "all_keys", m->all_keys);
  vvi_json_whole(j, "keys", vvi_block_begin(p));
  for (int64_t k = 0; k < m->keys; k++) vvi_block_double(p, m->key_time[m->key[k]]);
  vvi_block_end(p);
  vvi_json_whole(j, "fields", m->rank); /* 2: all, 1: no components, 0: velocity alone */
  vvi_json_whole(j, "time", vvi_block_begin(p));
  for (int64_t k = 0; k < m->kept; k++) vvi_block_double(p, m->run->time[m->frame[k]]);
  vvi_block_end(p);
  vvi_json_whole(j, "step", vvi_block_begin(p));
  for (int64_t k = 0; k < m->kept; k++) vvi_block_double(p, (double)m->run->step[m->frame[k]]);
  vvi_block_end(p);
  vvi_json_close(j, '}');
}

vv_status vvi_page_frames(vvi_paper *p, vvi_arena *arena, vvi_run *run, int64_t most)
{
  motion m = {.paper = p, .arena = arena, .run = run, .longest = 1};
  m.body = VVI_ARENA_NEW(arena, body, run->n_body + 1);
  if (m.body == NULL) return VV_NOMEM;
  VV_TRY(find_keys(&m));
  for (int i = 0; i < run->n_body; i++) VV_TRY(find_body(&m, i));
  m.buffer = VVI_ARENA_NEW(arena, double, m.longest);
  m.held = VVI_ARENA_NEW(arena, double, HOLD);
  if (m.buffer == NULL || m.held == NULL) return VV_NOMEM;
  VV_TRY(choose(&m, most));
  VV_TRY(cut_frames(&m));
  for (int i = 0; i < m.n_body; i++) VV_TRY(find_range(&m, &m.body[i]));
  put_times(&m);
  vvi_json_open(&p->json, "bodies", '[');
  for (int i = 0; i < m.n_body; i++) VV_TRY(put_body(&m, &m.body[i]));
  vvi_json_close(&p->json, ']');
  return p->status;
}
