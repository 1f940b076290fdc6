#!/bin/sh
# Runs a script with the Node that the lockfile brings (24); installs the dependencies first when they are missing or
# older than the lockfile. System Node may be older: it only has to run npm.
# The lockfile's Node and anvil are for Linux on x86-64. Elsewhere the system's own are used, and what lacks is named.
set -eu
cd "$(dirname "$0")/.."

has() { command -v "$1" >/dev/null 2>&1; }

# Sets `missing` to what this platform lacks for the script, and `advice` to how it is installed.
look_for_missing() {
  missing='' advice=''
  lacks() { missing="$missing${missing:+, }$1" advice="$advice${advice:+; }$2"; }
  case "$system" in
    Darwin) node='brew install node@24' anvil='brew install foundry' nats='brew install nats-server' ;;
    Linux)
      node='https://nodejs.org/en/download'
      anvil='curl -L https://foundry.paradigm.xyz | bash, then foundryup'
      nats='apt-get install nats-server, or https://github.com/nats-io/nats-server/releases'
      ;;
    *) lacks 'a system it is made for' 'use a Linux VM, WSL 2 or Docker on x86-64' && return ;;
  esac
  [ "$(node -p 'Number(process.versions.node.split(".")[0]) >= 24' 2>/dev/null)" = true ] || lacks 'Node 24 or newer' "$node"
  case "$1" in tools/start/* | tools/test.ts) ;; *) return ;; esac
  case " $* " in *' --no-devnet '*) ;; *) has anvil || lacks 'anvil' "$anvil" ;; esac
  # npm start fetches Debian's package of the bus by itself.
  [ -n "${NATS_URL:-}" ] || has nats-server || has apt-get || lacks 'nats-server' "$nats"
}

system=$(uname -s) machine=$(uname -m)
scripts=''
if [ "$system $machine" != 'Linux x86_64' ]; then
  look_for_missing "$@"
  if [ -n "$missing" ]; then
    echo "Castellan cannot run on $system $machine yet: it lacks $missing. Install: $advice." >&2
    echo "On Linux x86-64 nothing but npm is needed; a Linux VM or Docker (deploy/README.md) works too." >&2
    exit 1
  fi
  # The lockfile's Node has an install script, which would look for a package of this platform.
  scripts='--ignore-scripts'
fi
installed=node_modules/.installed-lock.json
is_ready() { [ -x node_modules/.bin/node ] || [ -n "$scripts" ]; }
if ! is_ready || ! cmp -s package-lock.json "$installed"; then
  echo "Installing dependencies from package-lock.json (about a minute, once) ..."
  npm ci --no-audit --no-fund --loglevel=error $scripts
  cp package-lock.json "$installed"
fi
# Elsewhere the system's Node runs it, whatever an earlier installation left in the folder.
[ -n "$scripts" ] && node=$(command -v node) || node=$PWD/node_modules/.bin/node
PATH="$PWD/node_modules/.bin:$PATH"
export PATH
exec "$node" "$@"
