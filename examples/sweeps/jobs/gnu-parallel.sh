#!/bin/bash
# A sweep over machines that see one folder, by GNU parallel: one share for each line of a list of hosts.
#   gnu-parallel.sh /net/rods hosts.txt      hosts.txt: "8/node1", "16/node2": jobs and host, as parallel --sshlogin has them
#   gnu-parallel.sh out/rods                 this machine alone
set -eu
folder=$1
hosts=${2:-}
shares=${SHARES:-16}
parallel ${hosts:+--sshloginfile "$hosts"} --halt never "visviva sweep run '$folder' --quiet --share {}/$shares || [ \$? = 2 ]" ::: $(seq 0 $((shares - 1)))
visviva sweep table "$folder"
