#!/bin/sh
# Boots the systemd of a root folder, as root, in namespaces with a network of its own: `sh tools/systemd/boot.sh <folder> &` runs until that
# systemd is told to power off, and prints how to get a shell in there. So an installation is played with its units as they are, their users, credentials and
# sandbox. The folder: debootstrap --variant=minbase bookworm <folder>, then systemd, systemd-sysv and dbus by apt-get in a chroot.
# It has `lo` alone: packages are downloaded before, by apt-get --download-only in the chroot.
set -eu
folder=$(readlink -f "$1")

# What systemd sees as the root of all control groups. Without controllers, such as beside those of version 1, MemoryMax does nothing.
groups=/sys/fs/cgroup/unified
[ -d "$groups" ] || groups=/sys/fs/cgroup
mkdir -p "$groups/$(basename "$folder")"
echo $$ > "$groups/$(basename "$folder")/cgroup.procs"

echo "nsenter --target \$(pgrep --parent $$) --all --wd=/ env --ignore-environment HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin bash"
exec unshare --mount --pid --net --uts --ipc --cgroup --fork --kill-child sh -euc '
  folder=$0
  mount --make-rprivate /
  mount --bind "$folder" "$folder"
  mount -t proc proc "$folder/proc"
  mount -t sysfs sysfs "$folder/sys"
  mount -t cgroup2 cgroup2 "$folder/sys/fs/cgroup"
  mount -t tmpfs -o mode=755 tmpfs "$folder/run"
  mount -t tmpfs tmpfs "$folder/tmp"
  mount -t tmpfs -o mode=755 tmpfs "$folder/dev"
  for device in null zero full random urandom tty; do
    touch "$folder/dev/$device"
    mount --bind "/dev/$device" "$folder/dev/$device"
  done
  mkdir "$folder/dev/pts" "$folder/dev/shm"
  mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$folder/dev/pts"
  mount -t tmpfs tmpfs "$folder/dev/shm"
  ln -s pts/ptmx "$folder/dev/ptmx"
  ln -s /proc/self/fd "$folder/dev/fd"
  ip link set lo up
  cd "$folder"
  mkdir -p former
  pivot_root . former
  umount -l /former
  # systemd hands credentials over by a mount that spreads: without this, services find their folder empty.
  mount --make-rshared /
  exec env -i container=other PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin LC_ALL=C.UTF-8 /sbin/init
' "$folder"
