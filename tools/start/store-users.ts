import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A user of the store, and the databases it reads and writes. */
export type StoreUserSpec = { readonly name: string; readonly databases: readonly string[] };

/** Where the store's users are kept, and the URI of each. */
export type StoreUsers = { readonly usersFile: string; readonly uriOf: (name: string) => string };

const ownerOnly = { mode: 0o600 };

/**
 * The store's users of this system: a user for each process, which reaches its own databases alone. The keeper shares the
 * database of the vaults service; the operator, whom no process uses, reaches all.
 * @param database - The one database of all services, where MONGODB_DATABASE names one.
 */
export function storeUserSpecs(validators: readonly number[], database: string | undefined): StoreUserSpec[] {
  const services = ['ai', 'analytics', 'auth', 'gateway', 'users', 'vaults'];
  const databaseOf = (service: string): string[] => [database || `castellan_${service}`];
  return [
    ...services.map((name) => ({ name, databases: databaseOf(name) })),
    { name: 'keeper', databases: databaseOf('vaults') },
    ...validators.map((index) => ({
      name: `oracle-${index}`,
      databases: [`castellan_validator_oracle_${index}`],
    })),
    { name: 'operator', databases: ['*'] },
  ];
}

/** The folder of what each user's password and URI are read from. */
export const storeUsersFolder = (stateDir: string): string => join(stateDir, 'store-users');

/** The file with the URI of one user. */
export const storeUriFile = (stateDir: string, name: string): string => join(storeUsersFolder(stateDir), `${name}.uri`);

/** Writes the users of the store that this starts. Passwords are made at the first start and kept; only their owner reads them. */
export function writeStoreUsers(stateDir: string, port: number, specs: readonly StoreUserSpec[]): StoreUsers {
  const folder = storeUsersFolder(stateDir);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const { name } of specs) {
    const file = join(folder, `${name}.password`);
    if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString('base64url'), ownerOnly);
    const password = readFileSync(file, 'utf8').trim();
    writeFileSync(storeUriFile(stateDir, name), `mongodb://${name}:${password}@127.0.0.1:${port}`, ownerOnly);
  }
  const users = specs.map(({ name, databases }) => ({
    name,
    password_file: `${name}.password`,
    databases,
    role: 'readWrite',
  }));
  const usersFile = join(folder, 'users.json');
  writeFileSync(usersFile, `${JSON.stringify(users, null, 2)}\n`, ownerOnly);
  return { usersFile, uriOf: (name) => readFileSync(storeUriFile(stateDir, name), 'utf8') };
}
