import { Binary } from 'bson';
import { ScramExchange, ScramFault } from '../auth/scram.ts';
import type { StoreUser, Users } from '../auth/users.ts';
import { refuse } from '../engine/errors.ts';
import { bsonType, type Doc, isDoc } from '../engine/values/types.ts';
import type { Log } from '../wire/server.ts';

/** What a connection has proved, and the exchange it is in. */
type Standing = { user?: StoreUser; exchange?: ScramExchange; isProved?: boolean; skipsEmpty?: boolean };

/** Users belong to this database: the `authSource` of their URIs. */
const USERS_DATABASE = 'admin';
const CONVERSATION = 1;

/** Commands that come before a login, as in MongoDB. */
const beforeLogin: ReadonlySet<string> = new Set([
  'hello',
  'ismaster',
  'isMaster',
  'ping',
  'buildInfo',
  'buildinfo',
  'saslStart',
  'saslContinue',
  'connectionStatus',
]);

/** Commands of any user on any database: about sessions, or with answers of their own for each user. */
const ofAnyUser: ReadonlySet<string> = new Set([
  'endSessions',
  'refreshSessions',
  'killSessions',
  'startSession',
  'commitTransaction',
  'abortTransaction',
  'listDatabases',
]);

/** Commands about the whole store. */
const ofOperators: ReadonlySet<string> = new Set(['serverStatus', 'hostInfo']);

/** Who is on which connection, and what they may do. A store without users allows everything. */
export class Access {
  private readonly users: Users | undefined;
  private readonly log: Log;
  private readonly standings = new Map<number, Standing>();

  constructor(users: Users | undefined, log: Log) {
    this.users = users;
    this.log = log;
  }

  /** True when the store has users. */
  get isRestricted(): boolean {
    return this.users !== undefined;
  }

  /** The user of a connection; undefined before a login, and in a store without users. */
  userOf(connectionId: number): StoreUser | undefined {
    return this.standings.get(connectionId)?.user;
  }

  /** Whether a connection may see a database. */
  permits(connectionId: number, db: string): boolean {
    if (!this.users) return true;
    const databases = this.userOf(connectionId)?.databases ?? [];
    return databases.includes('*') || databases.includes(db);
  }

  /** @throws {StoreError} Unauthorized. */
  check(name: string, db: string, connectionId: number): void {
    if (!this.users || beforeLogin.has(name)) return;
    if (!this.userOf(connectionId)) refuse(13, `Command ${name} requires authentication`);
    if (ofAnyUser.has(name)) return;
    if (this.permits(connectionId, ofOperators.has(name) ? '*' : db)) return;
    refuse(13, `not authorized on ${db} to execute command ${name}`);
  }

  /** Begins a login. @throws {StoreError} AuthenticationFailed. */
  start(connectionId: number, db: string, body: Doc): Doc {
    if (!this.users) {
      return refuse(
        18,
        'Authentication failed: this store has no users; remove the credentials from the connection string',
      );
    }
    const { mechanism } = body;
    if (mechanism !== 'SCRAM-SHA-256') return refuse(18, 'Authentication failed: the mechanism is SCRAM-SHA-256');
    if (db !== USERS_DATABASE)
      return refuse(18, `Authentication failed: users belong to ${USERS_DATABASE} (authSource)`);
    // One login at a time; a new one ends what the connection had proved before.
    this.standings.delete(connectionId);
    const exchange = this.step(connectionId, undefined, (users) => new ScramExchange(textOf(body.payload), users));
    const skipsEmpty = isDoc(body.options) && body.options.skipEmptyExchange === true;
    this.standings.set(connectionId, { exchange, skipsEmpty });
    return { conversationId: CONVERSATION, done: false, payload: bytesOf(exchange.challenge) };
  }

  /** Goes on with a login. @throws {StoreError} AuthenticationFailed. */
  proceed(connectionId: number, body: Doc): Doc {
    const standing = this.standings.get(connectionId);
    const { exchange } = standing ?? {};
    if (!standing || !exchange) return refuse(18, 'Authentication failed: no login has begun on this connection');
    if (standing.isProved) {
      this.admit(standing, exchange);
      return { conversationId: CONVERSATION, done: true, payload: bytesOf('') };
    }
    const answer = this.step(connectionId, exchange.user, () => exchange.finish(textOf(body.payload)));
    standing.isProved = true;
    if (standing.skipsEmpty) this.admit(standing, exchange);
    return { conversationId: CONVERSATION, done: standing.skipsEmpty === true, payload: bytesOf(answer) };
  }

  private admit(standing: Standing, exchange: ScramExchange): void {
    const user = this.users?.find(exchange.user);
    if (user) standing.user = user;
    delete standing.exchange;
  }

  /** A fault ends the login, and says no more than that it failed. */
  private step<T>(connectionId: number, user: string | undefined, work: (users: Users) => T): T {
    try {
      return work(this.users as Users);
    } catch (error) {
      if (!(error instanceof ScramFault)) throw error;
      this.standings.delete(connectionId);
      this.log('authentication failed', { connection: connectionId, ...(user !== undefined && { user }) });
      return refuse(18, 'Authentication failed.');
    }
  }

  connectionClosed(connectionId: number): void {
    this.standings.delete(connectionId);
  }
}

const bytesOf = (text: string): Binary => new Binary(Buffer.from(text, 'utf8'));

function textOf(payload: unknown): string {
  if (bsonType(payload) === 'Binary') return Buffer.from((payload as Binary).value()).toString('utf8');
  return refuse(14, "BSON field 'payload' must be binary data");
}
