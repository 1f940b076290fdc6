import { toAppError } from '@castellan/service-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { who } from '../../../packages/protocol/test/test-chain.ts';
import { rpcSimulate } from '../src/prepared-calls/changes/adapters/simulate.rpc.ts';
import { PreparedWorld } from './prepared-world.ts';

/** Prepared calls on a chain whose blocks are undone, and on a node that does not have them yet. */

let world: PreparedWorld;
beforeAll(async () => {
  world = await PreparedWorld.start();
});
afterAll(async () => world?.stop());

/** Named where the same transaction is sent twice. */
const fee = 20_000_000_000n;

describe('a reorg, and the same call prepared again', () => {
  test('behavior: the same transaction carries the new call, and the old one gives it up', async () => {
    const first = await world.keepOne(107n);
    const before = await world.chain.client.snapshot();
    const hash = await world.mined(who.main, first, { fee });
    await world.reportBroadcast(first.id, hash);
    expect(await world.get(first.id)).toMatchObject({ status: 'mined' });
    await world.chain.client.revert({ id: before });
    await world.mine(1);
    const again = await world.keepOne(107n);
    // The wallet signs the same with the nonce that is free again: the same transaction.
    expect(await world.mined(who.main, again, { fee })).toBe(hash);
    await world.track();
    expect(await world.get(first.id)).toMatchObject({ status: 'mined' });
    expect(await world.reportBroadcast(again.id, hash)).toMatchObject({ status: 'mined', tx_hash: hash });
    await world.mine(2);
    await world.track();
    expect(await world.get(again.id)).toMatchObject({ status: 'verified' });
    expect(await world.states(first.id)).toEqual([
      ...['prepared', 'broadcast', 'mined', 'broadcast', 'mined', 'replaced'],
    ]);
    expect(world.rows(first.id).at(-1)).toBe(`prepared:${first.id}:replaced:${hash}`);
    await expect(world.reportBroadcast(first.id, hash)).rejects.toMatchObject({ code: 'TRANSACTION_MISMATCH' });
  });

  test('behavior: a call prepared at a block that is gone is carried by what was mined afterwards at a lower one', async () => {
    const before = await world.chain.client.snapshot();
    await world.mine(5);
    const call = await world.keepOne(108n);
    const timestamp = await world.chain.now();
    await world.chain.client.revert({ id: before });
    // Fewer blocks, and not earlier ones.
    await world.chain.client.setNextBlockTimestamp({ timestamp: timestamp + 1n });
    await world.mine(1);
    const hash = await world.mined(who.main, call, { fee });
    expect(await world.reportBroadcast(call.id, hash)).toMatchObject({ status: 'mined', tx_hash: hash });
    await world.mine(2);
    await world.track();
    expect(await world.get(call.id)).toMatchObject({ status: 'verified' });
  });

  test('error: TRANSACTION_MISMATCH for what was mined before the call was prepared, whatever was undone', async () => {
    const { call: raw } = world.draft(who.main, 109n).content;
    const earlier = await world.mined(who.main, raw, { fee });
    const later = BigInt((await world.chain.client.getBlock()).timestamp) + 60n;
    const before = await world.chain.client.snapshot();
    await world.chain.client.setNextBlockTimestamp({ timestamp: later });
    await world.mine(5);
    const call = await world.keepOne(109n);
    await world.chain.client.revert({ id: before });
    await world.mine(1);
    await expect(world.reportBroadcast(call.id, earlier)).rejects.toMatchObject({ code: 'TRANSACTION_MISMATCH' });
  });
});

test('error: a node that is behind the block of a simulation is a retryable 503, not a fault of ours', async () => {
  const { to, data } = world.draft(who.main, 1n).content.call;
  const ahead = (await world.chain.client.getBlockNumber()) + 10n;
  const refusal = await rpcSimulate()(world.known, { to, data, from: who.main }, ahead).catch(toAppError);
  expect(refusal).toMatchObject({ code: 'RPC_UNAVAILABLE', status: 503, retryable: true });
});
