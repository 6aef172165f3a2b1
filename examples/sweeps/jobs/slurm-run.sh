#!/bin/bash
# One run over the ranks of a job.  Submitted again, on any number of ranks, it goes on where it was.
#   sbatch --ntasks=64 slurm-run.sh scene.yaml out/big
#SBATCH --job-name=visviva
#SBATCH --cpus-per-task=1
#SBATCH --time=08:00:00
#SBATCH --signal=TERM@120
scene=$1 folder=$2
shift 2
again=()
[ -e "$folder/results.h5" ] && again=(--overwrite) # killed before its first checkpoint: there is nothing to go on from
[ -e "$folder/checkpoint.h5" ] && again=(--resume)
srun visviva-mpi run "$scene" -o "$folder" --threads "${SLURM_CPUS_PER_TASK:-1}" "${again[@]}" "$@" # OpenMPI: srun --mpi=pmix, MPICH: --mpi=pmi2
