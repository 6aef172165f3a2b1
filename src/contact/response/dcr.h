/* contact/response/dcr.h  Decomposition response of one pair of features, whatever carries their vertices.
 *
 * A row H is one vector per vertex; sum H_k.v_k is a speed of the pair, H an impulse on it.  Vertices hang on movers: the row
 * becomes a force and a moment G on each, and the inverse mass seen by the pair is G.M^-1 G.  The momentum splits into the
 * normal part, the sliding part and what is left alone; at a frozen configuration                          [sheets 5, 6]
 *   p+ = p + l G_n + j_1 G_1 + j_2 G_2,    dK = l (u- + u+)/2 for each part. */
#pragma once
#include "contact/sheets.h"

enum { VVI_ROW_PARTS = 80 }; /* four vertices, each a sum of up to 20 movers */

typedef struct vvi_row_part {
  int32_t mover;
  double force[3], moment[3]; /* of a unit impulse; what is held takes no part */
  double dv[3], dw[3];        /* and the velocities it brings */
} vvi_row_part;

typedef struct vvi_row {
  int n;
  double inverse;          /* 1/kg: G.M^-1 G */
  double outside[3], x[3]; /* force that supports and fixed bodies take of a unit impulse, and its moment */
  bool open;               /* there is such */
  double given;            /* speed along it of what is held but driven */
  vvi_row_part part[VVI_ROW_PARTS];
} vvi_row;

/* Contact of a pair: vertices, weights and normal in; rows at the present configuration. */
typedef struct vvi_dcr {
  int vertices;
  int32_t vertex[4];
  double c[4], n[3];
  double x[4][3]; /* of the vertices now */
  double mass[4]; /* that the rows are balanced with; 0: fixed, no balance */
  vvi_row normal;
  double speed; /* along n, before */
} vvi_dcr;

/* Solves A x = b, A = xx yy zz yz xz xy positive; false: it is singular. */
bool vvi_solve_symmetric(const double a[6], const double b[3], double x[3]);
/* H_k = c_k t + m_k w x r_k without total force and moment at x.  False: the points leave no such row. */
bool vvi_torque_free(int n, const double x[4][3], const double mass[4], const double c[4], const double t[3],
                     double h[4][3]);
/* Rows of a pair from weights and normal; false: nothing can move along it. */
bool vvi_dcr_prepare(const vvi_sheet_motion *m, vvi_dcr *k);
/* And two rows across, of what friction does where it acts; rub NULL: none. */
bool vvi_dcr_rows(const vvi_sheet_motion *m, vvi_dcr *k, const double t[2][3], vvi_row *rub);
/* The same with a given row h, of one vector per vertex. */
bool vvi_dcr_prepare_row(const vvi_sheet_motion *m, vvi_dcr *k, const double h[4][3]);
double vvi_row_speed(const vvi_sheet_motion *m, const vvi_row *r);        /* G.v */
double vvi_row_acceleration(const vvi_sheet_motion *m, const vvi_row *r); /* G.M^-1 f */
/* p += l G; what did not arrive is an impulse from outside. */
void vvi_row_apply(vvi_sheet_motion *m, const vvi_row *r, double l, vv_posted *post);
/* Which sliding is stopped: that of now, that of the coming drift as far as this brings no energy, or all of that. */
typedef enum vvi_sliding { VVI_RUB_NOW, VVI_RUB_AHEAD, VVI_RUB_STILL } vvi_sliding;
/* Coulomb: what stops the sliding, cut to the disc of radius `limit`.  j: what friction has given the pair so far, a vector
 * in space; after: in all.  Returns the energy lost, *slide: the size of what was added. */
double vvi_dcr_rub(vvi_sheet_motion *m, const vvi_dcr *k, double limit, vvi_sliding how, double j[3], double *slide,
                   vv_posted *post);
