import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ConfigError, connectMongo, createRegistry } from '@castellan/service-kit';
import { ProjectionStore } from './adapters/projection-store.mongo.ts';
import { loadConfig } from './config.ts';
import { type CursorDocument, openCollections } from './models/collections.ts';

const usage = `npm run rebuild:analytics -- [--chain <id>]
Has the running analytics service project the log again from its beginning, and shows how far it is.
Reads answer NOT_READY (503) for a chain until it is done. MONGODB_URI names the store;
that of npm start is in .castellan/store-users/analytics.uri.`;

/** A projector looks every 2 s; one that is busy with a page takes longer. */
const PICKED_UP_WITHIN_MS = 15_000;
const POLL_MS = 250;

export type RebuildDeps = {
  store: Pick<ProjectionStore, 'cursors' | 'requestRebuild'>;
  /** Milliseconds of a monotonic clock. */
  now: () => number;
  sleep: (ms: number) => Promise<unknown>;
  say: (line: string) => void;
};

const isStarted = (before: CursorDocument, { generation, rebuild_requested }: CursorDocument): boolean =>
  generation !== before.generation || !rebuild_requested;

const isDone = ({ rebuild_requested, busy, caught_up, after_seq, head_seq }: CursorDocument): boolean =>
  !rebuild_requested && !busy && caught_up && after_seq >= head_seq;

/** Where a chain was when it was first seen on its way. */
type Start = { readonly at: number; readonly seq: number };

function progress({ chain_id, after_seq, head_seq }: CursorDocument, start: Start, now: number): string {
  const rate = ((after_seq - start.seq) * 1000) / (now - start.at);
  const pace = rate > 0 && now > start.at;
  const left = pace ? `, ${Math.round(rate)} a second, ${Math.ceil((head_seq - after_seq) / rate)} s left` : '';
  return `chain ${chain_id}: ${after_seq} of ${head_seq} entries${left}`;
}

/** Follows one chain: what there is to say of its cursor. */
class Follower {
  readonly #before: CursorDocument;
  #pickedUp: number | undefined;
  #start: Start | undefined;
  #lastLine: string | undefined;
  isOver = false;

  constructor(before: CursorDocument) {
    this.#before = before;
  }

  get chainId(): number {
    return this.#before.chain_id;
  }

  get isPickedUp(): boolean {
    return this.#pickedUp !== undefined;
  }

  /** @returns a line that was not said before. */
  see(cursor: CursorDocument, now: number): string | undefined {
    if (!isStarted(this.#before, cursor)) return undefined;
    this.#pickedUp ??= now;
    const line = this.#lineOf(cursor, now, this.#pickedUp);
    if (line === this.#lastLine) return undefined;
    this.#lastLine = line;
    return line;
  }

  #lineOf(cursor: CursorDocument, now: number, pickedUp: number): string {
    const { chain_id, after_seq, rebuild_requested } = cursor;
    if (rebuild_requested) return `chain ${chain_id}: taking the old facts away`;
    this.#start ??= { at: now, seq: after_seq };
    this.isOver = isDone(cursor);
    if (!this.isOver) return progress(cursor, this.#start, now);
    return `chain ${chain_id}: ${after_seq} entries projected again in ${((now - pickedUp) / 1000).toFixed(1)} s`;
  }
}

/**
 * Asks the projector to begin again and follows it until it has caught up.
 * @param chainId - Undefined: every chain that was ever projected.
 * @returns false when there is nothing to rebuild, or when no projector takes it up.
 */
export async function rebuild({ store, now, sleep, say }: RebuildDeps, chainId: number | undefined): Promise<boolean> {
  const known = await store.cursors();
  const wanted = known.filter(({ chain_id }) => chainId === undefined || chain_id === chainId);
  if (wanted.length === 0) {
    const list = known.map(({ chain_id }) => chain_id).join(', ') || 'none';
    say(
      `Nothing to rebuild: ${chainId === undefined ? 'no chain was' : `chain ${chainId} was never`} projected. Known: ${list}.`,
    );
    return false;
  }
  const followers = wanted.map((cursor) => new Follower(cursor));
  for (const { chainId: id } of followers) await store.requestRebuild(id);
  const asked = now();
  while (followers.some(({ isOver }) => !isOver)) {
    await sleep(POLL_MS);
    for (const cursor of await store.cursors()) {
      const follower = followers.find((item) => item.chainId === cursor.chain_id && !item.isOver);
      const line = follower?.see(cursor, now());
      if (line !== undefined) say(line);
    }
    const unseen = followers.filter(({ isPickedUp }) => !isPickedUp).map((item) => item.chainId);
    if (unseen.length > 0 && now() - asked > PICKED_UP_WITHIN_MS) {
      say(
        `No projector took chain ${unseen.join(', ')} up within ${PICKED_UP_WITHIN_MS / 1000} s. Is the analytics service running on this store? The request stays: one that starts begins with it.`,
      );
      return false;
    }
  }
  return true;
}

async function main(): Promise<boolean> {
  const say = (line: string): void => {
    process.stdout.write(`${line}\n`);
  };
  const { values } = parseArgs({ options: { chain: { type: 'string' }, help: { type: 'boolean', default: false } } });
  if (values.help) {
    say(usage);
    return true;
  }
  if (values.chain !== undefined && !/^[1-9][0-9]{0,14}$/.test(values.chain))
    throw new TypeError(`--chain must be a chain id, not "${values.chain}".\n\n${usage}`);
  const { mongo } = loadConfig(process.env).base;
  const connection = await connectMongo({ ...mongo, registry: createRegistry('rebuild') }).catch((error: Error) => {
    throw new ConfigError([{ name: 'MONGODB_URI', message: `the document store does not answer: ${error.message}` }]);
  });
  try {
    const store = new ProjectionStore(openCollections(connection));
    const chainId = values.chain === undefined ? undefined : Number(values.chain);
    return await rebuild({ store, now: () => performance.now(), sleep, say }, chainId);
  } finally {
    await connection.close();
  }
}

if (import.meta.main) {
  try {
    process.exitCode = (await main()) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof TypeError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  }
}
