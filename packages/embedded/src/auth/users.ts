import { createHmac, hash, pbkdf2Sync, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Who may use a store, and which databases; `*` names all, which is for those who operate it. */
export type StoreUser = {
  readonly name: string;
  readonly password: string;
  readonly databases: readonly string[];
  readonly role: 'readWrite';
};

/** What proves a password without being it (RFC 5802). */
export type Credentials = { salt: Buffer; iterations: number; storedKey: Buffer; serverKey: Buffer };

// MongoDB's scramSHA256IterationCount, and its length of salts.
const ITERATIONS = 15_000;
const SALT_BYTES = 28;

/** The users of a store; their passwords are derived when they are first asked for. */
export class Users {
  private readonly users = new Map<string, StoreUser>();
  private readonly derived = new Map<string, Credentials>();
  private readonly secret = randomBytes(32);

  constructor(users: readonly StoreUser[]) {
    for (const user of users) {
      if (this.users.has(user.name)) throw new Error(`two users of the store are named ${user.name}`);
      this.users.set(user.name, user);
    }
  }

  find(name: string): StoreUser | undefined {
    return this.users.get(name);
  }

  credentialsOf(name: string): Credentials {
    const known = this.derived.get(name);
    if (known) return known;
    const user = this.users.get(name);
    if (!user) return this.strangerCredentials(name);
    const credentials = derive(user.password, randomBytes(SALT_BYTES));
    this.derived.set(name, credentials);
    return credentials;
  }

  /** A name without a user is asked for a proof as well, with the same salt each time; no proof fits. */
  private strangerCredentials(name: string): Credentials {
    const salt = createHmac('sha256', this.secret).update(name).digest().subarray(0, SALT_BYTES);
    return { salt, iterations: ITERATIONS, storedKey: randomBytes(32), serverKey: randomBytes(32) };
  }
}

function derive(password: string, salt: Buffer): Credentials {
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256');
  const storedKey = hash('sha256', hmac(salted, 'Client Key'), 'buffer');
  return { salt, iterations: ITERATIONS, storedKey, serverKey: hmac(salted, 'Server Key') };
}

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/**
 * Reads users from a JSON file: `[{ "name", "password_file", "databases", "role": "readWrite" }]`; paths are from its folder.
 * @throws {Error} that names the fault and never a password.
 */
export function readUsersFile(path: string): StoreUser[] {
  const faulty = (what: string): Error => new Error(`${path}: ${what}`);
  const text = readFileSync(path, 'utf8');
  let listed: unknown;
  try {
    listed = JSON.parse(text);
  } catch {
    throw faulty('is not JSON');
  }
  if (!Array.isArray(listed) || listed.length === 0) throw faulty('must be a list with a user at least');
  return listed.map((entry: Record<string, unknown>, i) => {
    const { name, password_file: file, databases, role } = entry;
    if (typeof name !== 'string' || name === '') throw faulty(`user ${i} has no name`);
    if (role !== 'readWrite') throw faulty(`user ${name}: the role must be readWrite`);
    if (!Array.isArray(databases) || databases.length === 0 || !databases.every((one) => typeof one === 'string'))
      throw faulty(`user ${name}: databases must be a list of names, or ["*"]`);
    if (typeof file !== 'string') throw faulty(`user ${name} has no password_file`);
    const password = readFileSync(resolve(dirname(path), file), 'utf8').trim();
    if (!/^[!-~ ]{8,}$/.test(password)) throw faulty(`user ${name}: the password must be 8 or more ASCII characters`);
    return { name, password, databases, role };
  });
}
