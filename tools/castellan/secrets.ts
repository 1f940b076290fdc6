import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { busUsers, passwordVariableOf } from '@castellan/service-kit';
import { addServiceKeys } from '../start/service-keys.ts';

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

/**
 * Where bus and store are, as services reach them: `host:port` of the bus, after `tls://` where it has that, and what follows user and
 * password in the store's URI, after `mongodb+srv://` where it has that.
 */
export type Servers = { bus: string; store: string };
/** Of docker-compose.yml. */
export const composeServers: Servers = {
  bus: 'nats:4222',
  store: 'mongo:27017/?replicaSet=castellan&authSource=admin',
};

/** Empty until the operator has something to put there; compose mounts them all, and starts nothing where one is missing. */
export const filledIn = [
  // Where alerts are sent.
  'alert-receiver',
  // The list of chains, with the URLs of their providers.
  'chains.json',
  // The key of a model's vendor, and the mail server.
  'ai-api-key',
  'smtp-url',
  // A former secret of the identity provider, while it is replaced.
  'auth-key-secret-previous',
  // The keeper's key and the password of it, where no key service has it.
  'keystore.json',
  'unlock',
];

/** Texts of files by their names. */
type Files = Readonly<Record<string, string>>;

/** `scheme://user:password@rest`, as URLs of the bus and URIs of the store have it. */
function partsOf(url = ''): { password: string; server: string } | undefined {
  const [, scheme, password, rest] = /^([a-z+]+:\/\/)[^:@/]+:([^@/]+)@(.+)$/.exec(url.trim()) ?? [];
  return scheme && password ? { password, server: `${scheme}${rest}` } : undefined;
}

/** Where the files of a folder say that bus and store are. */
function serversOf(kept: Files): Partial<Servers> {
  const [bus, store] = ['nats-url-', 'mongodb-uri-'].map((prefix) => {
    const [, url] = Object.entries(kept).find(([name, text]) => name.startsWith(prefix) && partsOf(text)) ?? [];
    return partsOf(url)?.server;
  });
  return { ...(bus && { bus }), ...(store && { store }) };
}

function withScheme(server: string, usual: string): [scheme: string, rest: string] {
  const [, scheme = usual, rest = ''] = /^([a-z+]+:\/\/)?(.*)$/.exec(server) ?? [];
  return [scheme, rest];
}

/** A line for each password of the bus that the file does not have; the NATS server reads one as a word only when it begins with a letter. */
function busPasswords(random: () => string, kept: Files): { text: string; passwordOf: (user: string) => string } {
  const before = kept['nats.env'] ?? '';
  const known = new Map([...before.matchAll(/^(NATS_\w+)=["']?([^"'\s]+)/gm)].map(([, name, value]) => [name, value]));
  const passwords = new Map(
    busUsers.map((user) => {
      const variable = passwordVariableOf(user);
      return [variable, known.get(variable) ?? partsOf(kept[`nats-url-${user}`])?.password ?? `pw${random()}`];
    }),
  );
  // The servers of a cluster know each other by the last one.
  const all = [...passwords, ['NATS_ROUTE_PASSWORD', known.get('NATS_ROUTE_PASSWORD') ?? `pw${random()}`] as const];
  const added = all.filter(([variable]) => !known.has(variable)).map(([variable, value]) => `${variable}=${value}\n`);
  const end = before === '' || before.endsWith('\n') || added.length === 0 ? '' : '\n';
  return {
    text: `${before}${end}${added.join('')}`,
    passwordOf: (user) => String(passwords.get(passwordVariableOf(user))),
  };
}

/**
 * Names and texts of all files. What is kept stays as it is: `nats.env` gets the lines that it lacks, and what is made anew has the
 * passwords that stand in others.
 */
export function deploySecrets(
  random: () => string,
  { bus, store }: Servers = composeServers,
  kept: Files = {},
): Record<string, string> {
  const { text, passwordOf } = busPasswords(random, kept);
  const [busScheme, busRest] = withScheme(bus, 'nats://');
  const [storeScheme, storeRest] = withScheme(store, 'mongodb://');
  const uriOf = (user: string) => kept[`mongodb-uri-${user}`] ?? `${storeScheme}${user}:${random()}@${storeRest}`;
  const exporter = uriOf('exporter');
  const files: Record<string, string> = {
    'auth-key-secret': random(),
    'notifications-key': random(),
    ...Object.fromEntries(filledIn.map((name) => [name, ''])),
    'mongo-root-password': random(),
    'mongo-keyfile': Buffer.from(random() + random()).toString('base64'),
    'mongodb-uri-exporter': exporter,
    'mongodb-exporter.env': `MONGODB_URI=${exporter.trim()}\n`,
    // Backs all databases up, and restores them.
    'mongodb-uri-operator': uriOf('operator'),
    'backup.passphrase': random(),
  };
  for (const user of busUsers) files[`nats-url-${user}`] = `${busScheme}${user}:${passwordOf(user)}@${busRest}`;
  for (const user of Object.keys(databases)) files[`mongodb-uri-${user}`] = uriOf(user);
  for (const name of Object.keys(files)) files[name] = kept[name] ?? `${files[name]}`;
  return { ...files, 'nats.env': text };
}

function readKept(folder: string): Files {
  const names = Object.keys(deploySecrets(() => '')).filter((name) => existsSync(join(folder, name)));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

/** @throws Error where files say where a server is and none can be read: what is new must not name another one. */
function knownServers(folder: string, kept: Files, given: Partial<Servers>): Partial<Servers> {
  const found = { ...serversOf(kept), ...given };
  for (const [server, prefix] of [
    ['bus', 'nats-url-'],
    ['store', 'mongodb-uri-'],
  ] as const)
    if (found[server] === undefined && Object.keys(kept).some((name) => name.startsWith(prefix)))
      throw new Error(
        `No ${folder}/${prefix}* says where the ${server} is, as user:password@host: name it with --${server}.`,
      );
  return found;
}

/**
 * Writes those that a folder lacks, each file for its owner alone, with the keys of the services. Nothing is overwritten: `nats.env` and the
 * public keys grow by what is missing.
 * @param given - Where bus and store are; else where the files of the folder say, else those of docker-compose.yml.
 * @returns the names of the files that were made or grew.
 */
export function writeDeploySecrets(folder: string, given: Partial<Servers> = {}): string[] {
  const mask = process.umask(0o077);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const kept = readKept(folder);
    const servers = { ...composeServers, ...knownServers(folder, kept, given) };
    const made = deploySecrets(() => randomBytes(32).toString('hex'), servers, kept);
    const missing = Object.entries(made).filter(([name, text]) => kept[name] !== text);
    for (const [name, text] of missing) {
      const file = join(folder, name);
      if (kept[name] === undefined) writeFileSync(file, text, { mode: 0o600 });
      else appendFileSync(file, text.slice(kept[name].length));
    }
    const keys = addServiceKeys(join(folder, 'service-keys')).map((name) => `service-keys/${name}`);
    return [...missing.map(([name]) => name), ...keys];
  } finally {
    process.umask(mask);
  }
}

/** What is said of the names that `writeDeploySecrets` returns. */
export function reportOfSecrets(folder: string, made: readonly string[]): string {
  if (made.length === 0) return `${folder} has all secrets.\n`;
  const hasUsers = made.some((name) => name.startsWith('mongodb-uri-'));
  const next = 'Make the users of the store with deploy/mongo/init-replica-set.js; compose does so by itself.\n';
  return `Made in ${folder}: ${made.join(', ')}.\n${hasUsers ? next : ''}`;
}
