import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { storeUserSpecs, storeUsersFolder, writeStoreUsers } from './store-users.ts';

let stateDir: string;
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'castellan-store-users-'));
});
afterEach(() => rmSync(stateDir, { recursive: true, force: true }));

test('default: each process has a user of its own for its own database, and the keeper works in that of vaults', () => {
  const databases = Object.fromEntries(storeUserSpecs([0, 1], undefined).map((user) => [user.name, user.databases]));
  expect(databases).toEqual({
    ai: ['castellan_ai'],
    analytics: ['castellan_analytics'],
    auth: ['castellan_auth'],
    gateway: ['castellan_gateway'],
    users: ['castellan_users'],
    vaults: ['castellan_vaults'],
    keeper: ['castellan_vaults'],
    'oracle-0': ['castellan_validator_oracle_0'],
    'oracle-1': ['castellan_validator_oracle_1'],
    operator: ['*'],
  });
});

test('behavior: MONGODB_DATABASE names the database of all services', () => {
  const [ai] = storeUserSpecs([], 'shared');
  expect(ai).toEqual({ name: 'ai', databases: ['shared'] });
});

test('behavior: passwords are kept, differ, and are readable by their owner only', () => {
  const specs = storeUserSpecs([0], undefined);
  const first = writeStoreUsers(stateDir, 27017, specs);
  const second = writeStoreUsers(stateDir, 37017, specs);
  expect(second.uriOf('auth')).toBe(first.uriOf('auth'));
  expect(second.uriOf('auth')).toMatch(/^mongodb:\/\/auth:[\w-]{32}@127\.0\.0\.1:37017$/);
  expect(new Set(specs.map(({ name }) => second.uriOf(name).split(/[:@]/)[2])).size).toBe(specs.length);
  const folder = storeUsersFolder(stateDir);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const file of readdirSync(folder)) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
  const listed = JSON.parse(readFileSync(second.usersFile, 'utf8')) as { password_file: string }[];
  expect(listed[0]).toEqual({
    name: 'ai',
    password_file: 'ai.password',
    databases: ['castellan_ai'],
    role: 'readWrite',
  });
});
