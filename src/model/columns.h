/* model/columns.h  What contact reads of a state, wherever its columns are.
 *
 * q, p and f of a block are columns, and where they live is the block's affair.  Contact asks for nodes, bounds and copies here
 * and through the tables of the kinds (movers, scatter), and never reads a column itself: tools/check_rooms.py looks.
 * q, p, f are those of the whole state. */
#pragma once
#include "model/model.h"

/* ---- one node ---- */

enum { VVI_NODE_P = 6 }; /* momenta of a node, at most */

/* Its momenta, or what has their columns (forces); returns how many, the others are zero. */
static inline int vvi_node_momenta(const vv_block *b, int64_t node, const double *p, double out[VVI_NODE_P])
{
  const double *at = p + b->p0 + node;
  for (int c = 0; c < VVI_NODE_P; c++) out[c] = c < b->kind->node_p ? at[c * b->column] : 0.0;
  return b->kind->node_p;
}

static inline void vvi_node_put(const vv_block *b, int64_t node, const double in[VVI_NODE_P], double *p)
{
  double *at = p + b->p0 + node;
  for (int c = 0; c < b->kind->node_p; c++) at[c * b->column] = in[c];
}

/* The place of a node of a flat kind, in columns of its block alone. */
static inline void vvi_place_put(const vv_block *b, int64_t node, const double x[3], double *q)
{
  for (int c = 0; c < 3; c++) q[c * b->column + node] = x[c];
}

/* It sets out alone, from q and p + h f, in columns for flights; f NULL: no force. */
void vvi_node_sets_out(const vv_block *b, int64_t node, double h, const double *q, const double *p, const double *f,
                       double *to_q, double *to_p);

/* ---- some nodes ---- */

typedef enum vvi_columns { VVI_PLACES, VVI_MOMENTA } vvi_columns;

/* Reals of a block: all its columns. */
static inline int64_t vvi_block_reals(const vv_block *b, vvi_columns which)
{
  return (which == VVI_PLACES ? b->kind->node_q : b->kind->node_p) * b->column;
}

/* All nodes of a block that this rank moves, or n of them (node not NULL): copied; y += a x, of momenta, or 0 where x is NULL. */
void vvi_nodes_copy(const vv_block *b, vvi_columns which, int64_t n, const int32_t *node, const double *from,
                    double *to);
void vvi_nodes_axpy(const vv_block *b, int64_t n, const int32_t *node, double a, const double *x, double *y);

/* Of the momenta of a model: those that this rank moves. */
void vvi_momenta_axpy(const vv_model *m, double a, const double *x, double *y);
void vvi_momenta_zero(const vv_model *m, double *x);

/* The first three columns of the nodes from `first` on. */
typedef struct vvi_place_columns {
  const double *x, *y, *z;
} vvi_place_columns;
static inline vvi_place_columns vvi_places_from(const vv_block *b, int64_t first, const double *q)
{
  const double *x = q + b->q0 + first;
  return (vvi_place_columns){x, x + b->column, x + 2 * b->column};
}

/* ---- a whole state ---- */

/* Two arrays of n reals. */
typedef struct vvi_twin {
  const double *a, *b;
  int64_t n;
} vvi_twin;
/* Are all of them the same, bit for bit? */
bool vvi_twins_equal(int threads, int n, const vvi_twin *twin);

/* ---- points: nodes of a flat kind, x = q ---- */

/* Those of a block from a first one on; f may be NULL where nothing is asked ahead. */
typedef struct vvi_points {
  const double *q, *f;
  double *p;
  int64_t column;
} vvi_points;
vvi_points vvi_points_of(const vv_block *b, int64_t first, const double *q, double *p, const double *f);

static inline void vvi_point_place(const vvi_points *k, int64_t i, double x[3])
{
  for (int c = 0; c < 3; c++) x[c] = k->q[c * k->column + i];
}

/* x + h (p + h/2 f)/m, from x on. */
static inline void vvi_point_fly(const vvi_points *k, int64_t i, double h, double inverse, double x[3])
{
  const double w = h * inverse;
  for (int c = 0; c < 3; c++) x[c] += w * (k->p[c * k->column + i] + 0.5 * h * k->f[c * k->column + i]);
}

/* The same with these momenta. */
static inline void vvi_point_fly_with(const vvi_points *k, int64_t i, double h, double inverse, const double p[3],
                                      double x[3])
{
  const double w = h * inverse;
  for (int c = 0; c < 3; c++) x[c] += w * (p[c] + 0.5 * h * k->f[c * k->column + i]);
}

/* bounds: the box (low, high) of h (p + h/2 f)/m over n of them. */
void vvi_points_bounds(const vvi_points *k, int64_t first, int64_t n, double h, const double *inverse, double box[6]);
/* gather: where n of them are, and will be: x[n][3], y[n][3]. */
void vvi_points_gather(const vvi_points *k, int64_t first, int64_t n, double h, const double *inverse, double *x,
                       double *y);
/* What is read of a point to see where it will be, told to another rank and taken there: x and p + h/2 f.  There the sum stands for
 * p, and f is 0: x + h (p + h/2 f)/m has the same bits. */
enum { VVI_POINT_FLIGHT = 6 };
void vvi_point_flight(const vvi_points *k, int64_t i, double h, double row[VVI_POINT_FLIGHT]);
void vvi_point_take_flight(const vvi_points *k, int64_t i, const double row[VVI_POINT_FLIGHT]);
/* What is read of a point, to be told to another rank, and taken from it: q, p, f. */
enum { VVI_POINT_ROW = 9 };
void vvi_point_read(const vvi_points *k, int64_t i, double row[VVI_POINT_ROW]);
void vvi_point_write(const vvi_points *k, int64_t i, const double row[VVI_POINT_ROW]);
