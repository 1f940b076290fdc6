import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { busCredentials, closeToOthers, environmentFor, sealingKeys } from './secrets.ts';

let stateDir: string;

beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'castellan-secrets-'));
});
afterEach(() => rmSync(stateDir, { recursive: true, force: true }));

const read = (file: string) => readFileSync(file, 'utf8');
const modes = () =>
  ['.', ...readdirSync(stateDir, { recursive: true, encoding: 'utf8' })].map((name) => {
    const found = statSync(join(stateDir, name));
    return [found.isDirectory(), found.mode & 0o777];
  });

test('default: secrets are made once, are different, and only their owner reads them', () => {
  const first = sealingKeys(stateDir);
  expect(read(first.notificationsKey)).toMatch(/^[0-9a-f]{64}$/);
  expect(read(first.notificationsKey)).not.toBe(read(first.authKeySecret));
  const before = read(first.authKeySecret);
  expect(read(sealingKeys(stateDir).authKeySecret)).toBe(before);
  for (const [isFolder, mode] of modes()) expect(mode).toBe(isFolder ? 0o700 : 0o600);
});

test('behavior: the secret of an earlier start goes on sealing', () => {
  writeFileSync(join(stateDir, 'auth-key-secret'), 'of-an-earlier-start\n');
  expect(read(sealingKeys(stateDir).authKeySecret)).toBe('of-an-earlier-start');
});

test('default: each user of the bus has a password and a file with its URL', () => {
  const bus = busCredentials(stateDir, 'nats://127.0.0.1:4222', ['oracle-1']);
  expect(read(bus.urlFileOf('users'))).toBe(`nats://users:${bus.passwordOf('users')}@127.0.0.1:4222`);
  expect(bus.passwords.NATS_USERS_PASSWORD).toBe(bus.passwordOf('users'));
  expect(bus.passwords.NATS_ORACLE_1_PASSWORD).toMatch(/^pw[0-9a-f]{64}$/);
  expect(new Set(Object.values(bus.passwords)).size).toBe(Object.keys(bus.passwords).length);
  const moved = busCredentials(stateDir, 'nats://127.0.0.1:5222', ['oracle-1']);
  expect(read(moved.urlFileOf('users'))).toBe(`nats://users:${bus.passwordOf('users')}@127.0.0.1:5222`);
});

test('behavior: what an earlier start left open to others is closed, and programs stay programs', () => {
  mkdirSync(join(stateDir, 'store'));
  for (const [name, mode] of [
    ['open', 0o644],
    ['store/open', 0o666],
    ['program', 0o755],
  ] as const) {
    writeFileSync(join(stateDir, name), '');
    chmodSync(join(stateDir, name), mode);
  }
  chmodSync(join(stateDir, 'store'), 0o755);
  closeToOthers(stateDir);
  const modeOf = (name: string) => statSync(join(stateDir, name)).mode & 0o777;
  expect(['open', 'store/open', 'program', 'store', '.'].map(modeOf)).toEqual([0o600, 0o600, 0o700, 0o700, 0o700]);
});

test('behavior: a process starts without the secrets of others', () => {
  const given = { HOME: '/h', KEEPER_PRIVATE_KEY: '0x1', AI_API_KEY: 'k', NOTIFICATIONS_KEY_FILE: '/n', CHAINS: '[]' };
  expect(environmentFor('keeper', given)).toEqual({ HOME: '/h', KEEPER_PRIVATE_KEY: '0x1', CHAINS: '[]' });
  expect(environmentFor('gateway', given)).toEqual({ HOME: '/h' });
  expect(environmentFor('users', given)).toEqual({ HOME: '/h', NOTIFICATIONS_KEY_FILE: '/n' });
});
