/* tests/fuzz/fuzz_ledger.c  Any bytes as ledger.csv or events.csv: the reader behind report, picture and compare gives a table or a
 * message, and what it gives is whole: every cell of every column can be looked at. */
#include "io/results/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static double look_at(const vvi_table *t)
{
  double sum = 0.0;
  for (int c = 0; c < t->columns; c++) {
    sum += (double)strlen(t->name[c]) + (double)strlen(t->unit[c]);
    for (int64_t r = 0; r < t->rows; r++) {
      sum += t->value[c][r];
      if (t->word[c] != NULL && t->word[c][r] != NULL) sum += (double)strlen(t->word[c][r]);
    }
  }
  return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char path[64];
  vv_ctx_def def = vv_ctx_default();
  vv_ctx *ctx = NULL;
  vvi_arena arena = {0};
  vvi_table t;
  if (size > 1 << 16) return 0;
  snprintf(path, sizeof path, "/tmp/fuzz_ledger_%d.csv", (int)getpid());
  FILE *f = fopen(path, "wb");
  if (f == NULL || fwrite(data, 1, size, f) != size || fclose(f) != 0) abort();
  def.threads = 1;
  if (vv_ctx_create(&def, &ctx) != VV_OK) abort();
  const vv_status status = vvi_table_read(ctx, &arena, path, &t);
  if (status == VV_OK) {
    volatile double sum = look_at(&t);
    (void)sum;
    (void)vvi_table_column(&t, "time");
    (void)vvi_table_unit(&t, "time");
  } else if (vv_ctx_message_count(ctx) == 0) {
    abort();
  }
  vvi_arena_free(&arena);
  vv_ctx_destroy(ctx);
  remove(path);
  return 0;
}
