/* geom/mesh/ply.c  PLY, text and binary of both byte orders.
 *
 * The head declares elements, each with properties that are numbers or lists; of these x, y, z of `vertex` and the list
 * vertex_indices (or vertex_index) of `face` are read, all others passed over. */
#include "geom/mesh/reader.h"

#include <string.h>

enum { MOST_ELEMENTS = 32, MOST_PROPERTIES = 64 };

typedef struct number_type {
  char name[2][8];
  int width;
  bool real, negative;
} number_type;

static const number_type types[] = {
    {{"char", "int8"}, 1, false, true},    {{"uchar", "uint8"}, 1, false, false},
    {{"short", "int16"}, 2, false, true},  {{"ushort", "uint16"}, 2, false, false},
    {{"int", "int32"}, 4, false, true},    {{"uint", "uint32"}, 4, false, false},
    {{"float", "float32"}, 4, true, true}, {{"double", "float64"}, 8, true, true},
};

typedef struct property {
  const number_type *count; /* of a list; NULL: one number */
  const number_type *value;
  int use; /* vertex: 0 1 2 for x y z; face: 0 for the corners; -1: passed over */
} property;

typedef enum element_kind { VERTEX, FACE, OTHER } element_kind;

typedef struct element {
  element_kind kind;
  int64_t count;
  int properties;
  property property[MOST_PROPERTIES];
} element;

typedef struct head {
  int elements;
  element element[MOST_ELEMENTS];
} head;

/* ---- head ---- */

static const number_type *find_type(vvi_mesh_reader *r)
{
  char word[VVI_WORD] = "";
  if (vvi_reader_word(r, word))
    for (int i = 0; i < VV_COUNT(types); i++)
      if (strcmp(word, types[i].name[0]) == 0 || strcmp(word, types[i].name[1]) == 0) return types + i;
  vvi_reader_fail(
      r, "no such type of numbers in column %d; PLY knows char, uchar, short, ushort, int, uint, float, double",
      vvi_reader_column(r));
  return NULL;
}

static bool read_format(vvi_mesh_reader *r, bool *text)
{
  char word[VVI_WORD] = "", version[VVI_WORD] = "";
  vvi_reader_word(r, word);
  vvi_reader_word(r, version);
  *text = strcmp(word, "ascii") == 0;
  r->big = strcmp(word, "binary_big_endian") == 0;
  if (!*text && !r->big && strcmp(word, "binary_little_endian") != 0)
    return vvi_reader_fail(r, "no such format; it is ascii, binary_little_endian or binary_big_endian");
  return strcmp(version, "1.0") == 0 || vvi_reader_fail(r, "this version of PLY is not known; save as 1.0");
}

static bool read_element(vvi_mesh_reader *r, head *h)
{
  char name[VVI_WORD] = "", word[VVI_WORD] = "";
  if (h->elements == MOST_ELEMENTS) return vvi_reader_fail(r, "more than %d kinds of elements", MOST_ELEMENTS);
  element *e = h->element + h->elements++;
  vvi_reader_word(r, name);
  vvi_reader_word(r, word);
  if (r->status != VV_OK || !vvi_reader_integer(r, word, &e->count)) return false;
  if (e->count < 0) return vvi_reader_fail(r, "%lld elements; the number cannot be negative", (long long)e->count);
  e->kind = strcmp(name, "vertex") == 0 ? VERTEX : strcmp(name, "face") == 0 ? FACE : OTHER;
  for (int i = 0; i + 1 < h->elements; i++)
    if (e->kind != OTHER && h->element[i].kind == e->kind)
      return vvi_reader_fail(r, "the element '%s' stands twice", e->kind == VERTEX ? "vertex" : "face");
  return true;
}

static int use_of(element_kind kind, const char *name, bool list)
{
  if (kind == VERTEX && !list && name[1] == '\0' && name[0] >= 'x' && name[0] <= 'z') return name[0] - 'x';
  if (kind == FACE && list && (strcmp(name, "vertex_indices") == 0 || strcmp(name, "vertex_index") == 0)) return 0;
  return -1;
}

/* "property float x" or "property list uchar int vertex_indices" */
static bool read_property(vvi_mesh_reader *r, head *h)
{
  char word[VVI_WORD] = "";
  if (h->elements == 0) return vvi_reader_fail(r, "a property before the first element");
  element *e = h->element + h->elements - 1;
  if (e->properties == MOST_PROPERTIES) return vvi_reader_fail(r, "more than %d properties", MOST_PROPERTIES);
  const unsigned char *back = r->at;
  property *p = e->property + e->properties++;
  const bool list = vvi_reader_word(r, word) && strcmp(word, "list") == 0;
  if (!list) r->at = back;
  p->count = list ? find_type(r) : NULL;
  if (list && p->count == NULL) return false;
  p->value = find_type(r);
  if (p->value == NULL) return false;
  if (!vvi_reader_word(r, word)) return vvi_reader_fail(r, "a property without a name");
  p->use = use_of(e->kind, word, list);
  if (list && p->count->real) return vvi_reader_fail(r, "the length of a list must be a whole number");
  if (e->kind == FACE && p->use == 0 && p->value->real)
    return vvi_reader_fail(r, "corners of faces must be whole numbers");
  return true;
}

static bool check_head(vvi_mesh_reader *r, const head *h)
{
  int seen[2][3] = {{0}};
  for (int i = 0; i < h->elements; i++)
    for (int k = 0; k < h->element[i].properties && h->element[i].kind != OTHER; k++)
      if (h->element[i].property[k].use >= 0) seen[h->element[i].kind][h->element[i].property[k].use]++;
  if (seen[VERTEX][0] != 1 || seen[VERTEX][1] != 1 || seen[VERTEX][2] != 1)
    return vvi_reader_fail(r, "the element 'vertex' must have the properties x, y and z, each once");
  return seen[FACE][0] == 1 ||
         vvi_reader_fail(r, "the element 'face' must have one list 'vertex_indices'; save a surface with faces");
}

/* The lines up to end_header; *text: the data are text. */
static bool read_head(vvi_mesh_reader *r, head *h, bool *text)
{
  char word[VVI_WORD];
  bool format = false;
  while (vvi_reader_next_line(r)) {
    if (!vvi_reader_word(r, word)) {
      if (r->status != VV_OK) return false;
      continue;
    }
    if (strcmp(word, "comment") == 0 || strcmp(word, "obj_info") == 0) continue;
    bool good = true;
    if (strcmp(word, "format") == 0)
      good = format = read_format(r, text);
    else if (strcmp(word, "element") == 0)
      good = read_element(r, h);
    else if (strcmp(word, "property") == 0)
      good = read_property(r, h);
    else if (strcmp(word, "end_header") == 0) {
      if (!format) return vvi_reader_fail(r, "the head has no line 'format'");
      return check_head(r, h);
    } else
      good = vvi_reader_fail(r, "no such word in the head: column %d", vvi_reader_column(r));
    if (!good) return false;
  }
  return vvi_reader_fail(r, "the head has no end; is the file complete?");
}

/* ---- numbers of the body: words of a line, or bytes ---- */

static bool take_real(vvi_mesh_reader *r, const number_type *type, double *out)
{
  if (!r->binary) {
    char word[VVI_WORD];
    if (!vvi_reader_word(r, word)) return vvi_reader_fail(r, "a number is missing; each element stands on a line");
    return vvi_reader_number(r, word, out);
  }
  const unsigned char *from = vvi_reader_take(r, (size_t)type->width);
  if (from == NULL) return false;
  if (type->real) {
    *out = vvi_bytes_real(from, type->width, r->big);
    return true;
  }
  const uint64_t v = vvi_bytes_unsigned(from, type->width, r->big), sign = UINT64_C(1) << (8 * type->width - 1);
  *out = type->negative && (v & sign) != 0 ? (double)v - 2.0 * (double)sign : (double)v;
  return true;
}

/* Of at most 4 bytes: a double holds it. */
static bool take_whole(vvi_mesh_reader *r, const number_type *type, int64_t *out)
{
  if (!r->binary) {
    char word[VVI_WORD];
    if (!vvi_reader_word(r, word)) return vvi_reader_fail(r, "a number is missing; each element stands on a line");
    return vvi_reader_integer(r, word, out);
  }
  double v;
  if (!take_real(r, type, &v)) return false;
  *out = (int64_t)v;
  return true;
}

/* What is passed over need not be finite. */
static bool skip_one(vvi_mesh_reader *r, const number_type *type)
{
  if (r->binary) return vvi_reader_take(r, (size_t)type->width) != NULL;
  char word[VVI_WORD];
  return vvi_reader_word(r, word) || vvi_reader_fail(r, "a number is missing; each element stands on a line");
}

static bool read_list(vvi_mesh_reader *r, const property *p, bool corners)
{
  int64_t n = 0, node = 0;
  if (!take_whole(r, p->count, &n)) return false;
  if (n < 0) return vvi_reader_fail(r, "a list of %lld entries", (long long)n);
  for (int64_t i = 0; i < n; i++) {
    if (!corners) {
      if (!skip_one(r, p->value)) return false;
    } else if (!take_whole(r, p->value, &node) || !vvi_reader_corner(r, node))
      return false;
  }
  return !corners || vvi_reader_polygon(r);
}

static bool read_one(vvi_mesh_reader *r, const element *e)
{
  double x[3] = {0};
  for (int k = 0; k < e->properties; k++) {
    const property *p = e->property + k;
    bool good;
    if (p->count != NULL)
      good = read_list(r, p, e->kind == FACE && p->use == 0);
    else if (e->kind == VERTEX && p->use >= 0)
      good = take_real(r, p->value, x + p->use);
    else
      good = skip_one(r, p->value);
    if (!good) return false;
  }
  return e->kind != VERTEX || vvi_reader_node(r, x);
}

/* The next line with something on it. */
static bool find_line(vvi_mesh_reader *r)
{
  char word[VVI_WORD];
  while (r->status == VV_OK && vvi_reader_next_line(r)) {
    const unsigned char *back = r->at;
    if (!vvi_reader_word(r, word) || strcmp(word, "comment") == 0) continue;
    r->at = back;
    return true;
  }
  return vvi_reader_fail(r, "the file ends before its last element; is it complete?");
}

static bool read_elements(vvi_mesh_reader *r, const element *e)
{
  char word[VVI_WORD];
  for (int64_t i = 0; e->properties > 0 && i < e->count; i++) {
    if (!r->binary && !find_line(r)) return false;
    if (!read_one(r, e)) return false;
    if (!r->binary && vvi_reader_word(r, word))
      return vvi_reader_fail(r, "more on this line than the head declares: column %d", vvi_reader_column(r));
  }
  return r->status == VV_OK;
}

vv_status vvi_mesh_parse_ply(vvi_arena *arena, const char *name, const void *bytes, size_t size, vvi_mesh *out,
                             char why[VVI_MESH_WHY])
{
  vvi_mesh_reader r = vvi_reader_open(name, bytes, size, why);
  head h = {0};
  char word[VVI_WORD];
  bool text = true;
  vvi_locale locale = vvi_locale_enter();
  bool good = vvi_reader_word(&r, word) && strcmp(word, "ply") == 0;
  if (!good) vvi_reader_fail(&r, "a PLY file begins with the line 'ply'");
  good = good && read_head(&r, &h, &text);
  if (good && !text) {
    vvi_reader_next_line(&r);
    r.binary = true;
  }
  for (int i = 0; good && i < h.elements; i++) good = read_elements(&r, h.element + i);
  vvi_locale_leave(&locale);
  return vvi_reader_close(&r, arena, out);
}
