/* io/results/read.h  Reads a result folder back: tables, frames, summary. */
#pragma once
#include "io/results/h5.h"

/* A CSV table by columns.  '#' lines are skipped; words read as NaN and are kept beside; a last row without its line end
 * (a run that was killed) is left out. */
typedef struct vvi_table {
  int64_t rows;
  int columns;
  char **name;    /* [columns] */
  char **unit;    /* [columns] empty where the file names none */
  double **value; /* [columns][rows] */
  char ***word;   /* [columns][rows] cells that are no numbers, NULL elsewhere; NULL for a column of numbers */
} vvi_table;

vv_status vvi_table_read(vv_ctx *ctx, vvi_arena *arena, const char *path, vvi_table *out);
const double *vvi_table_column(const vvi_table *t, const char *name); /* NULL: none */
const char *vvi_table_unit(const vvi_table *t, const char *name);     /* "": none */

/* A whole file as text, NUL at its end; NULL when it cannot be read. */
char *vvi_text_read(vvi_arena *arena, const char *path, size_t *bytes);

/* results.h5, opened for reading. */
typedef struct vvi_run {
  vvi_h5 h5;
  int64_t frames;
  double *time;  /* [frames] */
  int64_t *step; /* [frames] */
  int n_body;
  char **body; /* [n_body] group names, in the order of the scene */
} vvi_run;

vv_status vvi_run_open(vv_ctx *ctx, vvi_arena *arena, const char *folder, vvi_run *out);
vv_status vvi_run_close(vvi_run *run);
/* How many nodes (or elements) and components a field has; 0 nodes when the body does not have it. */
void vvi_run_shape(vvi_run *run, int body, const char *field, int64_t *count, int *components);
/* frames [f0, f0+nf) of values [i0, i0+ni): out[nf][ni][components] */
vv_status vvi_run_read(vvi_run *run, int body, const char *field, int64_t f0, int64_t nf, int64_t i0, int64_t ni,
                       double *out);
/* Points of the skin of a body, [points][3]; 0 points when it has none. */
vv_status vvi_run_skin(vvi_run *run, vvi_arena *arena, int body, int64_t *points, double **point);
/* Its elements where they are triangles, [triangles][3] nodes; 0 triangles when they are not. */
vv_status vvi_run_triangles(vvi_run *run, vvi_arena *arena, int body, int64_t *triangles, int64_t **triangle);
