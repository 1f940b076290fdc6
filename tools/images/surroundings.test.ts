import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { passwordVariableOf } from '@castellan/service-kit';
import { expect, test } from '@jest/globals';
import { readOptions } from '../start/options.ts';
import { oracleUsers } from '../start/validators.ts';
import { surroundings } from './surroundings.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

test('behavior: the bus has a user for each validator, and its password', () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'castellan-surroundings-'));
  const options = readOptions(['--port-offset', '5000', '--state-dir', stateDir], root, {});
  if (options === 'help') throw new Error('no options');
  const { settings } = surroundings(root, options);
  const account = readFileSync(join(stateDir, 'validators.conf'), 'utf8');
  expect(oracleUsers.length).toBeGreaterThan(0);
  for (const user of oracleUsers) {
    expect(account).toContain(`user: ${user}, password: $${passwordVariableOf(user)}`);
    expect(settings.bus?.passwordOf(user)).toMatch(/^pw[0-9a-f]{64}$/);
  }
  rmSync(stateDir, { recursive: true });
});
