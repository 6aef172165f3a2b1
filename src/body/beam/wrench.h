/* body/beam/wrench.h  What an element does to its two nodes, with a first variation.  (vary.c) */
#pragma once
#include "body/beam/beam.h"

/* A vector and its variation. */
typedef struct pair3 {
  double v[3], d[3];
} pair3;

/* A frame and how it turns. */
typedef struct turning {
  double at[9], t[3];
} turning;

typedef struct element_wrench {
  pair3 force, left, right; /* on the left node; torques on both */
} element_wrench;

/* D: from the left node to the right one.                                                                 [beam 1-4, 50, 51] */
element_wrench beam_wrench(const beam_body *k, const pair3 *D, const turning *a, const turning *b);
element_wrench beam_exp_wrench(const beam_body *k, const pair3 *D, const turning *a, const turning *b);
