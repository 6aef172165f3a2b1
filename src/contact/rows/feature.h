/* contact/rows/feature.h  Rows of one pair of features, whatever carries their vertices.
 *
 * A row H is one vector per vertex; sum H_k.v_k is a speed of the pair, H an impulse on it.  Vertices hang on movers: the row
 * becomes a force and a moment G on each, and the inverse mass seen by the pair is G.M^-1 G.              [sheets 5, 6] */
#pragma once
#include "contact/sheets.h"

enum { VVI_ROW_PARTS = 80 }; /* four vertices, each a sum of up to 20 movers */

typedef struct vvi_row_part {
  int32_t mover;              /* of the search */
  double force[3], moment[3]; /* of a unit impulse; what is held takes no part */
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
typedef struct vvi_feature_pair {
  int vertices, first; /* of all; of the side that gets the impulse */
  int32_t vertex[4];
  double c[4], n[3];
  double x[4][3]; /* of the vertices now */
  double mass[4]; /* that the rows are balanced with; 0: fixed, no balance */
  vvi_row normal;
} vvi_feature_pair;

/* H_k = c_k t + m_k w x r_k without total force and moment at x; the side of the `first` points gets t, the other -t.  False: the
 * points leave no such row. */
bool vvi_torque_free(int n, int first, const double x[4][3], const double mass[4], const double c[4], const double t[3],
                     double h[4][3]);
/* The same for all t at once: w = turn t, and the arms r_k; its transpose is what the motion of the points has of it. */
void vvi_torque_free_turn(int n, int first, const double x[4][3], const double mass[4], const double c[4],
                          double r[4][3], double turn[9]);
/* Masses of the balance, all 0 where some vertex is fixed.  False: nothing can move. */
bool vvi_sheet_masses(const vvi_sheet_motion *m, int n, const int32_t vertex[4], double mass[4]);
/* The row along n and, where rub is not NULL, two across where friction acts (n < 0: none).  given: the row along n, one vector
 * per vertex; NULL: from weights and normal.  False: nothing can move along it. */
bool vvi_feature_rows(const vvi_sheet_motion *m, vvi_feature_pair *k, const double given[4][3], const double t[2][3],
                      vvi_row *rub);
