#!/bin/sh
# Runs a script with the Node that the lockfile brings (24); installs the dependencies first when they are missing or
# older than the lockfile. System Node may be older: it only has to run npm.
set -eu
cd "$(dirname "$0")/.."
installed=node_modules/.installed-lock.json
if [ ! -x node_modules/.bin/node ] || ! cmp -s package-lock.json "$installed"; then
  echo "Installing dependencies from package-lock.json (about a minute, once) ..."
  npm ci --no-audit --no-fund --loglevel=error
  cp package-lock.json "$installed"
fi
PATH="$PWD/node_modules/.bin:$PATH"
export PATH
exec node "$@"
