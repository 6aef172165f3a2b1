/* sweep/draw.c  A counter-based generator: what is drawn depends on seed, draw and name alone.
 *
 * Philox4x32-10: ten rounds of two 32 x 32 multiplications turn a counter of 128 bits and a key of 64 into 128 bits that pass
 * the tests for random numbers.  There is no state to hand on, so cases may be drawn in any order. */
#include "sweep/sweep.h"

#include <string.h>

void vvi_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
  uint32_t c[4], k[2] = {key[0], key[1]};
  memcpy(c, counter, sizeof c);
  for (int round = 0; round < 10; round++) {
    const uint64_t a = (uint64_t)0xd2511f53 * c[0], b = (uint64_t)0xcd9e8d57 * c[2];
    const uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k[0], (uint32_t)b, (uint32_t)(a >> 32) ^ c[3] ^ k[1],
                              (uint32_t)a};
    memcpy(c, next, sizeof c);
    k[0] += 0x9e3779b9;
    k[1] += 0xbb67ae85;
  }
  memcpy(out, c, sizeof c);
}

vvi_stream vvi_stream_of(int64_t seed, int64_t draw, const char *name)
{
  const uint64_t h = vvi_hash(vvi_hash(VVI_HASH_SEED, &seed, sizeof seed), name, strlen(name));
  return (vvi_stream){.key = {(uint32_t)h, (uint32_t)(h >> 32)}, .draw = (uint64_t)draw};
}

/* The middle of one of 2^52 equal parts of (0, 1): exact, and neither end is ever drawn. */
double vvi_stream_uniform(vvi_stream *s)
{
  const uint32_t counter[4] = {(uint32_t)s->draw, (uint32_t)(s->draw >> 32), s->block++, 0};
  uint32_t word[4];
  vvi_philox(counter, s->key, word);
  const uint64_t bits = (uint64_t)word[0] << 20 ^ word[1] >> 12; /* 52 of them */
  return ((double)bits + 0.5) / 4503599627370496.0;
}
