import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { baseConfig, baseEnvironment, ConfigError, configLoader, maskSecrets, natsOptions, secret } from './index.ts';

const Environment = z.object({
  ...baseEnvironment,
  API_KEY: secret(z.string().min(20, 'must be at least 20 characters')),
  COLOUR: z.enum(['red', 'blue']).default('red'),
});
const load = configLoader(Environment, (env) => ({ ...baseConfig(env, 'my-service'), key: env.API_KEY }));
const good = { MONITORING_PORT: '9100', API_KEY: 'a-key-of-sufficient-length' };

test('default: an empty variable counts as unset', () => {
  expect(load({ ...good, NATS_URL: '', MONGODB_URI: '  ' })).toMatchObject({
    nats: { url: 'nats://127.0.0.1:4222', namespace: 'castellan', replicas: 1 },
    mongo: { uri: 'mongodb://127.0.0.1:27017', database: 'castellan_my_service' },
    monitoring: { host: '127.0.0.1', port: 9100 },
  });
});

test.each([
  ['readPreference=secondaryPreferred', 'only primary'],
  ['w=1', 'only majority'],
  ['journal=false', 'only true'],
  ['retryWrites=false', 'only true'],
])('error: a URI of the store that says %s is refused, without its password', (option, allowed) => {
  const attempt = () => load({ ...good, MONGODB_URI: `mongodb://vaults:hidden-password@a,b/?replicaSet=r&${option}` });
  expect(attempt).toThrow(allowed);
  expect(attempt).not.toThrow('hidden-password');
});

test('default: a URI of the store may say what the services want anyway, and what weakens nothing', () => {
  const uri = 'mongodb://a/?w=majority&readPreference=primary&retryWrites=true&journal=true&maxPoolSize=7';
  expect(load({ ...good, MONGODB_URI: uri }).mongo.uri).toBe(uri);
});

test('error: all faults are reported together, and never the value of a secret', () => {
  const bad = { API_KEY: 'too-short-secret', COLOUR: 'green', NATS_URL: 'http://u:hidden-password@x' };
  const failure = (() => {
    try {
      return load(bad);
    } catch (error) {
      return error;
    }
  })() as ConfigError;
  expect(failure).toBeInstanceOf(ConfigError);
  expect(failure.faults.map(({ name }) => name).sort()).toEqual(['API_KEY', 'COLOUR', 'MONITORING_PORT', 'NATS_URL']);
  expect(failure.message).toContain('(got "green")');
  expect(failure.message).toContain('must be at least 20 characters');
  expect(failure.message).not.toMatch(/too-short-secret|hidden-password/);
});

test('behavior: secrets are masked in texts, also the password inside a URL', () => {
  load({ ...good, MONGODB_URI: 'mongodb://castellan:s3cret%2Fpass@db:27017' });
  expect(maskSecrets(`key ${good.API_KEY}`)).toBe('key [secret]');
  expect(maskSecrets('auth failed for s3cret/pass')).toBe('auth failed for [secret]');
});

test('behavior: a list of servers and their credentials reach the client apart', () => {
  expect(natsOptions('nats://u:p%40ss@a:4222, nats://u:p%40ss@b:4222')).toMatchObject({
    servers: ['nats://a:4222', 'nats://b:4222'],
    user: 'u',
    pass: 'p@ss',
  });
  expect(natsOptions('tls://token@a:4222')).toMatchObject({ servers: ['tls://a:4222'], token: 'token', tls: {} });
  expect(natsOptions('nats://a:4222')).not.toHaveProperty('user');
});

test('default: a secret may stand in a file, which is read once', () => {
  const folder = mkdtempSync(join(tmpdir(), 'castellan-config-'));
  const file = join(folder, 'key');
  writeFileSync(file, 'a-key-of-sufficient-length\n');
  const { API_KEY: _, ...rest } = good;
  expect(load({ ...rest, API_KEY: '', API_KEY_FILE: file })).toMatchObject({ key: 'a-key-of-sufficient-length' });
  expect(() => load({ ...good, API_KEY_FILE: file })).toThrow('API_KEY_FILE: is set beside API_KEY');
  rmSync(folder, { recursive: true });
  expect(() => load({ ...rest, API_KEY_FILE: file })).toThrow(
    /^The configuration has 1 fault.*\n.*API_KEY_FILE: names a file that cannot be read \(ENOENT/,
  );
});
