/* tests/fuzz/fuzz_mesh_obj.c  Any bytes as a OBJ file. */
#include "mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  return mesh_fuzz(vvi_mesh_parse_obj, data, size);
}
