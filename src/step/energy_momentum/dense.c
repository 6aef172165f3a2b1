/* step/energy_momentum/dense.c  Complementarity of a few contacts, by pivots.
 *
 * Sweeps crawl where rows are nearly alike, as those of two segments that meet another beam near their common node are.  Few
 * rows are solved for at once: sought is x with y = A x + b, and for every row x >= least, y >= 0, (x - least) y = 0.  Rows that
 * act are guessed, solved for, and the guess is mended until it stands (Murty's block pivots).  Rows of a spring are equations.
 * A pivot that is rounding belongs to a row that says what others say already: it takes no part.  Where it says a little more, as
 * rows between two others do when both bodies lie flat on each other and turn in the step, that is no answer: then x is paid for,
 *   y = A x + b + s x,                                                                                               [em 12a]
 * which has one solution.  x being a change of impulses, the rounds that follow pay for ever smaller ones, and end where y is
 * that of A alone. */
#include "step/energy_momentum/frames.h"

enum { MENDS = 40 };
static const double PRICE = 1e-8; /* s over the largest A_ii: root of rounding, half of the digits for either */

typedef struct problem {
  int32_t n, acting;
  double price;                /* s */
  const double *a, *b, *least; /* [n][n], [n], [n] */
  double *x, *y, *lu;          /* lu [n][n + 1] */
  int32_t *act;                /* [n] rows that act, in front */
} problem;

/* Elimination with pivots from the column; false: not finite. */
static bool eliminate(const problem *k)
{
  const int32_t m = k->acting, width = m + 1;
  double most = 0.0;
  for (int32_t i = 0; i < m; i++) most = fmax(most, fabs(k->lu[(int64_t)i * width + i]));
  for (int32_t c = 0; c < m; c++) {
    int32_t p = c;
    for (int32_t i = c + 1; i < m; i++)
      if (fabs(k->lu[(int64_t)i * width + c]) > fabs(k->lu[(int64_t)p * width + c])) p = i;
    double *row = k->lu + (int64_t)c * width, *from = k->lu + (int64_t)p * width;
    for (int32_t j = 0; p != c && j < width; j++) {
      const double keep = row[j];
      row[j] = from[j], from[j] = keep;
    }
    if (!(fabs(row[c]) <= INFINITY)) return false;
    if (fabs(row[c]) <= 1e-13 * most) { /* nothing new */
      for (int32_t j = 0; j < width; j++) row[j] = j == c ? 1.0 : 0.0;
      continue;
    }
    for (int32_t i = c + 1; i < m; i++) {
      double *r = k->lu + (int64_t)i * width;
      const double by = r[c] / row[c];
      for (int32_t j = c; by != 0.0 && j < width; j++) r[j] -= by * row[j];
    }
  }
  for (int32_t c = m - 1; c >= 0; c--) {
    double *row = k->lu + (int64_t)c * width;
    for (int32_t j = c + 1; j < m; j++) row[m] -= row[j] * k->lu[(int64_t)j * width + m];
    row[m] /= row[c];
  }
  return true;
}

/* x of the rows that act so that their y is zero, the others being at their least; then y of all. */
static bool solve_acting(const problem *k)
{
  const int32_t n = k->n, m = k->acting;
  for (int32_t i = m; i < n; i++) k->x[k->act[i]] = k->least[k->act[i]];
  for (int32_t i = 0; i < m; i++) {
    const double *row = k->a + (int64_t)k->act[i] * n;
    double *to = k->lu + (int64_t)i * (m + 1), sum = -k->b[k->act[i]];
    for (int32_t j = 0; j < m; j++) to[j] = row[k->act[j]] + (i == j ? k->price : 0.0);
    for (int32_t j = m; j < n; j++) sum -= row[k->act[j]] * k->x[k->act[j]];
    to[m] = sum;
  }
  if (!eliminate(k)) return false;
  for (int32_t i = 0; i < m; i++) k->x[k->act[i]] = k->lu[(int64_t)i * (m + 1) + m];
  for (int32_t i = 0; i < n; i++) {
    k->y[i] = k->b[i] + k->price * k->x[i];
    for (int32_t j = 0; j < n; j++) k->y[i] += k->a[(int64_t)i * n + j] * k->x[j];
  }
  return true;
}

/* Rows that pull no longer act, rows that close begin to; with `one` only the first of these.  false: the guess stands. */
static bool mend(problem *k, double tiny, bool one)
{
  const int32_t n = k->n;
  int32_t wrong = 0;
  for (int32_t i = 0; i < n; i++) k->lu[i] = 0.0;
  for (int32_t i = 0; i < k->acting; i++) k->lu[k->act[i]] = 1.0;
  for (int32_t i = 0; i < n; i++) {
    const bool acts = k->lu[i] != 0.0, bad = acts ? k->x[i] < k->least[i] : k->y[i] < -tiny;
    if (!bad || (one && wrong > 0)) continue;
    k->lu[i] = acts ? 0.0 : 1.0;
    wrong++;
  }
  k->acting = 0;
  for (int32_t i = 0; i < n; i++)
    if (k->lu[i] != 0.0) k->act[k->acting++] = i;
  for (int32_t i = 0, at = k->acting; i < n; i++)
    if (k->lu[i] == 0.0) k->act[at++] = i;
  return wrong > 0;
}

/* The guess that rows act which close, or are pressed already. */
static void guess(problem *k)
{
  int32_t at = k->n;
  k->acting = 0;
  for (int32_t i = k->n - 1; i >= 0; i--)
    if (!(k->b[i] < 0.0 || k->least[i] < 0.0)) k->act[--at] = i;
  for (int32_t i = 0; i < k->n; i++)
    if (k->b[i] < 0.0 || k->least[i] < 0.0) k->act[k->acting++] = i;
}

static bool find(problem *k, double tiny, int mends)
{
  guess(k);
  for (int i = 0; i < mends; i++) {
    if (!solve_acting(k)) return false;
    if (!mend(k, tiny, i > MENDS / 2)) return true;
  }
  return false;
}

/* Some row that acts, and took no part, has a y all the same. */
static bool contradicts(const problem *k, double tiny)
{
  double most = 0.0, left = 0.0;
  for (int32_t i = 0; i < k->n; i++) most = fmax(most, fabs(k->b[i]));
  for (int32_t i = 0; i < k->acting; i++) left = fmax(left, fabs(k->y[k->act[i]]));
  return left > fmax(tiny, 1e-12 * most);
}

bool vvi_em_pivots(int32_t n, const double *a, const double *b, const double *least, double price, double tiny,
                   double *x, double *work, int32_t *act)
{
  problem k = {.n = n, .a = a, .b = b, .least = least, .x = x, .y = work, .lu = work + n, .act = act};
  if (price == 0.0 && find(&k, tiny, MENDS) && !contradicts(&k, tiny)) return true;
  for (int32_t i = 0; i < n; i++) k.price = fmax(k.price, fmax(price, PRICE) * a[(int64_t)i * n + i]);
  return find(&k, tiny, MENDS + 2 * n);
}
