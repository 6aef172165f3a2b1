/* geom/mesh/stl.c  STL, text and binary.  Each facet lists its corners anew: equal ones become one node.  Normals are passed
 * over, the order of the corners says which side is out. */
#include "geom/mesh/reader.h"

#include <string.h>

/* ---- text ---- */

static bool expect(vvi_mesh_reader *r, const char *wanted)
{
  char word[VVI_WORD];
  if (!vvi_reader_any_word(r, word))
    return vvi_reader_fail(r, "the file ends where '%s' must follow; is it complete?", wanted);
  return vvi_same_word(word, wanted) ||
         vvi_reader_fail(r, "column %d: '%s' must stand here", vvi_reader_column(r), wanted);
}

static bool read_vertex(vvi_mesh_reader *r)
{
  char word[VVI_WORD];
  double x[3];
  for (int c = 0; c < 3; c++) {
    if (!vvi_reader_any_word(r, word)) return vvi_reader_fail(r, "a vertex with %d numbers; it needs x y z", c);
    if (!vvi_reader_number(r, word, x + c)) return false;
  }
  return vvi_reader_corner(r, r->nodes) && vvi_reader_node(r, x);
}

/* Behind `facet`; some programs write a normal that is no number. */
static bool read_facet(vvi_mesh_reader *r)
{
  char word[VVI_WORD];
  const int line = r->line;
  if (!expect(r, "normal")) return false;
  for (int c = 0; c < 3; c++)
    if (!vvi_reader_any_word(r, word)) return vvi_reader_fail(r, "a normal needs three numbers");
  if (!expect(r, "outer") || !expect(r, "loop")) return false;
  for (int c = 0; c < 3; c++)
    if (!expect(r, "vertex") || !read_vertex(r)) return false;
  if (!expect(r, "endloop") || !expect(r, "endfacet")) return false;
  const int last = r->line;
  r->line = line;
  const bool good = vvi_reader_polygon(r);
  r->line = last;
  return good;
}

/* One `solid name ... endsolid name` after the other; names may hold any words. */
static void read_text(vvi_mesh_reader *r)
{
  char word[VVI_WORD];
  bool inside = false;
  while (vvi_reader_any_word(r, word)) {
    if (vvi_same_word(word, inside ? "endsolid" : "solid")) {
      inside = !inside;
      if (!vvi_reader_next_line(r)) break;
    } else if (inside && vvi_same_word(word, "facet")) {
      if (!read_facet(r)) return;
    } else {
      vvi_reader_fail(r, "column %d: '%s' must stand here", vvi_reader_column(r), inside ? "facet" : "solid");
      return;
    }
  }
  if (inside && r->status == VV_OK) vvi_reader_fail(r, "the file ends without 'endsolid'; is it complete?");
}

/* ---- binary: 80 bytes of any text, the number of facets, then 50 bytes each ---- */

static void read_binary(vvi_mesh_reader *r)
{
  enum { HEAD = 80, FACET = 50 };
  if (vvi_reader_take(r, HEAD) == NULL) return;
  const unsigned char *count = vvi_reader_take(r, 4);
  if (count == NULL) return;
  const unsigned long long facets = vvi_bytes_unsigned(count, 4, false), wanted = FACET * facets;
  const unsigned long long bytes = (unsigned long long)(r->end - r->at);
  if (bytes != wanted) {
    vvi_reader_fail(r, "%llu facets fill %llu bytes, but %llu follow; is the file complete?", facets, wanted, bytes);
    return;
  }
  for (unsigned long long f = 0; f < facets; f++) {
    double x[3];
    for (int k = 0; k < 9; k++) {
      x[k % 3] = vvi_bytes_real(r->at + 12 + 4 * k, 4, false);
      if (k % 3 == 2 && !(vvi_reader_corner(r, r->nodes) && vvi_reader_node(r, x))) return;
    }
    if (!vvi_reader_polygon(r)) return;
    r->at += FACET;
  }
}

/* ---- the door ---- */

static bool is_text(const unsigned char *at, size_t size)
{
  while (size > 0 && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')) at++, size--;
  if (size < 5) return false;
  char word[6] = {0};
  memcpy(word, at, 5);
  return vvi_same_word(word, "solid");
}

bool vvi_stl_is_binary(const unsigned char *at, size_t size)
{
  return size >= 84 && (size - 84) % 50 == 0 && (size - 84) / 50 == vvi_bytes_unsigned(at + 80, 4, false);
}

vv_status vvi_mesh_parse_stl(vvi_arena *arena, const char *name, const void *bytes, size_t size, vvi_mesh *out,
                             char why[VVI_MESH_WHY])
{
  vvi_mesh_reader r = vvi_reader_open(name, bytes, size, why);
  vvi_arena scratch = {0};
  vvi_mesh raw;
  if (vvi_stl_is_binary(bytes, size) || !is_text(bytes, size)) {
    r.binary = true;
    read_binary(&r);
  } else {
    vvi_locale locale = vvi_locale_enter();
    read_text(&r);
    vvi_locale_leave(&locale);
  }
  *out = (vvi_mesh){0};
  vv_status status = vvi_reader_close(&r, &scratch, &raw);
  if (status == VV_OK) status = vvi_mesh_merge(arena, &raw, 0.0, out, why);
  vvi_arena_free(&scratch);
  return status;
}
