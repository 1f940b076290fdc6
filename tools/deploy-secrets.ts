import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { busUsers, passwordVariableOf } from '@castellan/service-kit';
import { writeServiceKeys } from './start/service-keys.ts';

/**
 * Makes what docker-compose.yml mounts as secrets, each in a file of its own that only its owner reads, and the keys of the
 * services: `node tools/deploy-secrets.ts`. It overwrites nothing.
 */
const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'deploy/secrets');

/** The database a service's user may use; the keeper works in that of the vaults. */
export const databases: Readonly<Record<string, string>> = {
  gateway: 'castellan_gateway',
  auth: 'castellan_auth',
  vaults: 'castellan_vaults',
  analytics: 'castellan_analytics',
  users: 'castellan_users',
  ai: 'castellan_ai',
  keeper: 'castellan_vaults',
};

/** Names and texts of all files. The NATS server reads a password as a word only when it begins with a letter. */
export function deploySecrets(random: () => string): Record<string, string> {
  const passwords = new Map(busUsers.map((user) => [user, `pw${random()}`]));
  const exporter = `mongodb://exporter:${random()}@mongo:27017/?replicaSet=castellan&authSource=admin`;
  // The servers of a cluster know each other by the last one.
  const ofBus = [...passwords].map(([user, password]) => [passwordVariableOf(user), password]);
  ofBus.push(['NATS_ROUTE_PASSWORD', `pw${random()}`]);
  const files: Record<string, string> = {
    'auth-key-secret': random(),
    'notifications-key': random(),
    // Filled in by the operator: where alerts are sent.
    'alert-receiver': '',
    'mongo-root-password': random(),
    'mongo-keyfile': Buffer.from(random() + random()).toString('base64'),
    'nats.env': ofBus.map(([variable, password]) => `${variable}=${password}\n`).join(''),
    'mongodb-uri-exporter': exporter,
    'mongodb-exporter.env': `MONGODB_URI=${exporter}\n`,
  };
  for (const [user, password] of passwords) files[`nats-url-${user}`] = `nats://${user}:${password}@nats:4222`;
  for (const user of Object.keys(databases))
    files[`mongodb-uri-${user}`] = `mongodb://${user}:${random()}@mongo:27017/?replicaSet=castellan&authSource=admin`;
  return files;
}

if (import.meta.main) {
  process.umask(0o077);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Passwords stand in two files, which must not come from two runs.
  if (existsSync(join(folder, 'nats.env'))) {
    process.stderr.write(`${folder} has secrets already; remove it to make all of them anew.\n`);
    process.exit(1);
  }
  const made = deploySecrets(() => randomBytes(32).toString('hex'));
  for (const [name, text] of Object.entries(made)) writeFileSync(join(folder, name), text, { mode: 0o600 });
  writeServiceKeys(join(folder, 'service-keys'));
  process.stdout.write(`${Object.keys(made).length} secrets in ${folder}.\n`);
}
