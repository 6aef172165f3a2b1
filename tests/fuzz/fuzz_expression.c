/* tests/fuzz/fuzz_expression.c  Any bytes as a number of a scene: a finite value, or a reason why not.
 * What is read must mean the same in brackets, and its negative the opposite. */
#include "model/expression.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_again(const vvi_scope *scope, const char *format, const char *text, const vvi_quantity *q,
                        double sign)
{
  char around[600];
  vvi_quantity again;
  vvi_mishap mishap = {""};
  snprintf(around, sizeof around, format, text);
  if (!vvi_expression_read(scope, around, &again, &mishap)) {
    if (strstr(mishap.text, "deeply") == NULL) abort();
    return;
  }
  if (again.value != sign * q->value || again.plain != q->plain || memcmp(again.dim, q->dim, sizeof q->dim) != 0)
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char *const unit[] = {"m", "1", "rad/s", "kg/m^3", "Pa", NULL};
  const vvi_parameter p[] = {{"L", {0.2, 1, 1, {12, 0, 0, 0}, false}}, {"n", {8, 1, 1, {0}, true}}};
  const vvi_scope scope = {.parameter = p, .n = 2, .unit = {"mm", "kg", "s"}};
  char text[513];
  vvi_quantity q;
  vvi_mishap mishap = {""};
  if (size > 512) return 0;
  if (size > 0) memcpy(text, data, size);
  text[size] = '\0';
  if (!vvi_expression_read(&scope, text, &q, &mishap)) {
    if (mishap.text[0] == '\0') abort();
    return 0;
  }
  if (!isfinite(q.value * q.up / q.down)) abort();
  for (int i = 0; i < VV_COUNT(unit); i++) {
    double x = 0;
    mishap.text[0] = '\0';
    const bool good = vvi_expression_fit(&scope, &q, unit[i], &x, &mishap);
    if (good ? !isfinite(x) : mishap.text[0] == '\0') abort();
  }
  check_again(&scope, "(%s)", text, &q, 1);
  check_again(&scope, "-(%s)", text, &q, -1);
  return 0;
}
