import { isDepositorKind } from '@castellan/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { who } from '../../../packages/protocol/test/test-chain.ts';
import { followPreparedCalls } from '../src/prepared-calls/tracking/compose.ts';
import { broadcastPrepared } from '../src/prepared-calls/tracking/use-cases/broadcast-prepared.ts';
import { getPrepared } from '../src/prepared-calls/tracking/use-cases/read-prepared.ts';
import { depositorTracker, trackCalls } from '../src/prepared-calls/tracking/use-cases/tracker.ts';
import { callerOf, chain_id, PreparedWorld, preparedSeconds } from './prepared-world.ts';

/** Calls that wallets prepare for their own positions: followed as those of managers, and kept apart from them. */

let world: PreparedWorld;
beforeAll(async () => {
  world = await PreparedWorld.start();
});
afterAll(async () => world?.stop());
beforeEach(async () => {
  world.updates.length = 0;
  // What a test leaves unsent counts for the wallet in the next one.
  await world.mongo.collection('depositor_calls').deleteMany({});
});

const stranger = callerOf(who.stranger);
async function own(amount: bigint) {
  const [call] = await world.keep([world.ownDraft(who.stranger, amount)], who.stranger);
  if (!call) throw new Error('nothing was kept');
  return call;
}
const unsent = () =>
  world.ports.prepared.unsentOf({ wallet: who.stranger.toLowerCase(), chainId: 31_337 }, new Date(world.clock.now()));

describe('a call of the own position', () => {
  test('default: it is followed until the chain shows its effect, and who waits for it hears of it', async () => {
    const call = await own(7n);
    expect(await unsent()).toBe(1);
    const hash = await world.mined(who.stranger, call);
    await world.reportBroadcast(call.id, hash, stranger);
    await world.mine(3);
    await world.track();
    expect(await world.get(call.id, stranger)).toMatchObject({ status: 'verified', kind: 'deposit', tx_hash: hash });
    expect(world.updates.map(({ kind }) => kind)).toContain('call');
    expect(await unsent()).toBe(0);
  });

  test('security: managers have it in no list, no audit row and by no id; nobody else has it either', async () => {
    const before = await world.list();
    const call = await own(8n);
    await world.reportBroadcast(call.id, await world.mined(who.stranger, call), stranger);
    await world.mine(3);
    await world.track();
    expect(await world.get(call.id, stranger)).toMatchObject({ status: 'verified' });
    expect(await world.list()).toEqual(before);
    expect(before.prepared.filter(({ kind }) => isDepositorKind(kind))).toEqual([]);
    expect(world.rows(call.id)).toEqual([]);
    for (const wallet of [who.main, who.secondary, who.alice]) {
      await expect(world.get(call.id, callerOf(wallet))).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
      const reported = world.reportBroadcast(call.id, `0x${'1'.repeat(64)}`, callerOf(wallet));
      await expect(reported).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
    }
    await expect(world.get(call.id, null)).rejects.toMatchObject({ code: 'TOKEN_MISSING' });
  });

  test('behavior: what was never sent runs out of time without a word, and counts no more', async () => {
    const [call, manager] = [await own(9n), await world.keepOne(9n)];
    world.clock.advance((preparedSeconds + 1) * 1_000);
    expect(await unsent()).toBe(0);
    await world.track();
    expect(await world.get(call.id, stranger)).toMatchObject({ status: 'expired' });
    expect(world.added.filter((id) => id.startsWith(`call:${call.id}`))).toEqual([]);
    expect(world.added.filter((id) => id.startsWith(`call:${manager.id}`))).toHaveLength(1);
  });

  test('behavior: its effect is judged by the blocks of its transaction and before it, that of managers by the first', async () => {
    const seen: unknown[] = [];
    const ports = {
      ...world.ports,
      states: { read: async (...of: unknown[]) => (of[3] as { blockNumber: bigint }).blockNumber } as never,
      postConditionOf: () => ({
        description: '',
        holds: (...blocks: unknown[]) => {
          seen.push(blocks);
          return { ok: true, actual: null };
        },
      }),
    };
    const [call, manager] = [await own(19n), await world.keepOne(19n)];
    const hashes = [await world.mined(who.stranger, call), await world.mined(who.main, manager)];
    await world.mine(3);
    const report = broadcastPrepared(ports);
    await report({ id: call.id, tx_hash: String(hashes[0]) }, stranger);
    await report({ id: manager.id, tx_hash: String(hashes[1]) }, callerOf(who.main));
    const block = (await world.chain.client.getTransactionReceipt({ hash: hashes[0] as `0x${string}` })).blockNumber;
    expect(new Set(seen.map((blocks) => String(blocks)))).toEqual(
      new Set([`${block},${block - 1n}`, `${block + 1n},`]),
    );
  });

  test('behavior: checked again, each of two approvals is judged by its own checks', async () => {
    const call = await own(18n);
    const step = (amount: bigint, code: string) => ({
      ...world.draft(who.stranger, amount).content,
      preconditions: [{ code, ok: true, detail: '' }],
    });
    const ports = { ...world.ports, stepsOf: () => [step(0n, 'FIRST'), step(18n, 'SECOND')] };
    expect(await getPrepared(ports)({ id: call.id, recheck: true }, stranger)).toMatchObject({
      preconditions: [{ code: 'SECOND' }],
    });
  });

  test('behavior: what is taken back is gone, and counts no more; calls of managers stay', async () => {
    const before = await unsent();
    const [call, manager] = [await own(17n), await world.keepOne(17n)];
    await world.ports.prepared.takeBack([call.id, manager.id]);
    expect(await unsent()).toBe(before);
    await expect(world.get(call.id, stranger)).rejects.toMatchObject({ code: 'PREPARED_NOT_FOUND' });
    expect(await world.get(manager.id)).toMatchObject({ status: 'prepared' });
  });

  test('error: a transaction carries one call of a position, as it does of managers', async () => {
    const [call, other] = [await own(10n), await own(10n)];
    const hash = await world.mined(who.stranger, call);
    await world.reportBroadcast(call.id, hash, stranger);
    await expect(world.reportBroadcast(other.id, hash, stranger)).rejects.toMatchObject({
      code: 'TRANSACTION_MISMATCH',
    });
  });

  test('security: a hash that no node knows frees no place for another call, and takes its own only for a time', async () => {
    const before = await unsent();
    const call = await own(11n);
    const invented = (digit: string) => world.reportBroadcast(call.id, `0x${digit.repeat(64)}`, stranger);
    await invented('a');
    expect(await unsent()).toBe(before + 1);
    world.clock.advance(3_600_000);
    await world.track();
    expect(await world.get(call.id, stranger)).toMatchObject({ status: 'replaced' });
    expect(await unsent()).toBe(0);
    await expect(invented('b')).rejects.toMatchObject({ code: 'PREPARED_EXPIRED' });
    expect(await world.get(call.id, stranger)).toMatchObject({ status: 'replaced' });
  });

  test('security: a call whose transaction was replaced counts until its time is over', async () => {
    const [call, other] = [await own(12n), await own(13n)];
    const before = await unsent();
    const hash = await world.mined(who.stranger, other);
    const { prepared } = world.ports;
    const document = await prepared.get(call.id);
    if (!document) throw new Error('nothing was kept');
    await prepared.move(document, { status: 'replaced', settled: true });
    expect(await unsent()).toBe(before);
    await world.reportBroadcast(other.id, hash, stranger);
    expect(await unsent()).toBe(before - 1);
  });

  test('security: calls of strangers hold up none of managers, and each gets its turn', async () => {
    await world.mine(3);
    await world.track();
    const asked: string[] = [];
    const { transactions } = world.ports;
    const ports = {
      ...world.ports,
      transactions: {
        ...transactions,
        read: (...of: Parameters<typeof transactions.read>) => {
          asked.push(of[1]);
          return transactions.read(...of);
        },
      },
    };
    const hashOf = (digit: number) => `0x${String(digit).repeat(64)}`;
    const calls = [await own(14n), await own(15n), await own(16n)];
    for (const [at, { id }] of calls.entries()) await world.reportBroadcast(id, hashOf(at + 2), stranger);
    const turn = depositorTracker(ports, chain_id, 2);
    const passes: string[][] = [];
    for (let pass = 0; pass < 3; pass += 1) {
      expect(await turn()).toBe(2);
      passes.push(asked.splice(0));
    }
    const all = calls.map((_, at) => hashOf(at + 2)).sort();
    expect(new Set(passes.slice(0, 2).flat())).toEqual(new Set(all));
    expect(passes.flat().sort()).toEqual([...all, ...all].sort());
    await trackCalls(ports, chain_id);
    expect(asked.filter((hash) => all.includes(hash))).toEqual([]);
  });

  test('security: while calls of strangers wait for the node, those of managers are followed', async () => {
    const [call, manager] = [await own(20n), await world.keepOne(20n)];
    await world.reportBroadcast(call.id, `0x${'7'.repeat(64)}`, stranger);
    const hash = await world.mined(who.main, manager);
    await world.reportBroadcast(manager.id, hash);
    await world.mine(3);
    const { transactions } = world.ports;
    const held = Promise.withResolvers<void>();
    const read: typeof transactions.read = async (chain, of) => {
      if (of !== hash) await held.promise;
      return transactions.read(chain, of);
    };
    const ports = { ...world.ports, transactions: { ...transactions, read }, wakes: new Map<string, () => void>() };
    const [managers, depositors] = followPreparedCalls(ports, chain_id, { connection: world.mongo, pauseMs: 50 });
    const isWaiting = depositors?.step();
    expect(await managers?.step()).toBe('rest');
    expect(await world.get(manager.id)).toMatchObject({ status: 'verified' });
    held.resolve();
    expect(await isWaiting).toBe('rest');
    await Promise.all([managers?.stop(), depositors?.stop()]);
  });
});
