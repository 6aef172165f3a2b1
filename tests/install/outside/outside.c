#include "outside.h"

int main(void)
{
  return outside();
}
