#!/bin/bash
# Sweeps and a run on a SLURM cluster, by the job scripts of examples/: the tables and the state of one process.
#   tests/net/slurm.sh FOLDER [PLAN...]        FOLDER: new, seen by all nodes; PLAN: both of examples/sweeps by default
#   tests/net/slurm.sh one-node FOLDER         starts munge, slurmctld and slurmd on this machine (root; Debian: slurmctld slurmd
#                                              slurm-client munge), and prints the line that makes the commands see it
# visviva and visviva-mpi are those of PATH.  SHARES: tasks of the array (4).  RANKS: of the MPI jobs (3).  MPI: how srun starts
# them (pmix; MPICH: pmi2).  Each array loses a task to SIGKILL on the way and is submitted again; the MPI job loses all of its own.
# Prints a line for each comparison; ends with 1 if one fails.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
jobs=$root/examples/sweeps/jobs
shares=${SHARES:-4} ranks=${RANKS:-3} mpi=${MPI:-pmix} wrong=0

one_node() {
  mkdir -p "$1/state" "$1/spool" /run/munge
  chown munge: /run/munge
  munge -n >/dev/null 2>&1 || su -s /bin/sh munge -c /usr/sbin/munged
  cat >"$1/slurm.conf" <<EOF
ClusterName=one
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
StateSaveLocation=$1/state
SlurmdSpoolDir=$1/spool
SlurmctldLogFile=$1/slurmctld.log
SlurmdLogFile=$1/slurmd.log
SlurmctldPidFile=$1/slurmctld.pid
SlurmdPidFile=$1/slurmd.pid
ReturnToService=2
AccountingStorageType=accounting_storage/none
NodeName=$(hostname) NodeAddr=127.0.0.1 CPUs=${CPUS:-8} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
EOF
  echo "CgroupAutomount=no" >"$1/cgroup.conf"
  SLURM_CONF=$1/slurm.conf slurmctld
  SLURM_CONF=$1/slurm.conf slurmd
  echo "export SLURM_CONF=$1/slurm.conf"
}

same() { # WHAT FILE FILE
  if cmp -s "$2" "$3"; then echo "$1: equal"; else echo "$1: DIFFERS" && wrong=1; fi
}
busy() { squeue -h -j "$1" 2>/dev/null | grep -q .; }
half() { # JOB FOLDER CASES: until half of the cases, or a second, have gone by
  for _ in $(seq 600); do
    sleep 0.5
    [ "$(cat "$2"/journal/*.csv 2>/dev/null | wc -l)" -gt "$3" ] && return
    busy "$1" || return 0
  done
}

by_array() { # PLAN FOLDER
  visviva sweep new "$1" -o "$2" >/dev/null
  local cases job
  cases=$(($(wc -l <"$2/cases.csv") - 1))
  job=$(sbatch --parsable --array=0-$((shares - 1)) --cpus-per-task=1 --output=/dev/null "$jobs/slurm-array.sh" "$2")
  half "$job" "$2" "$cases"
  scancel --signal=KILL --full "${job}_1" || true
  while busy "$job"; do sleep 1; done
  echo "$(basename "$(dirname "$1")"), array of $shares, task 1 killed: $(visviva sweep table "$2" 2>&1 | grep "no row")"
  sbatch --wait --array=0-$((shares - 1)) --cpus-per-task=1 --output=/dev/null "$jobs/slurm-array.sh" "$2" >/dev/null || true
  visviva sweep table "$2" >/dev/null
}

by_ranks() { # PLAN FOLDER
  visviva sweep new "$1" -o "$2" >/dev/null
  local cases job
  cases=$(($(wc -l <"$2/cases.csv") - 1))
  job=$(SLURM_MPI_TYPE=$mpi sbatch --parsable --ntasks="$ranks" --output=/dev/null "$jobs/slurm-mpi.sh" "$2")
  half "$job" "$2" "$cases"
  scancel --signal=KILL --full "$job" || true
  while busy "$job"; do sleep 1; done
  SLURM_MPI_TYPE=$mpi sbatch --wait --ntasks="$((ranks + 1))" --output=/dev/null "$jobs/slurm-mpi.sh" "$2" >/dev/null || true
  visviva sweep table "$2" >/dev/null
}

one_run() { # FOLDER: a ball on a drum, by one process and by srun
  local scene=$root/examples/newcomer/ball-on-drum.yaml
  visviva run "$scene" -o "$1/whole" --set time.end=0.01 --set record.checkpoint=0.005 -q
  SLURM_MPI_TYPE=$mpi sbatch --wait --ntasks="$ranks" --output="$1/run.log" "$root/examples/sweeps/jobs/slurm-run.sh" "$scene" "$1/ranks" \
    --set time.end=0.01 --set record.checkpoint=0.005 >/dev/null || wrong=1
  for file in ledger.csv events.csv checkpoint.h5 results.h5; do same "ball on drum, srun of $ranks ranks, $file" "$1/whole/$file" "$1/ranks/$file"; done
}

if [ "${1:-}" = one-node ]; then one_node "$2" && exit; fi
folder=$1 && shift
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
[ $# -gt 0 ] || set -- "$root"/examples/sweeps/*/plan.yaml
one_run "$folder"
for plan in "$@"; do
  name=$(basename "$(dirname "$plan")")
  visviva sweep new "$plan" -o "$folder/$name" >/dev/null
  visviva sweep run "$folder/$name" --jobs "${JOBS:-2}" -q || true
  visviva sweep table "$folder/$name" >/dev/null
  by_array "$plan" "$folder/$name-array"
  by_ranks "$plan" "$folder/$name-ranks"
  for way in array ranks; do
    for file in table.csv summary.csv; do same "$name, $way, $file" "$folder/$name/$file" "$folder/$name-$way/$file"; done
  done
done
exit $wrong
