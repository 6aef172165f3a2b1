/* contact/island/work.h  Inside the island solver: contacts in scaled velocities.
 *
 * With M^-1 = W W^T for each mover (W lower), V = Vf + W s and s = (G W)^T J: the kinetic energy of what the contacts did is
 * |s|^2/2, and movers that do not turn, or move along some axes only, need no special care.                     [island 3]
 *   u = U+ - b = c + B s,   B = G W,   c = Uf - b,   s = B^T j
 * Vectors over movers have 3 numbers for a point and 6 for a frame; contacts have one row without friction and three with. */
#pragma once
#include "contact/friction/law.h"
#include "contact/island/island.h"
#include "contact/island/sparse.h"

enum { VVI_SHIFTS = 4 };  /* cone shifts remembered */
enum { VVI_MOVES = 100 }; /* what slides or opens so many times faster than what is left need not be nearer */

/* The share of one mover in a contact: rows x 3 or rows x 6 numbers of B. */
typedef struct vvi_part {
  int32_t mover, b; /* b: where its numbers begin */
} vvi_part;

typedef struct vvi_island_row {
  int32_t contact;
  int32_t rows;         /* 1: n; 3: n, t, t' */
  bool pulls;           /* of a joint */
  int32_t first, parts; /* into part */
  int32_t pair;         /* into pair: blocks of the matrix, (part 1, part 0), (2, 0), (2, 1), (3, 0) .. */
  vvi_friction friction;
  double c[3], j[3];
  double asked; /* b_n */
  double strict;
  double a[6];       /* own block B B^T: nn, tt, t't', tt', nt', nt */
  double mean;       /* a third of its trace; nn without friction */
  double inverse[4]; /* 1/nn; of the tangential block: tt, t't', tt' */
  double soft;       /* 1/largest eigenvalue of the tangential block */
} vvi_island_row;

/* One contact while Newton looks at it. */
typedef struct vvi_island_trial {
  double u[3], du[3]; /* at the iterate, along the direction; u with the shift */
  double p[3];        /* answer of the augmented law to u */
  double d[6];        /* -dp/du: nn, tt, t't', tt', nt', nt */
  double full[9];     /* the same for the law without shift, not symmetric, by rows */
  double kept[3];     /* the best impulses so far */
  double stiff;       /* K */
  /* mu |u_t| that makes the law associated, of this pass and those before, and what it was off after each pass */
  double shift[VVI_SHIFTS + 1], miss[VVI_SHIFTS + 1];
  int32_t touch, felt; /* vvi_touch of p, with and without shift; -1: not looked at */
} vvi_island_trial;

/* What the gradient method needs beside. */
typedef struct vvi_island_huge {
  int32_t most_rows, most_movers, most_parts; /* room */
  double (*x)[3], (*y)[3], (*next)[3];        /* [rows] impulses over their scales */
  double *scale;                              /* [rows] */
  double (*partial)[3];                       /* of each chunk of contacts */
  int32_t *first, *row, *part;                /* [movers + 1], [parts] parts by mover */
} vvi_island_huge;

struct vvi_island_work {
  vvi_arena *arena;
  /* of the island in work */
  int32_t movers, rows, parts;
  int64_t numbers, pairs;
  double speed, loose; /* of the problem */
  double load;         /* m/s: how fast contacts would close */
  double stuck;        /* m/s: how fast contacts close whose movers cannot move along n: no impulse helps */
  double far;          /* of the problem */
  bool rubs;           /* some contact has friction */
  double slow;         /* of the problem */
  double best;         /* m/s: how far the impulses kept are from the law */
  /* room */
  int32_t most_movers, most_rows, most_parts;
  int64_t most_numbers, most_pairs;
  /* movers */
  double (*root)[12]; /* [movers] W: translation, rotation; lower by rows xx yx yy zx zy zz */
  uint8_t *dim;       /* [movers] 3 or 6 */
  int32_t *at;        /* [movers + 1] where a mover begins in a vector */
  int32_t *mark;      /* [movers] the part a mover got last */
  double *s, *step, *way, *off;
  /* contacts */
  double *mean; /* [contacts] A, of the look at impulses as they are */
  vvi_island_row *row;
  vvi_island_trial *trial;
  vvi_part *part;
  double *b;
  int32_t *pair; /* number of a block, or its complement where it stands turned */
  vvi_sparse sparse;
  vvi_island_huge huge;
};

/* ---- sums over the parts of a contact; sizes are known where these are inlined ---- */

typedef double vvi_two_ __attribute__((vector_size(2 * sizeof(double)), aligned(sizeof(double)), may_alias));
typedef double vvi_four_ __attribute__((vector_size(4 * sizeof(double)), aligned(sizeof(double)), may_alias));

/* Six numbers as four and two; their sum in an order that vectors have. */
static VVI_INLINE double vvi_dot6_(const double *b, const double *s)
{
  const vvi_four_ a = *(const vvi_four_ *)b * *(const vvi_four_ *)s;
  const vvi_two_ c = *(const vvi_two_ *)(b + 4) * *(const vvi_two_ *)(s + 4);
  const vvi_two_ sum = (vvi_two_){a[0], a[1]} + (vvi_two_){a[2], a[3]} + c;
  return sum[0] + sum[1];
}

static VVI_INLINE void vvi_part_see_(int rows, int n, const double *restrict b, const double *restrict s, double u[3])
{
  for (int k = 0; k < rows; k++)
    u[k] += n == 6 ? vvi_dot6_(b + 6 * k, s) : b[3 * k] * s[0] + b[3 * k + 1] * s[1] + b[3 * k + 2] * s[2];
}

static VVI_INLINE void vvi_part_push_(int rows, int n, const double *restrict b, const double j[3], double *restrict s)
{
  if (n == 6) {
    vvi_four_ x = *(const vvi_four_ *)b * j[0];
    vvi_two_ y = *(const vvi_two_ *)(b + 4) * j[0];
    for (int k = 1; k < rows; k++)
      x += *(const vvi_four_ *)(b + 6 * k) * j[k], y += *(const vvi_two_ *)(b + 6 * k + 4) * j[k];
    *(vvi_four_ *)s += x, *(vvi_two_ *)(s + 4) += y;
    return;
  }
  for (int c = 0; c < n; c++) {
    double sum = b[c] * j[0];
    for (int k = 1; k < rows; k++) sum += b[n * k + c] * j[k];
    s[c] += sum;
  }
}

/* u += B s */
static VVI_INLINE void vvi_row_see(const vvi_island_work *w, const vvi_island_row *r, const double *s, double u[3])
{
  for (int32_t e = r->first; e < r->first + r->parts; e++) {
    const int32_t m = w->part[e].mover;
    const double *b = w->b + w->part[e].b, *sm = s + w->at[m];
    if (w->dim[m] == 6) {
      r->rows == 3 ? vvi_part_see_(3, 6, b, sm, u) : vvi_part_see_(1, 6, b, sm, u);
    } else {
      r->rows == 3 ? vvi_part_see_(3, 3, b, sm, u) : vvi_part_see_(1, 3, b, sm, u);
    }
  }
}

/* s += B^T j */
static VVI_INLINE void vvi_row_push(const vvi_island_work *w, const vvi_island_row *r, const double j[3], double *s)
{
  for (int32_t e = r->first; e < r->first + r->parts; e++) {
    const int32_t m = w->part[e].mover;
    const double *b = w->b + w->part[e].b;
    double *sm = s + w->at[m];
    if (w->dim[m] == 6) {
      r->rows == 3 ? vvi_part_push_(3, 6, b, j, sm) : vvi_part_push_(1, 6, b, j, sm);
    } else {
      r->rows == 3 ? vvi_part_push_(3, 3, b, j, sm) : vvi_part_push_(1, 3, b, j, sm);
    }
  }
}

/* How fast it slides or opens: u is measured from b, of which n is the normal part. */
static inline double vvi_speed_of(const double u[3], double n)
{
  return fmax(fabs(u[0] + n), sqrt(u[1] * u[1] + u[2] * u[2]));
}

/* How far an island is from the law, m/s: the largest, and what is to be compared with `loose`; how fast something moves. */
typedef struct vvi_island_left {
  double most, strict, fastest;
} vvi_island_left;

static VVI_INLINE void vvi_left_add(vvi_island_left *l, double off, double strict)
{
  l->most = vvi_larger(off, l->most);
  l->strict = vvi_larger(strict * off, l->strict);
}

/* Near enough for something that moves: faster than VVI_MOVES times what may be left; in a heap of rigid bodies than what is left,
 * so that the slower it is the nearer it is solved, and what is as good as at rest is solved to rounding. */
static inline bool vvi_left_loose(const vvi_island_left *l, double loose, double slow)
{
  const double least = slow > 0.0 ? vvi_larger(VVI_MOVES * l->most, slow) : VVI_MOVES * loose;
  return l->strict <= loose && least < l->fastest;
}

/* How far j is from the law, as a velocity: |j - answer(j - u/A)| A.                                             [island 4] */
double vvi_law_residual(const vvi_friction *f, double mean, const double j[3], const double u[3]);

/* The law of a contact, as it is now. */
static inline vvi_friction vvi_friction_of(const vvi_island_contact *c)
{
  if (c->rolls > 0.0) return vvi_friction_rolling(c->limit);
  if (c->rows > 0) return vvi_friction_joint();
  return c->kinetic > 0.0 ? vvi_friction_static_kinetic(c->friction, c->kinetic, c->slides)
                          : vvi_friction_coulomb(c->friction);
}

/* Room for movers and contacts; false: out of memory. */
bool vvi_island_room(vvi_island_work *w, const vvi_island_problem *p);
/* Rows of the problem from its warm impulses; false: out of memory. */
bool vvi_island_fill(vvi_island_work *w, const vvi_island_problem *p);
/* s = sum B^T j */
void vvi_island_gather(vvi_island_work *w);
/* What a solve must reach, m/s: half of what the look at given impulses asks for. */
double vvi_island_tolerance(const vvi_island_work *w);
/* Sweeps until one changes no velocity by more than the tolerance; returns how many, *change is that of the last. */
int32_t vvi_island_sweep(vvi_island_work *w, int32_t most, double *change);
/* Sweeps until the impulses of what moves are within `loose` of the law (*accepted); returns how many. */
int32_t vvi_island_sweep_loose(vvi_island_work *w, bool *accepted);
/* Do the impulses given say much?  In something that is new they are zero. */
bool vvi_island_warm(const vvi_island_work *w);
/* Newton's iterations made, at most `most`; *done: converged; *accepted: the convex problem is, within `loose`. */
int32_t vvi_island_newton(vvi_island_work *w, int32_t most, bool *done, bool *accepted);
/* Iterations of the gradient method made, about `most`; the same bits for any number of threads. */
int32_t vvi_island_gradient(vvi_island_work *w, int32_t most, int threads, bool *done, bool *accepted);
/* The same as newton for the law itself, from an order of elimination and impulses that are there; kappa: stiffness to begin
 * with, `stiffer`: steps of it.  In moving heaps steps of 10 solve twice as many islands as steps of 30, and of 3 where there
 * are many contacts; cold islands of mass ratio 1e6 want 30. */
int32_t vvi_island_direct(vvi_island_work *w, int32_t most, double kappa, double stiffer, bool *done, bool *accepted);
/* Of both: u = c + B s at s = B^T j and no step; du = B way, returns the largest; a step of that length. */
/* Impulses that are `left` off the law are kept where none were better. */
void vvi_newton_keep(vvi_island_work *w, double left);
void vvi_newton_best(vvi_island_work *w); /* back to those */
void vvi_newton_base(vvi_island_work *w);
double vvi_newton_direction(vvi_island_work *w);
void vvi_newton_advance(vvi_island_work *w, double alpha);
/* All shifts to zero and forgotten. */
void vvi_shift_forget(vvi_island_work *w);
/* New shifts from the velocities in u, with those of `passes` passes mixed in; returns how far the largest was off. */
double vvi_shift_renew(vvi_island_work *w, int passes);
