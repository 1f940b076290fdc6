import type { Engine } from '../engine/engine.ts';
import type { Deadline } from '../engine/sort.ts';
import type { Transaction } from '../engine/transactions.ts';
import { type Doc, isNumeric, toNumber } from '../engine/values/types.ts';
import type { Request } from '../wire/message.ts';
import type { Access } from './access.ts';
import type { Cursors } from './cursors.ts';
import type { Eventually } from './parts.ts';
import type { Sessions } from './sessions.ts';

/** What a command may use. */
export type CommandContext = {
  engine: Engine;
  cursors: Cursors;
  sessions: Sessions;
  access: Access;
  /** The transaction this command is a part of. */
  transaction: Transaction | undefined;
  db: string;
  body: Doc;
  request: Request;
  connectionId: number;
  startedAt: number;
  connections(): number;
};

/** A command: its known fields (undefined: any) and what it does. The answer is a document, or one that is encoded already. */
export type Command = {
  fields: ReadonlySet<string> | undefined;
  run(context: CommandContext): Eventually<Doc | Buffer>;
  /** Its answer waits for the commit of what it wrote. */
  writes?: boolean;
  /** It frees space, so a full disk does not stop it. */
  frees?(body: Doc): boolean;
};

/** The time limit a command asked for. */
export function deadlineOf({ body, engine }: CommandContext): Deadline {
  const limit = isNumeric(body.maxTimeMS) ? toNumber(body.maxTimeMS) : 0;
  return { at: limit > 0 ? engine.clock() + limit : undefined, now: engine.clock };
}
