/* model/table.h  Small text tables of numbers that a scene names: a head line of column names, then one line per row.
 *
 * Between fields: blanks, tabs, one comma or one semicolon.  '#' starts a comment, empty lines are skipped, lines may
 * end in CR LF, the last one in nothing.  The path counts from the folder of the scene. */
#pragma once
#include "visviva/fields.h"

enum { VVI_TABLE_COLUMNS = 32, VVI_TABLE_NAME = 16 };

typedef struct vvi_columns {
  int columns;
  int64_t rows;
  double *value; /* [rows][columns] */
  int64_t *line; /* [rows] line of the file it stands in, from 1 */
  char name[VVI_TABLE_COLUMNS][VVI_TABLE_NAME];
} vvi_columns;

/* Reads the file that the text field `name` of g gives.  `known`: column names that may occur, "x|y|z".  Every fault is
 * a complaint about that field, with the file, the line and a remedy; after one the table is empty. */
vv_status vvi_columns_read(const vv_group *g, const char *name, const char *known, vvi_columns *out);
void vvi_columns_free(vvi_columns *t);
int vvi_columns_column(const vvi_columns *t, const char *name); /* -1: none */

static inline double vvi_columns_at(const vvi_columns *t, int64_t row, int column)
{
  return t->value[row * t->columns + column];
}
