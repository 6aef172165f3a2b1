/* math/exact.c  Sums of doubles without rounding. */
#include "math/exact.h"
#include "math/exact_add.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 32, LEAST = 1074 };                    /* bits of a digit; the last bit of a double is 2^-1074 */
static const int64_t MOST_WAITING = (int64_t)1 << 30; /* a term adds less than 2^32 to a digit */

void vvi_exact_carry(vvi_exact *s)
{
  int64_t carry = 0;
  for (int i = 0; i < VVI_EXACT_DIGITS - 1; i++) {
    const int64_t all = s->digit[i] + carry, low = all & 0xffffffff;
    carry = (all - low) / ((int64_t)1 << WIDTH);
    s->digit[i] = low;
  }
  s->digit[VVI_EXACT_DIGITS - 1] += carry;
  s->waiting = 0;
}

static void add_special(vvi_exact *s, double x)
{
  if (isnan(x))
    s->nan++;
  else if (x > 0)
    s->plus++;
  else
    s->minus++;
}

void vvi_exact_add(vvi_exact *s, double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  if ((bits >> 52 & 0x7ff) == 0x7ff) {
    add_special(s, x);
    return;
  }
  vvi_exact_put(s->digit, 1, bits);
  if (++s->waiting >= MOST_WAITING) vvi_exact_carry(s);
}

void vvi_exact_join(vvi_exact *s, const vvi_exact *other)
{
  vvi_exact b = *other;
  vvi_exact_carry(&b);
  vvi_exact_carry(s);
  for (int i = 0; i < VVI_EXACT_DIGITS; i++) s->digit[i] += b.digit[i];
  s->plus += b.plus;
  s->minus += b.minus;
  s->nan += b.nan;
  s->waiting = 1;
}

/* The digits of -x. */
static void negate(vvi_exact *s)
{
  for (int i = 0; i < VVI_EXACT_DIGITS; i++) s->digit[i] = -s->digit[i];
  vvi_exact_carry(s);
}

/* Bits [from, to) of a digit. */
static uint64_t bits_of(int64_t digit, int from, int to)
{
  return (uint64_t)digit >> from & (((uint64_t)1 << (to - from)) - 1);
}

static int top_digit(const vvi_exact *s)
{
  int i = VVI_EXACT_DIGITS - 1;
  while (i >= 0 && s->digit[i] == 0) i--;
  return i;
}

static bool any_below(const vvi_exact *s, int place)
{
  for (int i = 0; i < place / WIDTH; i++)
    if (s->digit[i] != 0) return true;
  return place % WIDTH > 0 && bits_of(s->digit[place / WIDTH], 0, place % WIDTH) != 0;
}

/* Of a number that is not negative: its first 53 bits, and one more where the rest is above a half, or is a half and the last
 * bit is odd.  Where 2^-1074 comes before the 53rd bit nothing is rounded. */
static double rounded(const vvi_exact *s)
{
  enum { BITS = 53 };
  const int top = top_digit(s);
  if (top < 0) return 0.0;
  if (top == VVI_EXACT_DIGITS - 1) return INFINITY;
  int width = 0, i = top;
  while (width < WIDTH && s->digit[top] >> width != 0) width++;
  uint64_t whole = (uint64_t)s->digit[top];
  int last = WIDTH * top; /* place of the last bit taken */
  for (int left = BITS - width; left > 0 && i > 0; left = BITS - width) {
    const int take = left < WIDTH ? left : WIDTH;
    whole = whole << take | bits_of(s->digit[--i], WIDTH - take, WIDTH);
    last -= take, width += take;
  }
  const int next = last - 1;
  const bool half = next >= 0 && bits_of(s->digit[next / WIDTH], next % WIDTH, next % WIDTH + 1) != 0;
  if (half && ((whole & 1) != 0 || any_below(s, next))) whole++;
  return ldexp((double)whole, last - LEAST);
}

double vvi_exact_value(const vvi_exact *sum)
{
  vvi_exact s = *sum;
  if (s.nan > 0 || (s.plus > 0 && s.minus > 0)) return NAN;
  if (s.plus > 0 || s.minus > 0) return s.plus > 0 ? INFINITY : -INFINITY;
  vvi_exact_carry(&s);
  if (s.digit[VVI_EXACT_DIGITS - 1] >= 0) return rounded(&s);
  negate(&s);
  return -rounded(&s);
}
