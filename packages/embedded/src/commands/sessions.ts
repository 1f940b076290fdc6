import { refuse, StoreError } from '../engine/errors.ts';
import { type Transaction, type Transactions, transient } from '../engine/transactions.ts';
import { bsonType, type Doc, isDoc, isNumeric, toNumber } from '../engine/values/types.ts';
import type { Cursors } from './cursors.ts';

/** What a session did last: its latest transaction's number and how that stands. */
type Session = {
  number: number;
  state: 'open' | 'committed' | 'aborted';
  transaction: Transaction | undefined;
  connectionId: number;
  beganMs: number;
  usedMs: number;
};

/** A session without use ends after this: MongoDB's logicalSessionTimeoutMinutes, which hello announces. */
export const SESSION_MINUTES = 30;

/** Commands of a transaction, as MongoDB has them; others would not see what it sees. */
const allowed: ReadonlySet<string> = new Set([
  'find',
  'getMore',
  'killCursors',
  'aggregate',
  'distinct',
  'insert',
  'update',
  'delete',
  'findAndModify',
  'findandmodify',
]);

/** Do not read documents: what they give was read when their cursor opened. */
const ofCursors: ReadonlySet<string> = new Set(['getMore', 'killCursors']);

type Parts = { transactions: Transactions; cursors: Cursors; clock: () => number; lifetimeMs: number };

/** The session and the number that a command of a transaction names. @throws {StoreError} for fields that fit no transaction. */
function namedBy(body: Doc, user: string): { key: string; number: number } {
  const id = isDoc(body.lsid) ? body.lsid.id : undefined;
  if (bsonType(id) !== 'Binary') return refuse(72, 'Transaction numbers need a session: lsid is missing');
  if (!isNumeric(body.txnNumber)) return refuse(72, 'A transaction needs a txnNumber');
  const { buffer } = id as { buffer: Uint8Array };
  return { key: `${user} ${Buffer.from(buffer).toString('hex')}`, number: toNumber(body.txnNumber) };
}

/** Sessions that used transactions, each with its latest one. */
export class Sessions {
  private readonly known = new Map<string, Session>();
  private readonly parts: Parts;

  constructor(parts: Parts) {
    this.parts = parts;
  }

  /** Runs a command as part of the transaction it names; an error of any kind aborts that. */
  run<T>(
    from: { name: string; body: Doc; user: string; connectionId: number },
    work: (transaction: Transaction) => T,
    failed: (result: T) => boolean,
  ): T {
    const { name, body } = from;
    if (!allowed.has(name)) refuse(263, `Cannot run '${name}' in a multi-document transaction.`);
    const session = body.startTransaction === true ? this.begin(from) : this.continued(from);
    const { transaction } = session;
    if (!transaction) return refuse(251, 'The transaction was aborted', transient);
    session.usedMs = this.parts.clock();
    session.connectionId = from.connectionId;
    try {
      const { transactions } = this.parts;
      const result = ofCursors.has(name) ? work(transaction) : transactions.run(transaction, () => work(transaction));
      if (failed(result)) this.close(session, 'aborted');
      return result;
    } catch (error) {
      this.close(session, 'aborted');
      throw error;
    }
  }

  private begin({ body, user, connectionId }: { body: Doc; user: string; connectionId: number }): Session {
    const { key, number } = namedBy(body, user);
    this.expire();
    const before = this.known.get(key);
    if (before && number <= before.number) {
      refuse(225, `Cannot start transaction ${number}: the session has already begun transaction ${before.number}`);
    }
    if (before) this.close(before, 'aborted');
    const now = this.parts.clock();
    const transaction = this.parts.transactions.begin();
    const session: Session = { number, state: 'open', transaction, connectionId, beganMs: now, usedMs: now };
    this.known.set(key, session);
    return session;
  }

  private continued({ body, user }: { body: Doc; user: string }): Session {
    const { key, number } = namedBy(body, user);
    this.expire();
    const session = this.known.get(key);
    if (!session || session.number < number) return noTransaction(number);
    if (session.number > number) return refuse(225, `Transaction ${number} is older than the session's latest`);
    if (session.state === 'committed') return refuse(256, `Transaction ${number} has been committed.`);
    if (session.state === 'aborted') return noTransaction(number);
    return session;
  }

  /** Commits; a second time it is the answer alone, for drivers that lost the first one. @throws {StoreError} */
  commit(body: Doc, user: string, settled: () => Promise<void> | undefined): void {
    const { key, number } = namedBy(body, user);
    const known = this.known.get(key);
    if (known?.number === number && known.state === 'committed') return;
    const session = this.continued({ body, user });
    const { transaction } = session;
    try {
      if (!transaction) noTransaction(number);
      else this.parts.transactions.commit(transaction);
    } catch (error) {
      this.close(session, 'aborted');
      throw error;
    }
    this.close(session, 'committed');
    // Until then a fault of the disk may undo it.
    settled()?.catch(() => {
      session.state = 'aborted';
    });
  }

  /** @throws {StoreError} NoSuchTransaction, TransactionCommitted. */
  abort(body: Doc, user: string): void {
    this.close(this.continued({ body, user }), 'aborted');
  }

  /** Forgets sessions that ended, with their transactions. */
  end(ids: unknown, user: string): void {
    for (const lsid of Array.isArray(ids) ? ids : []) {
      try {
        const { key } = namedBy({ lsid, txnNumber: 0 }, user);
        const session = this.known.get(key);
        if (session) this.close(session, 'aborted');
        this.known.delete(key);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
      }
    }
  }

  /** Aborts what a closed connection carried last: its client has probably ended. */
  connectionClosed(connectionId: number): void {
    for (const session of this.known.values()) {
      if (session.connectionId === connectionId) this.close(session, 'aborted');
    }
  }

  /** Aborts transactions that are open for too long, and forgets sessions that nobody uses. */
  expire(): void {
    const now = this.parts.clock();
    for (const [key, session] of this.known) {
      if (session.transaction && now - session.beganMs > this.parts.lifetimeMs) this.close(session, 'aborted');
      if (now - session.usedMs > SESSION_MINUTES * 60_000) this.known.delete(key);
    }
  }

  private close(session: Session, state: 'committed' | 'aborted'): void {
    if (!session.transaction) return;
    this.parts.cursors.killOf(session.transaction);
    this.parts.transactions.end(session.transaction);
    session.transaction = undefined;
    session.state = state;
  }
}

function noTransaction(number: number): never {
  return refuse(251, `Given transaction number ${number} does not match any in-progress transactions.`, transient);
}
