/* tests/mixed/scenes.h  Stacks of two and three bodies of every kind, and the scenes that once broke the books.
 *
 * A stack is written top first: "ball,shell,floor e=0.5 mu=0 heavy" is a ball that falls on a plate above a floor.  Masses are
 * 1 kg and 1e-4 kg in turn: `heavy` begins with 1 kg at the top, `light` with 1e-4 kg.  All bodies have waves of one speed, so
 * that all scenes have one step; they come within a few tens of steps of each other, and are pressed for hundreds. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum mixed_kind {
  MIXED_BAR,
  MIXED_ROUND,
  MIXED_CORNERED,
  MIXED_SHELL,
  MIXED_BALL,
  MIXED_BOX,
  MIXED_KINDS
} mixed_kind;

enum { MIXED_BODIES = 3, MIXED_TEXT = 4096, MIXED_NAME = 96 };

/* What the geometry of the test needs to know of a body: its kind and its sizes. */
typedef struct mixed_shape {
  mixed_kind kind;
  double radius;  /* m: round beam, ball */
  double half[3]; /* m: cornered beam along d1, d2; box */
  double mass;    /* kg, as written */
} mixed_shape;

typedef struct mixed_scene {
  char name[MIXED_NAME], text[MIXED_TEXT];
  int n; /* bodies that move, top first; body i of the model is shape[i] */
  mixed_shape shape[MIXED_BODIES];
  bool floor; /* the plane z = 0, the last body */
  double restitution, friction;
  double gravity; /* m/s^2, downwards */
  double step;    /* s */
  int64_t steps;
} mixed_scene;

typedef struct mixed_words {
  int n;
  mixed_kind kind[MIXED_BODIES]; /* top first */
  bool floor;
  double restitution, friction;
  int first; /* 1: heavy at the top, -1: light at the top, 0: all of 1 kg */
} mixed_words;

/* false: not such words */
bool mixed_read(const char *text, mixed_words *out);
void mixed_stack(const mixed_words *words, mixed_scene *out);

/* The scenes of the verdict: A, B, C, D, plate. */
enum { MIXED_NAMED = 5 };
void mixed_named(int i, mixed_scene *out);
