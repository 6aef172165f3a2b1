#!/bin/bash
# A sweep over the ranks of one job, which hand each other cases until none is left.
#   sbatch --ntasks=256 slurm-mpi.sh out/rods
#SBATCH --job-name=sweep
#SBATCH --cpus-per-task=1
#SBATCH --time=08:00:00
#SBATCH --signal=TERM@60
srun visviva-mpi sweep run "$1" # or mpiexec; OpenMPI: srun --mpi=pmix, MPICH: srun --mpi=pmi2
