/* geom/mesh/reader.h  What the readers of mesh files share: a place in the bytes, numbers, messages, nodes and polygons. */
#pragma once
#include "geom/mesh/inside.h"

typedef struct vvi_mesh_reader {
  const char *name; /* of the file, for messages */
  const unsigned char *begin, *at, *end;
  const unsigned char *word; /* the one read last */
  int line;                  /* being read, from 1 */
  bool binary;               /* messages tell the byte, not the line */
  bool big;                  /* big-endian numbers */
  int first_node;            /* nodes of the file count from here: 0 or 1 */
  vv_status status;
  char *why; /* [VVI_MESH_WHY] */

  /* read so far; grows by malloc */
  int nodes, room_nodes;
  double *x; /* [nodes][3] */
  int polygons, room_polygons;
  int64_t corners, room_corners;
  int64_t *corner; /* [corners] nodes from 0 */
  int *corner_end; /* [polygons] into corner */
  int *line_of;    /* [polygons] */
} vvi_mesh_reader;

vvi_mesh_reader vvi_reader_open(const char *name, const void *bytes, size_t size, char why[VVI_MESH_WHY]);
/* The first message counts; returns false. */
bool vvi_reader_fail(vvi_mesh_reader *r, const char *format, ...) VV_PRINTF(2, 3);

/* ---- text ---- */

enum { VVI_WORD = 64 };
/* The next word of this line, cut off by blanks, copied with a zero behind.  false: the line ends here, or it failed:
 * a word of VVI_WORD bytes or more, or a zero byte. */
bool vvi_reader_word(vvi_mesh_reader *r, char word[VVI_WORD]);
/* The same, over the ends of lines. */
bool vvi_reader_any_word(vvi_mesh_reader *r, char word[VVI_WORD]);
bool vvi_reader_next_line(vvi_mesh_reader *r); /* false: that was the last */
bool vvi_reader_number(vvi_mesh_reader *r, const char *word, double *out);
bool vvi_reader_integer(vvi_mesh_reader *r, const char *word, int64_t *out);
bool vvi_same_word(const char *a, const char *b); /* whatever the case */
/* Column of the word read last, from 1: messages say where, and never show what stands in a file. */
int vvi_reader_column(const vvi_mesh_reader *r);

/* ---- bytes ---- */

/* `count` bytes from here, moved over; NULL and a message if the file ends before. */
const unsigned char *vvi_reader_take(vvi_mesh_reader *r, size_t count);
uint64_t vvi_bytes_unsigned(const unsigned char *from, int width, bool big);
double vvi_bytes_real(const unsigned char *from, int width, bool big); /* width 4 or 8 */

/* The size fits the number of facets at byte 80, whatever text the file begins with. */
bool vvi_stl_is_binary(const unsigned char *at, size_t size);

/* ---- what is read ---- */

bool vvi_reader_node(vvi_mesh_reader *r, const double x[3]); /* refuses what is not finite */
bool vvi_reader_corner(vvi_mesh_reader *r, int64_t node);    /* checked at the end: nodes may follow */
bool vvi_reader_polygon(vvi_mesh_reader *r);                 /* of the corners since the last one */
/* Checks the corners, cuts polygons into triangles, frees everything; the mesh lives in the arena. */
vv_status vvi_reader_close(vvi_mesh_reader *r, vvi_arena *arena, vvi_mesh *out);
