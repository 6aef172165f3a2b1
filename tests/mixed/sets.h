/* tests/mixed/sets.h  Which scenes a test runs, and which of them are known to be wrong. */
#pragma once
#include "judge.h"

/* Judges the scenes, prints a table, and returns how many are not as expected: a scene fails that is not in known_wrong, or one
 * that is in it passes, or one loses less than before and its run does not notice. */
int mixed_named_set(void);
/* Stacks of n bodies: all of them with the environment variable VISVIVA_SOAK, and then nothing may be wrong; else a fixed choice. */
int mixed_stack_set(int n);
/* --one WORDS: one scene, told in full.  --wrong: the lines of known_wrong.def as they would be now.  Returns -1 where the
 * program shall go on with its tests, else its exit code. */
int mixed_options(int argc, char **argv, int n);
