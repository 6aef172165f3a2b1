/* geom/mesh/obj.c  Wavefront OBJ: nodes and faces; materials, groups, normals, textures, points and lines are passed over. */
#include "geom/mesh/reader.h"

#include <stdlib.h>
#include <string.h>

static const char known[] =
    " vt vn vp vnn cstype deg bmat step p l curv curv2 surf parm trim hole scrv sp end con g s mg o "
    "bevel c_interp d_interp lod usemap maplib usemtl mtllib shadow_obj trace_obj ctech stech "
    "call csh xyzrgb ";

/* The next word of a line that a backslash at its end continues; '#' ends it. */
static bool next_word(vvi_mesh_reader *r, char word[VVI_WORD])
{
  while (vvi_reader_word(r, word)) {
    const size_t last = strlen(word) - 1;
    if (word[0] == '#') return false;
    if (word[last] != '\\') return true;
    word[last] = '\0';
    vvi_reader_next_line(r);
    if (last > 0) return true;
  }
  return false;
}

static bool read_node(vvi_mesh_reader *r)
{
  char word[VVI_WORD];
  double x[3];
  for (int c = 0; c < 3; c++) {
    if (!next_word(r, word)) return vvi_reader_fail(r, "a node with %d numbers; it needs x y z", c);
    if (!vvi_reader_number(r, word, x + c)) return false;
  }
  return vvi_reader_node(r, x); /* a weight or a colour may follow */
}

/* "7", "7/1", "7//3", "7/1/3": the node is the first number; negative ones count back from the last node so far. */
static bool read_corner(vvi_mesh_reader *r, char *word)
{
  int64_t node;
  word[strcspn(word, "/")] = '\0';
  if (!vvi_reader_integer(r, word, &node)) return false;
  if (node == 0 || node < -(int64_t)r->nodes)
    return vvi_reader_fail(r, "this face names node %lld, but nodes count from 1, or back from -1; there are %d so far",
                           (long long)node, r->nodes);
  return vvi_reader_corner(r, node > 0 ? node - 1 : r->nodes + node);
}

static bool read_face(vvi_mesh_reader *r)
{
  char word[VVI_WORD];
  const int line = r->line;
  while (next_word(r, word))
    if (!read_corner(r, word)) return false;
  const int last = r->line;
  r->line = line; /* a continued face stands where it begins */
  const bool good = vvi_reader_polygon(r);
  if (good) r->line = last;
  return good;
}

static bool is_known(const char *word)
{
  char padded[VVI_WORD + 2] = " ";
  strcat(strcat(padded, word), " ");
  return strstr(known, padded) != NULL;
}

static bool read_line(vvi_mesh_reader *r)
{
  char word[VVI_WORD];
  if (!vvi_reader_word(r, word)) return r->status == VV_OK;
  if (word[0] == '#') return true;
  if (strcmp(word, "v") == 0) return read_node(r);
  if (strcmp(word, "f") == 0 || strcmp(word, "fo") == 0) return read_face(r);
  if (is_known(word)) return true;
  return vvi_reader_fail(r, "no such word in an OBJ file: column %d; nodes are 'v x y z', faces 'f 1 2 3'",
                         vvi_reader_column(r));
}

vv_status vvi_mesh_parse_obj(vvi_arena *arena, const char *name, const void *bytes, size_t size, vvi_mesh *out,
                             char why[VVI_MESH_WHY])
{
  vvi_mesh_reader r = vvi_reader_open(name, bytes, size, why);
  vvi_locale locale = vvi_locale_enter();
  r.first_node = 1;
  if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) r.at += 3; /* byte order mark */
  while (read_line(&r) && vvi_reader_next_line(&r)) continue;
  vvi_locale_leave(&locale);
  return vvi_reader_close(&r, arena, out);
}
