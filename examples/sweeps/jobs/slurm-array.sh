#!/bin/bash
# A sweep as an array of jobs: each does every Nth case.  Any of them may be killed, and the whole submitted again.
#   sbatch --array=0-15 slurm-array.sh out/rods
#   visviva sweep table out/rods             when all are through
#SBATCH --job-name=sweep
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=4
#SBATCH --time=08:00:00
#SBATCH --signal=TERM@60
set -u
shares=$((SLURM_ARRAY_TASK_MAX - SLURM_ARRAY_TASK_MIN + 1))
share=$((SLURM_ARRAY_TASK_ID - SLURM_ARRAY_TASK_MIN))
srun visviva sweep run "$1" --share "$share/$shares" --jobs "${SLURM_CPUS_PER_TASK:-1}" --quiet
code=$?
[ "$code" = 2 ] && exit 0 # other shares are not through yet: `visviva sweep table` judges
exit "$code"
