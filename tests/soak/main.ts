import { resolve } from 'node:path';
import { inspect, parseArgs } from 'node:util';
import { soak } from './play.ts';

const usage = `npm run soak -- [minutes] [--seed=<number>] [--port-offset=<number>] [--small] [--rolling [--from=<folder>]] [--keep]
  minutes              how long faults are played (default 5)
  --seed=<number>      the same faults in the same order (default: a new one, which is printed)
  --port-offset=<n>    added to every port (default 5300)
  --rolling            no faults: each instance in turn is stopped in order and started again, and no request may be lost
  --from=<folder>      the update begins with the version checked out there, its dependencies installed, and ends with this one
  --small              two each of gateway, auth, vaults, analytics and users under one server of the bus; no validators
  --keep               leave the folder with the logs; a run that fails always does`;

class UsageError extends Error {}

function wanted() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
      'port-offset': { type: 'string', default: '5300' },
      small: { type: 'boolean', default: false },
      rolling: { type: 'boolean', default: false },
      from: { type: 'string' },
      keep: { type: 'boolean', default: false },
    },
  });
  const minutes = Number(positionals[0] ?? 5);
  const seed = Number(values.seed);
  const portOffset = Number(values['port-offset']);
  const areWhole = [seed, portOffset].every((value) => Number.isSafeInteger(value) && value >= 0);
  const { keep, rolling: isRolling } = values;
  if (!(minutes > 0 && areWhole) || positionals.length > 1) throw new UsageError(usage);
  if (values.from !== undefined && !isRolling) throw new UsageError(`--from is for --rolling.\n\n${usage}`);
  const from = values.from === undefined ? undefined : resolve(values.from);
  return { seconds: minutes * 60, seed, portOffset, keep, isWhole: !values.small, isRolling, from };
}

const startedAt = Date.now();
const say = (line: string): void => {
  process.stdout.write(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(7)} s  ${line}\n`);
};

process.umask(0o077);
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
try {
  process.exitCode = (await soak({ ...wanted(), say }, interrupted.signal)) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof UsageError ? error.message : inspect(error)}\n`);
  process.exitCode = 2;
}
// What was still being waited for is of no use any more.
process.exit();
