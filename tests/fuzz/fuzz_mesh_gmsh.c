/* tests/fuzz/fuzz_mesh_gmsh.c  Any bytes as a Gmsh 4.1 file. */
#include "mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  return mesh_fuzz(vvi_mesh_parse_gmsh, data, size);
}
