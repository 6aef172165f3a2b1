/* tests/fuzz/fuzz_mesh_any.c  Any bytes as a mesh file whose format must be found. */
#include "mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  return mesh_fuzz(vvi_mesh_parse, data, size);
}
