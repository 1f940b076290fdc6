import { expect, test } from '@jest/globals';
import type { ChainStatus, ChainStatusStore, LogHead } from '../ports.ts';
import { vaultsOf } from './chain-status.mongo.ts';
import { OwnChains } from './own-chains.ts';
import { ownStatus } from './own-status.ts';

const chainId = 1;
const head = (token: number, seq: number): LogHead => ({ token, seq, rollbacks: [] });
const block = (number: number) => ({ number: BigInt(number), hash: `0x${number}` as const, timestamp: BigInt(number) });

/** A stored status that counts its requests, and a lease that the test gives and takes. */
function aChain() {
  const held: { token: number | undefined } = { token: 1 };
  const stored: ChainStatus = { published_seq: 3 };
  const asked: string[] = [];
  const clock = { ms: 0 };
  const reply: { held: Promise<void> | undefined } = { held: undefined };
  const set = (name: string, fields: ChainStatus) => {
    asked.push(name);
    Object.assign(stored, fields);
  };
  const store: ChainStatusStore = {
    get: async () => {
      asked.push('get');
      return { ...stored };
    },
    setHead: async ({ token }, { number }) => set('head', { head_block: Number(number), token }),
    setIndexed: async (indexer, tip, newest) => {
      set('indexed', {
        indexed_block: tip && Number(tip.number),
        vaults: vaultsOf(indexer),
        ...(newest && { head_block: Number(newest.number) }),
        token: indexer.token,
      });
      await reply.held;
    },
    setBackfilled: async () => set('backfilled', { backfilled: true }),
    setPublished: async (_chain, seq) => set('published', { published_seq: seq }),
  };
  const own = new OwnChains();
  own.follow(chainId, () => held.token);
  const take = (token: number, seq = 3) =>
    own.writing(
      chainId,
      async () => head(token, seq),
      (taken) => ({ head: taken }),
    );
  return { own, held, reply, stored, asked, clock, take, status: ownStatus(store, own, () => clock.ms) };
}

const writer = { chainId, token: 1, branch: 0, revision: 1 };

test('default: the writer of a chain asks the store once for its status, and knows what it writes', async () => {
  const { take, status, asked, own } = aChain();
  await take(1);
  await status.get(chainId);
  await status.setHead(writer, block(8));
  await status.setIndexed(writer, block(8));
  await status.setPublished(chainId, 9);
  expect(await status.get(chainId)).toMatchObject({ indexed_block: 8, head_block: 8, published_seq: 9 });
  expect(asked).toEqual(['get', 'head', 'indexed', 'published']);
  expect(own.head(chainId)).toEqual(head(1, 3));
});

test('behavior: the head is stored with the tip that follows, and by itself when none does for five seconds', async () => {
  const { take, status, asked, stored, clock } = aChain();
  await take(1);
  await status.get(chainId);
  await status.setIndexed(writer, block(7));
  await status.setHead(writer, block(8));
  clock.ms += 1_000;
  await status.setHead(writer, block(9));
  expect((await status.get(chainId)).head_block).toBe(9);
  expect([asked, stored.head_block]).toEqual([['get', 'indexed', 'head'], 8]);
  await status.setIndexed(writer, block(9));
  expect(stored.head_block).toBe(9);
  clock.ms += 5_000;
  await status.setHead(writer, block(9));
  await status.setHead(writer, block(10));
  expect(stored.head_block).toBe(10);
  expect(asked).toEqual(['get', 'indexed', 'head', 'indexed', 'head']);
});

test('behavior: without the lease, under another token and before the log is taken over the store is asked', async () => {
  const { take, status, asked, held, own } = aChain();
  await status.get(chainId);
  await take(1);
  await status.get(chainId);
  held.token = undefined;
  await status.get(chainId);
  expect(own.head(chainId)).toBeUndefined();
  held.token = 2;
  await status.get(chainId);
  expect(own.head(chainId)).toBeUndefined();
  await take(2);
  await status.get(chainId);
  await status.get(chainId);
  expect(asked).toEqual(['get', 'get', 'get', 'get', 'get']);
});

test('error: what a failed write left is read again', async () => {
  const { take, status, asked, own } = aChain();
  await take(1);
  await status.get(chainId);
  const failing = () => Promise.reject(new Error('away'));
  await expect(own.writing(chainId, failing, (_done, known) => known)).rejects.toThrow('away');
  expect(own.head(chainId)).toBeUndefined();
  await status.get(chainId);
  expect(asked).toEqual(['get', 'get']);
});

test('behavior: what was read while it was written is not kept', async () => {
  const { take, own } = aChain();
  await take(1);
  const read = async () => {
    await own.writing(
      chainId,
      async () => undefined,
      (_done, known) => ({ ...known, head: head(1, 4) }),
    );
    return { published_seq: 1 };
  };
  await own.reading(chainId, read);
  expect([own.status(chainId), own.head(chainId)?.seq]).toEqual([undefined, 4]);
  const readBeforeTip = () => own.reading(chainId, async () => ({ indexed_block: 6 }));
  await own.publishing(chainId, async () => void (await readBeforeTip()));
  expect(own.status(chainId)).toBeUndefined();
});

test('error: while the reply to a written tip is held up its writer answers what the store has, as every other process', async () => {
  const { take, status, reply, asked } = aChain();
  await take(1);
  await status.get(chainId);
  await status.setIndexed(writer, block(7));
  let arrive: () => void = () => undefined;
  reply.held = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const written = status.setIndexed({ ...writer, revision: 2 }, block(8));
  const isPublished = { indexed_block: 8, vaults: { token: 1, revision: 2 } };
  expect(await status.get(chainId)).toMatchObject(isPublished);
  arrive();
  await written;
  expect(await status.get(chainId)).toMatchObject(isPublished);
  expect(asked).toEqual(['get', 'indexed', 'indexed', 'get']);
});

test('error: a holder that stood still until its lease ended answers from what its successor published', async () => {
  const { take, status, stored, held } = aChain();
  await take(1);
  await status.get(chainId);
  await status.setIndexed(writer, block(7));
  Object.assign(stored, { indexed_block: 8, token: 2, vaults: { token: 2, revision: 1 } });
  expect((await status.get(chainId)).vaults).toEqual({ token: 1, revision: 1 });
  held.token = undefined;
  expect(await status.get(chainId)).toMatchObject({ indexed_block: 8, vaults: { token: 2, revision: 1 } });
});

test('behavior: where another process indexes, those who ask together are answered by one read', async () => {
  const { status, asked } = aChain();
  await Promise.all([status.get(chainId), status.get(chainId), status.get(chainId)]);
  expect(asked).toEqual(['get']);
});
