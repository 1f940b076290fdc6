import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { databases, deploySecrets } from './castellan/secrets.ts';

const script = readFileSync(new URL('../deploy/mongo/init-replica-set.js', import.meta.url), 'utf8');

/** Runs the script of mongosh against a server that takes everything. @returns the passwords of the users that it makes. */
function usersMadeOf(files: Readonly<Record<string, string>>): Map<string, string> {
  const made = new Map<string, string>();
  const admin = {
    adminCommand: () => ({ ok: 1 }),
    hello: () => ({ isWritablePrimary: true }),
    getUser: () => null,
    createUser: ({ user, pwd }: { user: string; pwd: string }) => made.set(user, pwd),
  };
  runInNewContext(script, {
    require: () => ({ readFileSync: (path: string) => files[path.replace('/secrets/', '')] ?? '' }),
    process: { env: { SECRETS: '/secrets', STORE_ADMIN_URI: 'mongodb://admin:word@db/' } },
    connect: () => ({ getSiblingDB: () => admin }),
  });
  return made;
}

test.each([
  ['one member', 'db.example.org:27017/?replicaSet=rs0', 'mongodb://'],
  ['several members', 'a.example.org:27017,b.example.org:27017/?replicaSet=rs0&tls=true', 'mongodb://'],
  ['a record of the DNS', 'mongodb+srv://cluster.example.net/?authSource=admin', 'mongodb+srv://'],
])('behavior: each user of a store of %s gets the password of its secret', (_name, store, scheme) => {
  let count = 0;
  const random = () => {
    count += 1;
    return `${count}`.padStart(64, 'a');
  };
  const files = deploySecrets(random, { bus: '127.0.0.1:4222', store });
  const users = usersMadeOf(files);
  expect(users.size).toBe(9);
  const rest = store.replace('mongodb+srv://', '');
  for (const [user, password] of users)
    expect(files[`mongodb-uri-${user}`]).toBe(`${scheme}${user}:${password}@${rest}`);
});

test('error: a secret that is no URI with a password is named, and no user is made of it', () => {
  const files = { ...deploySecrets(() => 'x'.repeat(64)), 'mongodb-uri-auth': 'mongodb://db.example.org:27017/' };
  expect(() => usersMadeOf(files)).toThrow('mongodb-uri-auth is no URI of the store');
});

test('behavior: the page of the restore empties the databases of all services', () => {
  const page = readFileSync(new URL('../docs/operations/backup.md', import.meta.url), 'utf8');
  const [, list = ''] = /for \(const each of \[(.*?)\]\) db\.getSiblingDB\(`castellan_\$\{each\}`\)/.exec(page) ?? [];
  const emptied = [...list.matchAll(/"(\w+)"/g)].map(([, name]) => `castellan_${name}`);
  expect(emptied.sort()).toEqual([...new Set(Object.values(databases))].sort());
  // For each of the three ways.
  expect(page.match(/--eval "\$(DROP|1)"/g)).toHaveLength(3);
});

test('behavior: the page of the restore stops validators everywhere, and deletes no database of theirs', () => {
  const page = readFileSync(new URL('../docs/operations/backup.md', import.meta.url), 'utf8');
  for (const command of [
    "systemctl stop 'castellan@*' 'castellan-validator@*' castellan-nats",
    "docker compose --profile '*' down",
    'kubectl -n castellan scale statefulset --all --replicas 0',
  ])
    expect(page).toContain(command);
  expect(page).not.toContain('mongo-data');
});
