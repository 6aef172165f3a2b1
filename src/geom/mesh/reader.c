/* geom/mesh/reader.c  Shared parts of the mesh readers, and the choice of the reader by format. */
#include "geom/mesh/reader.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

vvi_mesh_reader vvi_reader_open(const char *name, const void *bytes, size_t size, char why[VVI_MESH_WHY])
{
  const unsigned char *at = bytes;
  why[0] = '\0';
  return (vvi_mesh_reader){.name = name, .begin = at, .at = at, .word = at, .end = at + size, .line = 1, .why = why};
}

bool vvi_reader_fail(vvi_mesh_reader *r, const char *format, ...)
{
  if (r->status != VV_OK) return false;
  r->status = VV_SCENE;
  const long long place = r->binary ? (long long)(r->at - r->begin) : r->line;
  const int n = snprintf(r->why, VVI_MESH_WHY, "'%.100s' %s %lld: ", r->name, r->binary ? "byte" : "line", place);
  va_list list;
  va_start(list, format);
  vsnprintf(r->why + n, (size_t)(VVI_MESH_WHY - n), format, list);
  va_end(list);
  return false;
}

static bool no_memory(vvi_mesh_reader *r)
{
  if (r->status == VV_OK) r->status = vvi_mesh_no_memory(r->why);
  return false;
}

/* ---- text ---- */

static bool is_blank(unsigned char c)
{
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

bool vvi_reader_word(vvi_mesh_reader *r, char word[VVI_WORD])
{
  if (r->status != VV_OK) return false;
  while (r->at < r->end && is_blank(*r->at)) r->at++;
  r->word = r->at;
  int n = 0;
  while (r->at < r->end && *r->at != '\n' && !is_blank(*r->at)) {
    if (*r->at == '\0') return vvi_reader_fail(r, "a zero byte in a text file; is it damaged, or of another format?");
    if (n == VVI_WORD - 1) return vvi_reader_fail(r, "a word of more than %d letters; use fewer digits", VVI_WORD - 1);
    word[n++] = (char)*r->at++;
  }
  word[n] = '\0';
  return n > 0;
}

bool vvi_reader_any_word(vvi_mesh_reader *r, char word[VVI_WORD])
{
  do {
    if (vvi_reader_word(r, word)) return true;
  } while (r->status == VV_OK && vvi_reader_next_line(r));
  return false;
}

bool vvi_reader_next_line(vvi_mesh_reader *r)
{
  const unsigned char *stop = memchr(r->at, '\n', (size_t)(r->end - r->at));
  r->at = stop != NULL ? stop + 1 : r->end;
  r->line += stop != NULL;
  return r->at < r->end;
}

int vvi_reader_column(const vvi_mesh_reader *r)
{
  const unsigned char *c = r->word;
  while (c > r->begin && c[-1] != '\n') c--;
  return r->word - c < INT32_MAX ? (int)(r->word - c) + 1 : INT32_MAX;
}

/* Hexadecimal notation and names of numbers are left out: strtod would take them. */
bool vvi_reader_number(vvi_mesh_reader *r, const char *word, double *out)
{
  char *end = NULL;
  *out = strtod(word, &end);
  if (word[0] == '\0' || *end != '\0' || strpbrk(word, "xXpP") != NULL)
    return vvi_reader_fail(r, "not a number in column %d; write 0.5 or 1e-3", vvi_reader_column(r));
  if (!isfinite(*out)) return vvi_reader_fail(r, "not a finite number in column %d", vvi_reader_column(r));
  return true;
}

bool vvi_reader_integer(vvi_mesh_reader *r, const char *word, int64_t *out)
{
  char *end = NULL;
  errno = 0;
  *out = strtoll(word, &end, 10);
  if (word[0] == '\0' || *end != '\0' || errno != 0)
    return vvi_reader_fail(r, "not a whole number in column %d", vvi_reader_column(r));
  return true;
}

bool vvi_same_word(const char *a, const char *b)
{
  while (*a != '\0' && tolower((unsigned char)*a) == tolower((unsigned char)*b)) a++, b++;
  return *a == '\0' && *b == '\0';
}

/* ---- bytes ---- */

const unsigned char *vvi_reader_take(vvi_mesh_reader *r, size_t count)
{
  const unsigned char *here = r->at;
  if (r->status != VV_OK) return NULL;
  if ((size_t)(r->end - r->at) < count) {
    vvi_reader_fail(r, "the file ends here, but more must follow; is it complete?");
    return NULL;
  }
  r->at += count;
  return here;
}

uint64_t vvi_bytes_unsigned(const unsigned char *from, int width, bool big)
{
  uint64_t v = 0;
  for (int i = 0; i < width; i++) v = v << 8 | from[big ? i : width - 1 - i];
  return v;
}

double vvi_bytes_real(const unsigned char *from, int width, bool big)
{
  const uint64_t bits = vvi_bytes_unsigned(from, width, big);
  const uint32_t half = (uint32_t)bits;
  double d;
  float f;
  memcpy(&d, &bits, sizeof d);
  memcpy(&f, &half, sizeof f);
  return width == 8 ? d : (double)f;
}

/* ---- what is read ---- */

static int64_t larger(int64_t count, int64_t room)
{
  return count < room ? room : room > 0 ? 2 * room : 64;
}

/* The array with room for one more of `size` bytes; NULL, and the old one stays: out of memory. */
static void *grown(vvi_mesh_reader *r, void *old, int64_t count, int64_t room, size_t size)
{
  if (count < room) return old;
  void *fresh = realloc(old, size * (size_t)larger(count, room));
  if (fresh == NULL) no_memory(r);
  return fresh;
}

static bool too_large(vvi_mesh_reader *r)
{
  return vvi_reader_fail(r, "more than %d nodes or faces; use a coarser mesh", VVI_MESH_MOST);
}

bool vvi_reader_node(vvi_mesh_reader *r, const double x[3])
{
  if (r->status != VV_OK) return false;
  if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2]))
    return vvi_reader_fail(r, "node %d is at (%g, %g, %g), which is nowhere; give finite numbers", r->nodes + 1, x[0],
                           x[1], x[2]);
  if (r->nodes == VVI_MESH_MOST) return too_large(r);
  double *list = grown(r, r->x, r->nodes, r->room_nodes, 3 * sizeof *list);
  if (list == NULL) return false;
  r->x = list;
  r->room_nodes = (int)larger(r->nodes, r->room_nodes);
  memcpy(r->x + 3 * (int64_t)r->nodes++, x, 3 * sizeof(double));
  return true;
}

bool vvi_reader_corner(vvi_mesh_reader *r, int64_t node)
{
  if (r->status != VV_OK) return false;
  int64_t *list = grown(r, r->corner, r->corners, r->room_corners, sizeof *list);
  if (list == NULL) return false;
  r->corner = list;
  r->room_corners = larger(r->corners, r->room_corners);
  r->corner[r->corners++] = node;
  return true;
}

bool vvi_reader_polygon(vvi_mesh_reader *r)
{
  if (r->status != VV_OK) return false;
  const int64_t n = r->corners - (r->polygons > 0 ? r->corner_end[r->polygons - 1] : 0);
  if (n < 3) return vvi_reader_fail(r, "a face with %d corners; it needs three or more", (int)n);
  if (r->corners > VVI_MESH_MOST) return too_large(r);
  int *list = grown(r, r->corner_end, r->polygons, r->room_polygons, sizeof *list);
  if (list == NULL) return false;
  r->corner_end = list;
  list = grown(r, r->line_of, r->polygons, r->room_polygons, sizeof *list);
  if (list == NULL) return false;
  r->line_of = list;
  r->room_polygons = (int)larger(r->polygons, r->room_polygons);
  r->corner_end[r->polygons] = (int)r->corners;
  r->line_of[r->polygons++] = r->line;
  return true;
}

/* ---- the end ---- */

static double distance2(const vvi_mesh_reader *r, int64_t a, int64_t b)
{
  double d[3];
  vvi_sub3(r->x + 3 * a, r->x + 3 * b, d);
  return vvi_dot3(d, d);
}

/* The corner the fan starts from: the first, or in a quadrilateral whose other diagonal is clearly shorter the second. */
static int fan_from(const vvi_mesh_reader *r, const int64_t *corner, int64_t n)
{
  if (n != 4) return 0;
  return distance2(r, corner[1], corner[3]) < (1.0 - 1e-6) * distance2(r, corner[0], corner[2]);
}

static bool check_corners(vvi_mesh_reader *r)
{
  int64_t k = 0;
  for (int p = 0; p < r->polygons; p++)
    for (; k < r->corner_end[p]; k++) {
      if (r->corner[k] >= 0 && r->corner[k] < r->nodes) continue;
      r->line = r->line_of[p];
      return vvi_reader_fail(r, "face %d names node %lld (counted from %d), but there are %d", p + 1,
                             (long long)r->corner[k] + r->first_node, r->first_node, r->nodes);
    }
  return true;
}

static void cut_polygons(const vvi_mesh_reader *r, vvi_mesh *out)
{
  int t = 0;
  int64_t first = 0;
  for (int p = 0; p < r->polygons; p++) {
    const int64_t *corner = r->corner + first, n = r->corner_end[p] - first;
    const int from = fan_from(r, corner, n);
    for (int64_t i = 1; i + 1 < n; i++, t++) {
      out->triangle[3 * t] = (int)corner[from];
      out->triangle[3 * t + 1] = (int)corner[(from + i) % n];
      out->triangle[3 * t + 2] = (int)corner[(from + i + 1) % n];
      out->face[t] = p + 1;
      if (out->line != NULL) out->line[t] = r->line_of[p];
    }
    first = r->corner_end[p];
  }
}

static void fill(vvi_mesh_reader *r, vvi_arena *arena, vvi_mesh *out)
{
  const int64_t triangles = r->corners - 2 * (int64_t)r->polygons;
  r->status = vvi_mesh_new(arena, r->nodes, triangles, out, r->why);
  if (r->status != VV_OK) return;
  out->face = VVI_ARENA_NEW(arena, int, triangles);
  out->line = r->binary ? NULL : VVI_ARENA_NEW(arena, int, triangles);
  if (out->face == NULL || (!r->binary && out->line == NULL)) {
    no_memory(r);
    return;
  }
  memcpy(out->x, r->x, sizeof(double) * 3 * (size_t)r->nodes);
  cut_polygons(r, out);
}

vv_status vvi_reader_close(vvi_mesh_reader *r, vvi_arena *arena, vvi_mesh *out)
{
  *out = (vvi_mesh){0};
  if (r->status == VV_OK && r->polygons == 0)
    vvi_reader_fail(r, "the file has no faces; save a surface with triangles");
  if (r->status == VV_OK) check_corners(r);
  if (r->status == VV_OK) fill(r, arena, out);
  if (r->status != VV_OK) *out = (vvi_mesh){0};
  free(r->x);
  free(r->corner);
  free(r->corner_end);
  free(r->line_of);
  return r->status;
}

/* ---- which format ---- */

static bool starts(const unsigned char *at, size_t size, const char *word)
{
  const size_t n = strlen(word);
  if (size < n) return false;
  for (size_t i = 0; i < n; i++)
    if (tolower(at[i]) != (unsigned char)word[i]) return false;
  return true;
}

/* The first word of the first line that says something, with blanks before it skipped; *size becomes what follows. */
static const unsigned char *first_word(const unsigned char *at, size_t *size)
{
  const unsigned char *end = at + *size;
  if (starts(at, *size, "\xef\xbb\xbf")) at += 3; /* byte order mark */
  while (at < end) {
    while (at < end && (is_blank(*at) || *at == '\n')) at++;
    if (at == end || *at != '#') break;
    while (at < end && *at != '\n') at++;
  }
  *size = (size_t)(end - at);
  return at;
}

/* Content: PLY and Gmsh have a signature; a binary STL file has a size that fits the number at byte 80, whatever text it
 * begins with; a text STL file begins with `solid`; the words of OBJ are short. */
static vvi_mesh_parser *by_content(const unsigned char *at, size_t size)
{
  if (starts(at, size, "ply\n") || starts(at, size, "ply\r")) return vvi_mesh_parse_ply;
  if (vvi_stl_is_binary(at, size)) return vvi_mesh_parse_stl;
  static const char *const obj[] = {"v ", "v\t", "vn ", "vt ", "f ", "o ", "g ", "s ", "mtllib ", "usemtl "};
  const unsigned char *word = first_word(at, &size);
  if (starts(word, size, "$meshformat") || starts(word, size, "$comment")) return vvi_mesh_parse_gmsh;
  if (starts(word, size, "solid")) return vvi_mesh_parse_stl;
  for (int i = 0; i < VV_COUNT(obj); i++)
    if (starts(word, size, obj[i])) return vvi_mesh_parse_obj;
  return NULL;
}

static vvi_mesh_parser *by_extension(const char *name)
{
  const char *dot = strrchr(name, '.');
  if (dot == NULL) return NULL;
  if (vvi_same_word(dot, ".obj")) return vvi_mesh_parse_obj;
  if (vvi_same_word(dot, ".stl")) return vvi_mesh_parse_stl;
  if (vvi_same_word(dot, ".ply")) return vvi_mesh_parse_ply;
  return vvi_same_word(dot, ".msh") ? vvi_mesh_parse_gmsh : NULL;
}

vv_status vvi_mesh_parse(vvi_arena *arena, const char *name, const void *bytes, size_t size, vvi_mesh *out,
                         char why[VVI_MESH_WHY])
{
  *out = (vvi_mesh){0};
  if (size == 0) return vvi_mesh_fail(why, VV_SCENE, "'%.100s' is empty; give a mesh", name);
  vvi_mesh_parser *parse = by_content(bytes, size);
  if (parse == NULL) parse = by_extension(name);
  if (parse == NULL)
    return vvi_mesh_fail(why, VV_SCENE, "'%.100s' is no mesh known here; give OBJ, STL, PLY or Gmsh 4.1", name);
  return parse(arena, name, bytes, size, out, why);
}
