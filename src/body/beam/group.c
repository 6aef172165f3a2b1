/* body/beam/group.c  Places of beams moved by tangent vectors, for methods on Lie groups.                       [beam 82] */
#include "body/beam/beam.h"

#include "math/so3.h"

static void move(const vv_block *b, const double *q0, const double *u, double *q)
{
  for (int64_t i = 0; i < b->nodes; i++) {
    double x[3], frame[9], t[3], turn[9], turned[9];
    beam_get(b, q0, i, x, frame);
    for (int c = 0; c < 3; c++) x[c] += u[(BEAM_P + c) * b->column + i], t[c] = u[(BEAM_S + c) * b->column + i];
    vvi_exp(t, turn);
    vvi_mul33(turn, frame, turned);
    beam_put(b, q, i, x, turned);
  }
}

static void rate(const vv_block *b, const double *u, const double *q, const double *p, double *k)
{
  for (int64_t i = 0; i < b->nodes; i++) {
    vv_mover m;
    double t[3], one[3], two[3];
    beam_mover(b, i, q, p, &m);
    for (int c = 0; c < 3; c++) t[c] = u[(BEAM_S + c) * b->column + i];
    vvi_cross3(t, m.spin, one);
    vvi_cross3(t, one, two);
    for (int c = 0; c < 3; c++) {
      k[(BEAM_P + c) * b->column + i] = m.velocity[c];
      k[(BEAM_S + c) * b->column + i] = m.spin[c] - 0.5 * one[c] + two[c] / 12.0;
    }
  }
}

const vv_lie_table beam_lie = {move, rate};
