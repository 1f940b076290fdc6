import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { busUsers, passwordVariableOf } from '@castellan/service-kit';
import { writeServiceKeys } from '../start/service-keys.ts';

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

/** Where bus and store are, as services reach them: `host:port` of the bus, and what follows user and password in the store's URI, after `mongodb+srv://` where it has that. */
export type Servers = { bus: string; store: string };
/** Of docker-compose.yml. */
export const composeServers: Servers = {
  bus: 'nats:4222',
  store: 'mongo:27017/?replicaSet=castellan&authSource=admin',
};

/** Names and texts of all files. The NATS server reads a password as a word only when it begins with a letter. */
export function deploySecrets(random: () => string, { bus, store }: Servers = composeServers): Record<string, string> {
  const passwords = new Map(busUsers.map((user) => [user, `pw${random()}`]));
  const [, scheme = 'mongodb://', servers] = /^(mongodb(?:\+srv)?:\/\/)?(.*)$/.exec(store) ?? [];
  const uriOf = (user: string) => `${scheme}${user}:${random()}@${servers}`;
  const exporter = uriOf('exporter');
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
    // Backs all databases up, and restores them.
    'mongodb-uri-operator': uriOf('operator'),
    'backup.passphrase': random(),
  };
  for (const [user, password] of passwords) files[`nats-url-${user}`] = `nats://${user}:${password}@${bus}`;
  for (const user of Object.keys(databases)) files[`mongodb-uri-${user}`] = uriOf(user);
  return files;
}

/**
 * Writes them into a folder, each file for its owner alone, with the keys of the services. Nothing is overwritten.
 * @returns how many files there are beside the keys. @throws Error when the folder has secrets already.
 */
export function writeDeploySecrets(folder: string, servers: Servers): number {
  const mask = process.umask(0o077);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // Passwords stand in two files, which must not come from two runs.
    if (existsSync(join(folder, 'nats.env')))
      throw new Error(`${folder} has secrets already; remove it to make all of them anew.`);
    const made = deploySecrets(() => randomBytes(32).toString('hex'), servers);
    for (const [name, text] of Object.entries(made)) writeFileSync(join(folder, name), text, { mode: 0o600 });
    writeServiceKeys(join(folder, 'service-keys'));
    return Object.keys(made).length;
  } finally {
    process.umask(mask);
  }
}
