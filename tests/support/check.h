/* tests/support/check.h  Comparisons of numbers that print both sides when they fail. */
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>

/* value <= bound; a value that is not a number fails */
#define check_most(value, bound)                                                         \
  do {                                                                                   \
    const double v_ = (value), b_ = (bound);                                             \
    if (!(v_ <= b_)) fail_msg("%s = %.6g, more than %s = %.6g", #value, v_, #bound, b_); \
  } while (0)

#define check_least(value, bound)                                                        \
  do {                                                                                   \
    const double v_ = (value), b_ = (bound);                                             \
    if (!(v_ >= b_)) fail_msg("%s = %.6g, less than %s = %.6g", #value, v_, #bound, b_); \
  } while (0)

#define check_near(value, wanted, tolerance)                                                                        \
  do {                                                                                                              \
    const double v_ = (value), w_ = (wanted), t_ = (tolerance);                                                     \
    if (!(fabs(v_ - w_) <= t_))                                                                                     \
      fail_msg("%s = %.15g, wanted %s = %.15g, off by %.3g (allowed %.3g)", #value, v_, #wanted, w_, fabs(v_ - w_), \
               t_);                                                                                                 \
  } while (0)
