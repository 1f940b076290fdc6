import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundledPath, operatorProgram } from './programs.ts';

const commands = {
  castellan: bundledPath(operatorProgram),
  'castellan-validator': bundledPath('services/validator-node/bin/castellan-validator.ts'),
};

const scriptOf = (program: string) => `#!/bin/sh
# A command of operators, by the Node that is here or on the path.
set -eu
home=$(dirname "$(dirname "$(readlink -f "$0")")")
if [ -f "$home/release.env" ]; then
  set -a
  . "$home/release.env"
  set +a
fi
node="$home/bin/node"
[ -x "$node" ] || node=node
exec "$node" "$home/${program}" "$@"
`;

/** Writes `bin/castellan` beside a bundle, and `bin/castellan-validator` where validators are in it. */
export function writeOperatorCommands(outDir: string): void {
  mkdirSync(join(outDir, 'bin'), { recursive: true });
  for (const [name, program] of Object.entries(commands))
    if (existsSync(join(outDir, program))) writeFileSync(join(outDir, 'bin', name), scriptOf(program), { mode: 0o755 });
}
