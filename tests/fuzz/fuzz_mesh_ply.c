/* tests/fuzz/fuzz_mesh_ply.c  Any bytes as a PLY file. */
#include "mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  return mesh_fuzz(vvi_mesh_parse_ply, data, size);
}
