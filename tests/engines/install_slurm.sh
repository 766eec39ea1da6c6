#!/bin/sh
# Installs what tests/engines/slurm.py starts, from Debian's or Ubuntu's packages. Nothing is configured here.
set -eu
PATH="$PATH:/usr/sbin:/sbin"
missing=""
for program in munged slurmctld slurmd sbatch srun squeue sinfo; do
    command -v "$program" >/dev/null || missing="$missing $program"
done
[ -n "$missing" ] || exit 0
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    echo "Slurm is not installed (missing:$missing) and only root can install it with apt-get: its tests are skipped" >&2
    exit 0
fi
# The packages start their daemons where there is systemd; theirs have no configuration and end at once.
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends slurmctld slurmd slurm-client munge >/dev/null
