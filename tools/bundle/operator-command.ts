import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundledPath, operatorProgram } from './programs.ts';

const script = `#!/bin/sh
# The command line of operators, by the Node that is here or on the path.
set -eu
home=$(dirname "$(dirname "$(readlink -f "$0")")")
if [ -f "$home/release.env" ]; then
  set -a
  . "$home/release.env"
  set +a
fi
node="$home/bin/node"
[ -x "$node" ] || node=node
exec "$node" "$home/${bundledPath(operatorProgram)}" "$@"
`;

/** Writes `bin/castellan` beside a bundle. */
export function writeOperatorCommand(outDir: string): void {
  mkdirSync(join(outDir, 'bin'), { recursive: true });
  writeFileSync(join(outDir, 'bin/castellan'), script, { mode: 0o755 });
}
