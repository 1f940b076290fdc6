import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { busUsers, passwordVariableOf } from '@castellan/service-kit/bus';

const ownerOnly = 0o600;
const othersMayAccess = 0o077;

export const secretsDir = (stateDir: string): string => join(stateDir, 'secrets');

/** Writes a file that only its owner reads. @returns its path. */
export function writeSecret(stateDir: string, name: string, text: string): string {
  const folder = secretsDir(stateDir);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, name);
  writeFileSync(file, text, { mode: ownerOnly });
  return file;
}

const random = (): string => randomBytes(32).toString('hex');
/** The NATS server reads a variable as it reads its configuration, where what begins with a digit may be a number. */
const randomWord = (): string => `pw${random()}`;

/** The file of a secret, made at the first start and kept. @returns its path. */
function keptSecret(stateDir: string, name: string, make = random): string {
  const file = join(secretsDir(stateDir), name);
  return existsSync(file) ? file : writeSecret(stateDir, name, make());
}

/** Files with the two keys that seal what is stored: the identity provider's signing keys, and channels' URLs and secrets. */
export function sealingKeys(stateDir: string): { authKeySecret: string; notificationsKey: string } {
  const former = join(stateDir, 'auth-key-secret');
  // Where it stood until it had a folder of its own; it opens what is sealed already.
  if (existsSync(former) && !existsSync(join(secretsDir(stateDir), 'auth-key-secret')))
    writeSecret(stateDir, 'auth-key-secret', readFileSync(former, 'utf8').trim());
  return {
    authKeySecret: keptSecret(stateDir, 'auth-key-secret'),
    notificationsKey: keptSecret(stateDir, 'notifications-key'),
  };
}

export type BusCredentials = {
  /** The server's variables: a password for each user. */
  readonly passwords: Readonly<Record<string, string>>;
  /** Users and passwords; each process gets its own. */
  readonly passwordOf: (user: string) => string;
  /** The file with the URL of a service's user. */
  readonly urlFileOf: (user: string) => string;
};

/** Passwords of the bus's users, made at the first start, and for each service a file with its URL. */
export function busCredentials(stateDir: string, natsUrl: string, oracleUsers: readonly string[]): BusCredentials {
  const passwordOf = (user: string) =>
    readFileSync(keptSecret(stateDir, `nats-password-${user}`, randomWord), 'utf8').trim();
  const urlOf = (user: string) => natsUrl.replace('nats://', `nats://${user}:${passwordOf(user)}@`);
  const files = new Map(busUsers.map((user) => [user, writeSecret(stateDir, `nats-url-${user}`, urlOf(user))]));
  const users = [...busUsers, ...oracleUsers];
  return {
    passwords: Object.fromEntries(users.map((user) => [passwordVariableOf(user), passwordOf(user)])),
    passwordOf,
    urlFileOf: (user) => files.get(user) as string,
  };
}

/** Takes the rights of others from all that lies in a folder, as earlier starts may have left it. */
export function closeToOthers(folder: string): void {
  for (const entry of ['.', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })]) {
    const file = join(folder, entry);
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found && !found.isSymbolicLink() && found.mode & othersMayAccess)
      chmodSync(file, found.mode & 0o777 & ~othersMayAccess);
  }
}

/** Who may have a secret of the environment that `npm start` was given; all others start without it. */
const secretVariables: Readonly<Record<string, readonly string[]>> = {
  NATS_URL: [],
  MONGODB_URI: [],
  AUTH_KEY_SECRET: [],
  AUTH_KEY_SECRET_PREVIOUS: ['auth'],
  NOTIFICATIONS_KEY: ['users'],
  AI_API_KEY: ['ai'],
  KEEPER_PRIVATE_KEY: ['keeper'],
  // URLs of chain nodes carry their providers' keys.
  CHAINS: ['auth', 'vaults', 'keeper'],
};

/** The environment of a process: without the secrets that are other processes'. */
export function environmentFor(process: string, given: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const foreign = Object.entries(secretVariables).flatMap(([name, owners]) =>
    owners.includes(process) ? [] : [name, `${name}_FILE`],
  );
  return Object.fromEntries(Object.entries(given).filter(([name]) => !foreign.includes(name)));
}
