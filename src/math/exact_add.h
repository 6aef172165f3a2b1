/* math/exact_add.h  One double on the long number of math/exact.h.  Accelerators compile the same text, as OpenCL C: no header of the C
 * library, no guard by pragma. */
#ifndef VVI_EXACT_ADD_H
#define VVI_EXACT_ADD_H

#ifndef VVI_EXACT_SPACE
#define VVI_EXACT_SPACE
#endif

/* bits: of a double that is finite; digit i is at digit[stride i]. */
static inline void vvi_exact_put(VVI_EXACT_SPACE int64_t *digit, int stride, uint64_t bits)
{
  const int exponent = (int)(bits >> 52 & 0x7ff);
  const uint64_t whole = (bits & 0xfffffffffffff) | (exponent > 0 ? (uint64_t)1 << 52 : 0);
  const int place = exponent > 0 ? exponent - 1 : 0; /* of the last bit, from 2^-1074 */
  const int at = place / 32, shift = place % 32;
  const uint64_t low = (whole & 0xffffffff) << shift, high = (whole >> 32) << shift;
  const int64_t part[3] = {(int64_t)(low & 0xffffffff), (int64_t)((low >> 32) + (high & 0xffffffff)),
                           (int64_t)(high >> 32)};
  const int64_t sign = bits >> 63 != 0 ? -1 : 1;
  for (int i = 0; i < 3; i++) digit[stride * (at + i)] += sign * part[i];
}
#endif
