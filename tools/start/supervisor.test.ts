import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type ProcessSpec, Supervisor } from './supervisor.ts';

let stateDir: string;
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'castellan-supervisor-'));
});
afterEach(() => rmSync(stateDir, { recursive: true, force: true }));

/** Says its name in a file that all share when it is asked to stop. */
const program = `import { appendFileSync, writeFileSync } from 'node:fs';
const [name, folder] = process.argv.slice(1);
process.on('SIGTERM', () => { appendFileSync(folder + '/stopped', name + ' '); process.exit(); });
setInterval(() => {}, 60_000);
writeFileSync(folder + '/' + name, '');`;

const spec = (name: string): ProcessSpec => ({
  name,
  command: process.execPath,
  args: ['--input-type=module', '--eval', program, name, stateDir],
  env: {},
  isReady: () => Promise.resolve(existsSync(join(stateDir, name))),
  readyWithinMs: 60_000,
});

test('default: the last started stops first, and what others ask after all of them', async () => {
  const supervisor = new Supervisor({ stateDir, say: () => undefined });
  for (const name of ['chain', 'gateway', 'vaults', 'validator', 'store']) await supervisor.start(spec(name));
  await supervisor.stop(['vaults', 'chain', 'store']);
  expect(readFileSync(join(stateDir, 'stopped'), 'utf8')).toBe('validator gateway vaults chain store ');
});
