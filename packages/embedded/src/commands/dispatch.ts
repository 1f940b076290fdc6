import { BSONError } from 'bson';
import { damageMessage, isDamage } from '../engine/data-file.ts';
import type { Engine } from '../engine/engine.ts';
import { refuse, StoreError } from '../engine/errors.ts';
import { retriedWithReserve } from '../engine/reserve.ts';
import type { Transaction } from '../engine/transactions.ts';
import { type Doc, encode } from '../engine/values/types.ts';
import type { Request } from '../wire/message.ts';
import type { Handle, Log } from '../wire/server.ts';
import type { Access } from './access.ts';
import { adminCommands } from './admin.ts';
import type { Command, CommandContext } from './context.ts';
import type { Cursors } from './cursors.ts';
import { checkFields, partOfTransaction, wantsJournal } from './fields.ts';
import { findAndModify } from './find-and-modify.ts';
import { handshakeCommands } from './handshake.ts';
import { andThen, type Eventually } from './parts.ts';
import { readCommands } from './reads.ts';
import type { Sessions } from './sessions.ts';
import { writeCommands } from './writes.ts';

/** Every command this store knows. */
export const commands: ReadonlyMap<string, Command> = new Map(
  Object.entries({
    ...handshakeCommands,
    ...readCommands,
    ...writeCommands,
    ...adminCommands,
    findAndModify,
    findandmodify: findAndModify,
  }),
);

type Parts = { engine: Engine; cursors: Cursors; sessions: Sessions; access: Access; log: Log; connections(): number };

function asStoreError(error: unknown, path: string): StoreError {
  if (error instanceof StoreError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (isDamage(error)) return new StoreError(1, damageMessage(path, message));
  return new StoreError(error instanceof BSONError ? 22 : 1, message);
}

function errorReply(error: unknown, { log, engine }: Parts, command: string): Uint8Array {
  const known = asStoreError(error, engine.storage.path);
  if (known.code === 1)
    log('command failed', {
      command,
      reason: isDamage(error) ? known.message : String((error as Error).stack ?? error),
    });
  return encode({ ok: 0, errmsg: known.message, code: known.code, codeName: known.codeName, ...known.extra });
}

function run(
  parts: Parts,
  request: Request,
  connectionId: number,
): { reply: Eventually<Doc | Buffer>; journal: boolean } {
  const { body } = request;
  const [name = ''] = Object.keys(body);
  const command = commands.get(name);
  if (!command) return refuse(59, `no such command: '${name}'`);
  const { $db: db } = body;
  if (typeof db !== 'string') return refuse(40571, 'OP_MSG requests require a $db argument');
  parts.access.check(name, db, connectionId);
  if (command.fields) checkFields(name, body, command.fields);
  for (const sequence of request.sequences.keys()) {
    if (!command.fields?.has(sequence)) refuse(40415, `BSON field '${name}.${sequence}' is an unknown field.`);
  }
  const isPart = partOfTransaction(body) && !endsTransaction.has(name);
  const journal = wantsJournal(body) && command.writes === true;
  const context: CommandContext = {
    engine: parts.engine,
    cursors: parts.cursors,
    sessions: parts.sessions,
    access: parts.access,
    transaction: undefined,
    db,
    body,
    request,
    connectionId,
    startedAt: parts.engine.clock(),
    connections: parts.connections,
  };
  if (!isPart) return { reply: command.run(context), journal };
  const user = parts.access.userOf(connectionId)?.name ?? '';
  const work = (transaction: Transaction): Eventually<Doc | Buffer> => command.run({ ...context, transaction });
  return { reply: parts.sessions.run({ name, body, user, connectionId }, work, hasWriteErrors), journal };
}

const endsTransaction: ReadonlySet<string> = new Set(['commitTransaction', 'abortTransaction']);

const hasWriteErrors = (reply: Eventually<Doc | Buffer>): boolean =>
  !Buffer.isBuffer(reply) && !(reply instanceof Promise) && reply.writeErrors !== undefined;

const encodeOk = (reply: Doc | Buffer): Uint8Array => (Buffer.isBuffer(reply) ? reply : encode({ ...reply, ok: 1 }));

/** A command that was run: its answer and what it waits for, or the fault that undid it. */
type Attempt = { reply: Eventually<Uint8Array>; settled: Promise<void> | undefined } | { fault: unknown };

function attempt(parts: Parts, request: Request, connectionId: number): Attempt {
  const { storage } = parts.engine;
  try {
    const { reply, journal } = run(parts, request, connectionId);
    const answer = andThen(reply, encodeOk);
    const settled = storage.settled(journal);
    if (!(answer instanceof Promise)) return { reply: answer, settled };
    // Its last part may have read what others wrote since.
    const later = answer.then(async (bytes) => {
      await storage.settled(false);
      return bytes;
    });
    return { reply: later, settled };
  } catch (error) {
    if (error instanceof StoreError || error instanceof BSONError) {
      return { reply: errorReply(error, parts, commandName(request)), settled: storage.settled(false) };
    }
    storage.abort(error instanceof Error ? error : new Error(String(error)));
    return { fault: error };
  }
}

/** Waits for an attempt. @throws what undid it, be it at once or when it was committed. */
async function outcome(attempted: Attempt): Promise<Uint8Array> {
  if ('fault' in attempted) throw attempted.fault;
  const [answer] = await Promise.all([attempted.reply, attempted.settled]);
  return answer;
}

const commandName = (request: Request): string => Object.keys(request.body)[0] ?? '';

/** Answers requests: each command runs to its end (a long sort in parts), and its answer waits until what it saw is committed. */
export function dispatcher(parts: Parts): Handle {
  return (request, connectionId) => {
    const name = commandName(request);
    const first = attempt(parts, request, connectionId);
    const isPart = request.body.autocommit === false;
    const frees = !isPart && commands.get(name)?.frees?.(request.body) === true;
    if (!frees && 'reply' in first && !first.settled && !(first.reply instanceof Promise)) return first.reply;
    const failed = (error: unknown): Uint8Array => errorReply(error, parts, name);
    const answer = outcome(first);
    if (!frees) return answer.catch(failed);
    const again = (): Promise<Uint8Array> => outcome(attempt(parts, request, connectionId));
    return retriedWithReserve(parts.engine.storage, answer, again).catch(failed);
  };
}
