import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { reportOfSecrets, writeDeploySecrets } from './secrets.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'castellan-secrets-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const write = (name: string, text: string) => writeFileSync(join(folder, name), text, { mode: 0o600 });
const texts = () =>
  Object.fromEntries(
    globSync('**/*', { cwd: folder })
      .filter((name) => statSync(join(folder, name)).isFile())
      .map((name) => [name, read(name)]),
  );
const publicKeys = () => JSON.parse(read('service-keys/public.json')) as Record<string, { kid: string }[]>;

/** Takes a user out, as a release had the folder that did not know it. */
function forget(user: string): void {
  for (const name of [`nats-url-${user}`, `mongodb-uri-${user}`, `service-keys/${user}.json`])
    rmSync(join(folder, name));
  write('nats.env', read('nats.env').replace(new RegExp(`^NATS_${user.toUpperCase()}_PASSWORD=.*\n`, 'm'), ''));
  const { [user]: _, ...others } = publicKeys();
  write('service-keys/public.json', JSON.stringify(others));
}

test('default: an empty folder gets all, each for its owner alone', () => {
  const made = writeDeploySecrets(folder, { bus: '127.0.0.1:4222', store: 'db:27017/?replicaSet=rs0' });
  expect(Object.keys(texts()).sort()).toEqual([...made].sort());
  for (const name of made) expect([name, statSync(join(folder, name)).mode & 0o777]).toEqual([name, 0o600]);
  expect(read('nats-url-ai')).toMatch(/^nats:\/\/ai:pw\w{64}@127\.0\.0\.1:4222$/);
});

test('behavior: a second run makes nothing and says so', () => {
  writeDeploySecrets(folder);
  const before = texts();
  expect(writeDeploySecrets(folder)).toEqual([]);
  expect(texts()).toEqual(before);
  expect(reportOfSecrets('x', [])).toBe('x has all secrets.\n');
});

test('error: where no file can be read that says where the bus is, nothing is made for another one', () => {
  write('nats-url-vaults', 'tls://token@bus.example.org:4222\n');
  expect(() => writeDeploySecrets(folder)).toThrow(/nats-url-\* says where the bus is.*--bus/);
  expect(Object.keys(texts())).toEqual(['nats-url-vaults']);
  expect(writeDeploySecrets(folder, { bus: 'bus.example.org:4222' })).toContain('nats-url-ai');
});

describe('a folder of a release that knew a user less', () => {
  beforeEach(() => {
    writeDeploySecrets(folder, { bus: 'tls://bus.example.org:4222', store: 'mongodb+srv://db.example.org/?tls=true' });
    forget('ai');
    // Passwords of validators are added by hand, here without an end of the line.
    write('nats.env', `${read('nats.env')}NATS_ORACLE_A_PASSWORD=pwa`);
  });

  test('behavior: gets what is missing, for the bus and the store of the others', () => {
    const made = writeDeploySecrets(folder);
    expect(made.sort()).toEqual(
      ['mongodb-uri-ai', 'nats-url-ai', 'nats.env', 'service-keys/ai.json', 'service-keys/public.json'].sort(),
    );
    const [, password] = /^tls:\/\/ai:(\w+)@bus\.example\.org:4222$/.exec(read('nats-url-ai')) ?? [];
    expect(read('nats.env')).toMatch(new RegExp(`^NATS_ORACLE_A_PASSWORD=pwa\nNATS_AI_PASSWORD=${password}\n$`, 'm'));
    expect(read('mongodb-uri-ai')).toMatch(/^mongodb\+srv:\/\/ai:\w{64}@db\.example\.org\/\?tls=true$/);
    expect(reportOfSecrets('x', made)).toContain('Make the users of the store');
  });

  test('security: keeps every character of what it has', () => {
    const before = texts();
    writeDeploySecrets(folder);
    const after = texts();
    for (const [name, text] of Object.entries(before))
      if (name !== 'service-keys/public.json') expect([name, after[name]?.startsWith(text)]).toEqual([name, true]);
    const { ai, ...others } = publicKeys();
    expect(others).toEqual(JSON.parse(`${before['service-keys/public.json']}`));
    expect(ai).toHaveLength(1);
  });

  test('behavior: keeps the successor of a public key that is being replaced', () => {
    const keys = publicKeys();
    const successor = { ...keys.auth?.[0], kid: 'auth-next' };
    write('service-keys/public.json', JSON.stringify({ ...keys, auth: [...(keys.auth ?? []), successor] }));
    writeDeploySecrets(folder);
    expect(publicKeys().auth?.map(({ kid }) => kid)).toEqual([keys.auth?.[0]?.kid, 'auth-next']);
  });

  test('behavior: a password that stands in one file only is taken into the other', () => {
    writeDeploySecrets(folder);
    const before = read('nats-url-auth');
    const lines = read('nats.env');
    rmSync(join(folder, 'nats.env'));
    rmSync(join(folder, 'nats-url-ai'));
    writeDeploySecrets(folder);
    const [, password] = /:\/\/auth:(\w+)@/.exec(before) ?? [];
    expect(read('nats.env')).toContain(`NATS_AUTH_PASSWORD=${password}\n`);
    write('nats.env', lines);
    rmSync(join(folder, 'nats-url-auth'));
    writeDeploySecrets(folder);
    expect(read('nats-url-auth')).toBe(before);
    expect(existsSync(join(folder, 'nats-url-ai'))).toBe(true);
  });
});

describe('the pages', () => {
  const page = (name: string) => readFileSync(new URL(`../../docs/operations/${name}.md`, import.meta.url), 'utf8');
  /** From a heading to the next of any level, in which comments of commands are none. */
  const sectionOf = (text: string, heading: string) =>
    new RegExp(`^#+ ${heading}\n(?:.|\n)*?(?=^##)`, 'm').exec(text)?.[0] ?? '';

  test.each([
    ['Debian', sectionOf(page('install'), 'Upgrades'), 'castellan secrets --to', 'restart castellan-nats'],
    ['compose', sectionOf(page('install'), 'Upgrade of compose'), 'tools/deploy-secrets.ts', 'docker compose up'],
    ['Kubernetes', sectionOf(page('kubernetes'), 'Upgrades'), 'sh out/create-secrets.sh', 'kubectl apply -f'],
  ])(
    'behavior: an upgrade of %s makes what is missing before the bus reads its users',
    (_name, steps, makes, starts) => {
      expect(steps).toContain(makes);
      expect(steps.indexOf(makes)).toBeLessThan(steps.indexOf(starts));
    },
  );
});
