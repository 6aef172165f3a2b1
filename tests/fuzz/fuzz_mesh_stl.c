/* tests/fuzz/fuzz_mesh_stl.c  Any bytes as a STL file. */
#include "mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  return mesh_fuzz(vvi_mesh_parse_stl, data, size);
}
