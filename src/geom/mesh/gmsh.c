/* geom/mesh/gmsh.c  Gmsh 4.1, text and binary: nodes in blocks, triangles and quadrilaterals of surfaces in blocks.  Points,
 * lines and volumes are passed over, and so is every section but the format, the nodes and the elements. */
#include "geom/mesh/reader.h"

#include <stdlib.h>
#include <string.h>

typedef struct tagged {
  uint64_t tag;
  int node;
} tagged;

typedef struct gmsh {
  vvi_mesh_reader r;
  int size_bytes;               /* of a size_t in the file */
  bool format, nodes, elements; /* sections seen */
  bool binary;
  tagged *tag; /* [tags] */
  int tags, room;
} gmsh;

/* ---- numbers: words, or bytes ---- */

static bool take_word(gmsh *g, char word[VVI_WORD])
{
  return vvi_reader_any_word(&g->r, word) || vvi_reader_fail(&g->r, "the file ends here; is it complete?");
}

static bool take_size(gmsh *g, uint64_t *out)
{
  if (g->binary) {
    const unsigned char *from = vvi_reader_take(&g->r, (size_t)g->size_bytes);
    if (from != NULL) *out = vvi_bytes_unsigned(from, g->size_bytes, g->r.big);
    return from != NULL;
  }
  char word[VVI_WORD];
  int64_t v;
  if (!take_word(g, word) || !vvi_reader_integer(&g->r, word, &v)) return false;
  *out = (uint64_t)v;
  return v >= 0 || vvi_reader_fail(&g->r, "%lld stands where no negative number can", (long long)v);
}

static bool take_int(gmsh *g, int64_t *out)
{
  if (g->binary) {
    const unsigned char *from = vvi_reader_take(&g->r, 4);
    if (from != NULL) *out = (int32_t)(uint32_t)vvi_bytes_unsigned(from, 4, g->r.big);
    return from != NULL;
  }
  char word[VVI_WORD];
  return take_word(g, word) && vvi_reader_integer(&g->r, word, out);
}

static bool take_real(gmsh *g, double *out)
{
  if (g->binary) {
    const unsigned char *from = vvi_reader_take(&g->r, 8);
    if (from != NULL) *out = vvi_bytes_real(from, 8, g->r.big);
    return from != NULL;
  }
  char word[VVI_WORD];
  return take_word(g, word) && vvi_reader_number(&g->r, word, out);
}

/* Four numbers that open a section: blocks, entries, least and greatest tag. */
static bool take_counts(gmsh *g, uint64_t count[4])
{
  for (int i = 0; i < 4; i++)
    if (!take_size(g, count + i)) return false;
  return true;
}

/* ---- sections ---- */

/* "4.1 0 8", then in a binary file the number one, which tells the byte order. */
static bool read_format(gmsh *g)
{
  char version[VVI_WORD] = "", word[VVI_WORD] = "";
  int64_t type, size;
  if (!take_word(g, version)) return false;
  if (strcmp(version, "4.1") != 0)
    return vvi_reader_fail(&g->r, "this version of Gmsh's format is not read; save as 4.1 (gmsh -save -format msh41)");
  if (!take_word(g, word) || !vvi_reader_integer(&g->r, word, &type)) return false;
  if (!take_word(g, word) || !vvi_reader_integer(&g->r, word, &size)) return false;
  if (type < 0 || type > 1 || (size != 4 && size != 8))
    return vvi_reader_fail(&g->r, "a file of type %lld with sizes of %lld bytes is not read; save it anew",
                           (long long)type, (long long)size);
  g->format = true;
  g->size_bytes = (int)size;
  if (type == 0) return true;
  vvi_reader_next_line(&g->r);
  g->binary = g->r.binary = true;
  const unsigned char *one = vvi_reader_take(&g->r, 4);
  if (one == NULL) return false;
  g->r.big = vvi_bytes_unsigned(one, 4, true) == 1;
  return g->r.big || vvi_bytes_unsigned(one, 4, false) == 1 ||
         vvi_reader_fail(&g->r, "the number one must stand here, to tell the byte order; is the file damaged?");
}

static bool keep_tag(gmsh *g, uint64_t tag)
{
  if (g->tags == VVI_MESH_MOST) return vvi_reader_fail(&g->r, "more than %d nodes; use a coarser mesh", VVI_MESH_MOST);
  if (g->tags == g->room) {
    const int room = g->room > 0 ? 2 * g->room : 64;
    tagged *fresh = realloc(g->tag, sizeof *fresh * (size_t)room);
    if (fresh == NULL) {
      g->r.status = vvi_mesh_no_memory(g->r.why);
      return false;
    }
    g->tag = fresh, g->room = room;
  }
  g->tag[g->tags] = (tagged){.tag = tag, .node = g->tags};
  g->tags++;
  return true;
}

/* A block lists all its tags, then all its places: tags and nodes count alike. */
static bool read_node_block(gmsh *g)
{
  int64_t dimension, entity, parametric;
  uint64_t count, tag;
  if (!take_int(g, &dimension) || !take_int(g, &entity) || !take_int(g, &parametric) || !take_size(g, &count))
    return false;
  for (uint64_t i = 0; i < count; i++)
    if (!take_size(g, &tag) || !keep_tag(g, tag)) return false;
  for (uint64_t i = 0; i < count; i++) {
    double x[3], u;
    for (int c = 0; c < 3; c++)
      if (!take_real(g, x + c)) return false;
    for (int64_t c = 0; parametric != 0 && c < dimension && c < 3; c++)
      if (!take_real(g, &u)) return false;
    if (!vvi_reader_node(&g->r, x)) return false;
  }
  return true;
}

static int by_tag(const void *a, const void *b)
{
  const tagged *p = a, *q = b;
  return (p->tag > q->tag) - (p->tag < q->tag);
}

static bool read_nodes(gmsh *g)
{
  uint64_t count[4];
  if (g->nodes) return vvi_reader_fail(&g->r, "a second section of nodes; save the file anew");
  g->nodes = true;
  if (!take_counts(g, count)) return false;
  for (uint64_t b = 0; b < count[0]; b++)
    if (!read_node_block(g)) return false;
  const int n = g->r.nodes;
  if ((uint64_t)n != count[1])
    return vvi_reader_fail(&g->r, "the blocks hold %d nodes, but %llu are announced", n, (unsigned long long)count[1]);
  if (n > 0) qsort(g->tag, (size_t)n, sizeof *g->tag, by_tag);
  for (int i = 1; i < n; i++)
    if (g->tag[i].tag == g->tag[i - 1].tag)
      return vvi_reader_fail(&g->r, "two nodes have the tag %llu", (unsigned long long)g->tag[i].tag);
  return true;
}

/* Nodes of an element by its type; 0: not known. */
static int nodes_of(int64_t type)
{
  static const unsigned char nodes[] = {0, 2,  3,  4,  4, 8,  6,  5,  3,  6,  9, 10, 27, 18, 14, 1,
                                        8, 20, 15, 13, 9, 10, 12, 15, 15, 21, 4, 5,  6,  20, 35, 56};
  if (type == 92 || type == 93) return type == 92 ? 64 : 125;
  return type > 0 && type < VV_COUNT(nodes) ? nodes[type] : 0;
}

static bool put_corner(gmsh *g, uint64_t tag)
{
  const tagged key = {.tag = tag};
  const tagged *hit = g->r.nodes > 0 ? bsearch(&key, g->tag, (size_t)g->r.nodes, sizeof key, by_tag) : NULL;
  if (hit == NULL)
    return vvi_reader_fail(&g->r, "a face has a node with the tag %llu, which is not listed", (unsigned long long)tag);
  return vvi_reader_corner(&g->r, hit->node);
}

static bool read_element_block(gmsh *g)
{
  enum { TRIANGLE = 2, QUADRILATERAL = 3 };
  int64_t dimension, entity, type;
  uint64_t count, tag;
  if (!take_int(g, &dimension) || !take_int(g, &entity) || !take_int(g, &type) || !take_size(g, &count)) return false;
  const int nodes = nodes_of(type);
  if (nodes == 0) return vvi_reader_fail(&g->r, "elements of type %lld are not known", (long long)type);
  const bool face = type == TRIANGLE || type == QUADRILATERAL;
  if (dimension == 2 && !face)
    return vvi_reader_fail(&g->r, "faces of type %lld are not flat; mesh the surface with order 1", (long long)type);
  for (uint64_t i = 0; i < count; i++) {
    if (!take_size(g, &tag)) return false;
    for (int k = 0; k < nodes; k++)
      if (!take_size(g, &tag) || (face && !put_corner(g, tag))) return false;
    if (face && !vvi_reader_polygon(&g->r)) return false;
  }
  return true;
}

static bool read_elements(gmsh *g)
{
  uint64_t count[4];
  if (!g->nodes) return vvi_reader_fail(&g->r, "the elements stand before the nodes; save the file anew");
  if (g->elements) return vvi_reader_fail(&g->r, "a second section of elements; save the file anew");
  g->elements = true;
  if (!take_counts(g, count)) return false;
  for (uint64_t b = 0; b < count[0]; b++)
    if (!read_element_block(g)) return false;
  return true;
}

/* To behind the line "$EndName" of the section `name` ("$Name"); binary data may stand between. */
static bool skip_to_end(gmsh *g, const char *name)
{
  vvi_mesh_reader *r = &g->r;
  const size_t n = strlen(name) - 1;
  for (const unsigned char *at; (at = memchr(r->at, '$', (size_t)(r->end - r->at))) != NULL;) {
    for (; r->at < at; r->at++) r->line += *r->at == '\n';
    r->at++;
    if ((size_t)(r->end - r->at) < 3 + n || memcmp(r->at, "End", 3) != 0 || memcmp(r->at + 3, name + 1, n) != 0)
      continue;
    vvi_reader_next_line(r);
    return true;
  }
  return vvi_reader_fail(r, "a section has no end; is the file complete?");
}

static bool read_section(gmsh *g, const char *name)
{
  vvi_mesh_reader *r = &g->r;
  if (name[0] != '$' || name[1] == '\0')
    return vvi_reader_fail(r, "column %d: a section must begin here, such as $Nodes", vvi_reader_column(r));
  const bool nodes = strcmp(name, "$Nodes") == 0, elements = strcmp(name, "$Elements") == 0;
  if ((nodes || elements) && !g->format) return vvi_reader_fail(r, "the file must begin with $MeshFormat");
  bool good = true;
  if (nodes || elements) vvi_reader_next_line(r);
  if (strcmp(name, "$MeshFormat") == 0)
    good = read_format(g);
  else if (nodes)
    good = read_nodes(g);
  else if (elements)
    good = read_elements(g);
  return good && skip_to_end(g, name);
}

vv_status vvi_mesh_parse_gmsh(vvi_arena *arena, const char *name, const void *bytes, size_t size, vvi_mesh *out,
                              char why[VVI_MESH_WHY])
{
  gmsh g = {.r = vvi_reader_open(name, bytes, size, why)};
  vvi_arena scratch = {0};
  vvi_mesh raw;
  char word[VVI_WORD];
  vvi_locale locale = vvi_locale_enter();
  while (vvi_reader_any_word(&g.r, word) && read_section(&g, word)) continue;
  vvi_locale_leave(&locale);
  free(g.tag);
  *out = (vvi_mesh){0};
  vv_status status = vvi_reader_close(&g.r, &scratch, &raw);
  if (status == VV_OK) status = vvi_mesh_drop_unused(arena, &raw, out, why);
  vvi_arena_free(&scratch);
  return status;
}
