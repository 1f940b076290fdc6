import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Hex } from 'viem';
import { person, who } from '../../../packages/protocol/test/test-chain.ts';
import { advance } from '../src/prepared-calls/tracking/use-cases/tracker.ts';
import { deploySafe, deployTimelock, executedBySafe, timelockDelay } from './contract-signers.ts';
import { callerOf, chain_id, PreparedWorld, preparedSeconds } from './prepared-world.ts';

/** What becomes of a prepared call on a real chain, and who may see and report it. */

let world: PreparedWorld;
let client: unknown;
beforeAll(async () => {
  world = await PreparedWorld.start();
  client = world.known.client;
});
afterAll(async () => world?.stop());
afterEach(async () => {
  world.outboxFault = undefined;
  nodeIs(client);
  await world.chain.client.setAutomine(true);
});

/** Puts another node in the place of the one that is asked. */
function nodeIs(other: unknown): void {
  (world.known as { client: unknown }).client = other;
}
const away = {
  request: async () => {
    throw Object.assign(new Error('away'), { code: 'RPC_UNAVAILABLE' });
  },
};

const someHash = (digit: string): Hex => `0x${digit.repeat(64)}`;
const bob = callerOf(who.bob);
/** Named where the same transaction is sent twice. */
const fee = 20_000_000_000n;

describe('the life of a call', () => {
  test('default: prepared, broadcast, mined, confirmed, verified, each with one audit row', async () => {
    const call = await world.keepOne(101n);
    expect(await world.get(call.id)).toMatchObject({
      ...call,
      status: 'prepared',
      tx_hash: null,
      prepared_by: who.main,
      expires_at: new Date(world.clock.now() + preparedSeconds * 1000).toISOString(),
    });
    expect(world.audited.get(`prepared:${call.id}:prepared`)).toMatchObject({
      category: 'call',
      action_type: 'call_prepared',
      vault_address: world.protocol.vault.address,
      chain_id,
      actor_wallet: who.main,
      request_id: 'request-1',
      details: {
        kind: 'deposit_upkeep',
        description: 'Let bob take 101.',
        args: { amount: '101' },
        forced: false,
        reason: null,
      },
    });
    await world.chain.client.setAutomine(false);
    const hash = await world.send(who.main, call);
    expect(await world.reportBroadcast(call.id, hash)).toMatchObject({ status: 'broadcast', tx_hash: hash });
    await world.track();
    expect(await world.get(call.id)).toMatchObject({ status: 'broadcast' });
    await world.mine(1);
    await world.track();
    // People wait: the post-condition is reported before the call is deep.
    expect(await world.get(call.id)).toMatchObject({ status: 'mined', post_condition: { ok: true, actual: '101' } });
    await world.mine(1);
    await world.track();
    expect(await world.get(call.id)).toMatchObject({ status: 'mined' });
    await world.mine(1);
    await world.track();
    const done = await world.get(call.id);
    expect(done).toMatchObject({ status: 'verified', post_condition: { ok: true, actual: '101' } });
    expect(done.history.map(({ state, tx_hash }) => [state, tx_hash])).toEqual([
      ['prepared', null],
      ...['broadcast', 'mined', 'confirmed', 'verified'].map((state) => [state, hash]),
    ]);
    expect(world.rows(call.id)).toEqual([
      `prepared:${call.id}:prepared`,
      ...['broadcast', 'mined', 'confirmed', 'verified'].map((state) => `prepared:${call.id}:${state}:${hash}`),
    ]);
  });

  test('behavior: a post-condition that does not hold is reported as failed', async () => {
    const call = await world.keepOne(102n);
    await world.chain.client.setAutomine(false);
    const hash = await world.send(who.main, call);
    // The last word of the same block is another's.
    await world.send(who.main, world.draft(who.main, 999n).content.call);
    await world.mine(1);
    await world.reportBroadcast(call.id, hash);
    await world.mine(2);
    await world.track();
    expect(await world.get(call.id)).toMatchObject({
      status: 'failed_post_condition',
      post_condition: { ok: false, actual: '999' },
    });
    expect(world.audited.get(`prepared:${call.id}:failed_post_condition:${hash}`)).toMatchObject({
      details: { actual: '999' },
    });
  });

  test('behavior: a call that reverts is reported with its reason', async () => {
    const { aggregator, strategy } = world.protocol;
    const data = world.chain.encode(aggregator, 'unpauseStrategy', [strategy.address]);
    const call = await world.keepOne(0n, who.main, { to: aggregator.address, data });
    const hash = await world.mined(who.main, call);
    expect(await world.reportBroadcast(call.id, hash)).toMatchObject({
      status: 'reverted',
      revert_reason: 'STRATEGY_NOT_PAUSED',
    });
    expect(world.audited.get(`prepared:${call.id}:reverted:${hash}`)).toMatchObject({
      details: { revert_reason: 'STRATEGY_NOT_PAUSED' },
    });
    await expect(world.reportBroadcast(call.id, someHash('1'))).rejects.toMatchObject({ code: 'ALREADY_BROADCAST' });
  });

  test('behavior: a call nobody sent expires, and takes no transaction any more that has not made it', async () => {
    const call = await world.keepOne(103n);
    const other = await world.mined(who.main, world.draft(who.main, 107n).content.call);
    world.clock.advance(preparedSeconds * 1000 - 1);
    await world.track();
    expect(await world.get(call.id)).toMatchObject({ status: 'prepared' });
    world.clock.advance(1);
    // Refused even before a pass has noticed.
    for (const hash of [someHash('9'), other])
      await expect(world.reportBroadcast(call.id, hash)).rejects.toMatchObject({ code: 'PREPARED_EXPIRED' });
    await world.chain.client.setAutomine(false);
    const waiting = await world.send(who.main, call);
    await expect(world.reportBroadcast(call.id, waiting)).rejects.toMatchObject({ code: 'PREPARED_EXPIRED' });
    await world.mine(1);
    await world.track();
    expect(await world.states(call.id)).toEqual(['prepared', 'expired']);
    expect(world.rows(call.id)).toEqual([`prepared:${call.id}:prepared`, `prepared:${call.id}:expired`]);
  });

  test('behavior: another transaction with its nonce replaces it; the call may then be reported again', async () => {
    const call = await world.keepOne(104n);
    await world.chain.client.setAutomine(false);
    const nonce = await world.chain.client.getTransactionCount({ address: who.main });
    const slow = await world.send(who.main, call, { nonce, fee: 2_000_000_000n });
    await world.reportBroadcast(call.id, slow);
    await world.send(who.main, world.draft(who.main, 1n).content.call, { nonce, fee: 9_000_000_000n });
    await world.track();
    expect(await world.get(call.id)).toMatchObject({ status: 'broadcast' });
    await world.mine(1);
    await world.track();
    // Not yet deep: a reorg could still bring ours back.
    expect(await world.get(call.id)).toMatchObject({ status: 'broadcast' });
    await world.mine(2);
    await world.track();
    expect(await world.get(call.id)).toMatchObject({ status: 'replaced', tx_hash: slow });
    const again = await world.send(who.main, call);
    await world.mine(3);
    expect(await world.reportBroadcast(call.id, again)).toMatchObject({ status: 'verified', tx_hash: again });
    expect(await world.states(call.id)).toEqual([
      ...['prepared', 'broadcast', 'replaced', 'broadcast', 'mined', 'confirmed', 'verified'],
    ]);
  });

  test('behavior: the same call sent again at a higher fee takes the place of the first at once', async () => {
    const call = await world.keepOne(105n);
    await world.chain.client.setAutomine(false);
    const nonce = await world.chain.client.getTransactionCount({ address: who.main });
    const slow = await world.send(who.main, call, { nonce, fee: 2_000_000_000n });
    await world.reportBroadcast(call.id, slow);
    const fast = await world.send(who.main, call, { nonce, fee: 9_000_000_000n });
    expect(await world.reportBroadcast(call.id, fast)).toMatchObject({ status: 'broadcast', tx_hash: fast });
    expect(await world.states(call.id)).toEqual(['prepared', 'broadcast', 'replaced', 'broadcast']);
    await world.mine(1);
    await world.track();
    expect(await world.get(call.id)).toMatchObject({ status: 'mined', tx_hash: fast });
  });

  test('behavior: a reorg takes it back to broadcast, and without a second row it is mined again', async () => {
    const call = await world.keepOne(106n);
    const before = await world.chain.client.snapshot();
    const nonce = await world.chain.client.getTransactionCount({ address: who.main });
    const hash = await world.mined(who.main, call, { fee });
    await world.reportBroadcast(call.id, hash);
    expect(await world.get(call.id)).toMatchObject({ status: 'mined' });
    await world.chain.client.revert({ id: before });
    await world.track();
    expect(await world.get(call.id)).toMatchObject({ status: 'broadcast', post_condition: { ok: null, actual: null } });
    expect(await world.chain.client.getTransactionCount({ address: who.main })).toBe(nonce);
    await world.mine(1);
    const again = await world.mined(who.main, call, { fee });
    expect(again).toBe(hash);
    await world.mine(2);
    await world.track();
    expect(await world.states(call.id)).toEqual([
      ...['prepared', 'broadcast', 'mined', 'broadcast', 'mined', 'confirmed', 'verified'],
    ]);
    expect(world.rows(call.id)).toHaveLength(5);
  });
});

describe('what is reported', () => {
  test('behavior: the same hash again changes nothing; another while it is alive is refused', async () => {
    const call = await world.keepOne(110n);
    await world.chain.client.setAutomine(false);
    const hash = await world.send(who.main, call);
    const first = await world.reportBroadcast(call.id, hash);
    expect(await world.reportBroadcast(call.id, hash)).toEqual(first);
    const second = await world.send(who.main, call);
    for (const other of [second, someHash('2')])
      await expect(world.reportBroadcast(call.id, other)).rejects.toMatchObject({ code: 'ALREADY_BROADCAST' });
    expect(await world.states(call.id)).toEqual(['prepared', 'broadcast']);
    await world.mine(1);
    await world.track();
    await expect(world.reportBroadcast(call.id, second)).rejects.toMatchObject({ code: 'ALREADY_BROADCAST' });
  });

  test('error: TRANSACTION_MISMATCH for another call, sender or target, and for what was sent before or for another call', async () => {
    const amount = 111n;
    const { call: raw } = world.draft(who.main, amount).content;
    const before = await world.mined(who.main, raw);
    const [call, twin] = [await world.keepOne(amount), await world.keepOne(amount)];
    const wrong = [
      before,
      await world.mined(who.main, world.draft(who.main, 112n).content.call),
      await world.mined(who.main, { ...call, data: `${call.data}00` }),
      await world.mined(who.secondary, call),
      await world.mined(who.main, { ...call, to: person(45).address }),
    ];
    for (const hash of wrong)
      await expect(world.reportBroadcast(call.id, hash)).rejects.toMatchObject({ code: 'TRANSACTION_MISMATCH' });
    const hash = await world.mined(who.main, call);
    await world.reportBroadcast(twin.id, hash);
    await expect(world.reportBroadcast(call.id, hash)).rejects.toMatchObject({ code: 'TRANSACTION_MISMATCH' });
    expect(await world.states(call.id)).toEqual(['prepared']);
  });

  test('behavior: a hash the node does not know is taken as reported, and compared as soon as it does', async () => {
    const call = await world.keepOne(113n);
    const before = await world.chain.client.snapshot();
    const hash = await world.mined(who.main, world.draft(who.main, 114n).content.call, { fee });
    await world.chain.client.revert({ id: before });
    expect(await world.reportBroadcast(call.id, hash)).toMatchObject({ status: 'broadcast', tx_hash: hash });
    await world.track();
    expect(await world.get(call.id)).toMatchObject({ status: 'broadcast' });
    expect(await world.mined(who.main, world.draft(who.main, 114n).content.call, { fee })).toBe(hash);
    await world.track();
    expect(await world.get(call.id)).toMatchObject({ status: 'replaced' });
    const right = await world.mined(who.main, call);
    expect(await world.reportBroadcast(call.id, right)).toMatchObject({ status: 'mined' });
  });

  test('behavior: reported while the node is away, it is kept, and followed once the node is back', async () => {
    const call = await world.keepOne(116n);
    const hash = await world.mined(who.main, call);
    nodeIs(away);
    expect(await world.reportBroadcast(call.id, hash)).toMatchObject({ status: 'broadcast', tx_hash: hash });
    await expect(world.track()).rejects.toThrow('away');
    nodeIs(client);
    await world.track();
    expect(await world.get(call.id)).toMatchObject({ status: 'mined' });
  });

  test('behavior: a made-up hash does not keep the right one out', async () => {
    const call = await world.keepOne(115n);
    await world.reportBroadcast(call.id, someHash('3'), callerOf(who.secondary));
    await expect(world.reportBroadcast(call.id, someHash('4'))).rejects.toMatchObject({ code: 'ALREADY_BROADCAST' });
    const right = await world.mined(who.main, call);
    expect(await world.reportBroadcast(call.id, right)).toMatchObject({ status: 'mined', tx_hash: right });
  });
});

describe('calls of contracts', () => {
  test('default: a Safe`s call is carried by whatever its owners signed, from any sender', async () => {
    const safe = await deploySafe(world.chain);
    const call = await world.keepOne(120n, safe);
    const { signer } = call;
    if (signer.package?.kind !== 'safe') throw new Error('no package');
    await expect(
      world.reportBroadcast(call.id, await world.mined(who.stranger, call), callerOf(safe)),
    ).rejects.toMatchObject({
      code: 'TRANSACTION_MISMATCH',
    });
    // A Safe answers with it where a wallet answers with the hash of a transaction; taken for one, the call would wait for it.
    await expect(
      world.reportBroadcast(call.id, signer.package.safe_tx_hash as Hex, callerOf(safe)),
    ).rejects.toMatchObject({ code: 'TRANSACTION_MISMATCH' });
    const data = await executedBySafe(signer.package.safe_tx, signer.package.safe_tx_hash as Hex);
    const hash = await world.mined(who.stranger, { to: safe, data });
    await world.mine(2);
    expect(await world.reportBroadcast(call.id, hash, callerOf(safe))).toMatchObject({ status: 'verified' });
  });

  test('behavior: what the owners of a Safe executed after its call expired is taken, and followed to its end', async () => {
    const safe = await deploySafe(world.chain);
    const call = await world.keepOne(122n, safe);
    const item = call.signer.package;
    if (item?.kind !== 'safe') throw new Error('no package');
    world.clock.advance(preparedSeconds * 1000);
    await world.track();
    expect(await world.states(call.id)).toEqual(['prepared', 'expired']);
    const data = await executedBySafe(item.safe_tx, item.safe_tx_hash as Hex);
    const hash = await world.mined(who.stranger, { to: safe, data });
    await world.mine(2);
    nodeIs(away);
    await expect(world.reportBroadcast(call.id, hash, callerOf(safe))).rejects.toMatchObject({
      code: 'RPC_UNAVAILABLE',
    });
    nodeIs(client);
    expect(await world.reportBroadcast(call.id, hash, callerOf(safe))).toMatchObject({ status: 'verified' });
    expect(world.rows(call.id)).toEqual([
      ...['prepared', 'expired'].map((state) => `prepared:${call.id}:${state}`),
      ...['broadcast', 'mined', 'confirmed', 'verified'].map((state) => `prepared:${call.id}:${state}:${hash}`),
    ]);
  });

  test('behavior: a Safe that reports the failure of its call has not made it', async () => {
    const safe = await deploySafe(world.chain);
    const { asset } = world.protocol;
    const data = world.chain.encode(asset, 'transfer', [who.bob, 10n ** 30n]);
    const call = await world.keepOne(0n, safe, { to: asset.address, data });
    if (call.signer.package?.kind !== 'safe') throw new Error('no package');
    // With a gas limit of its own the Safe swallows the revert; its owners signed that one instead.
    const safeTx = { ...call.signer.package.safe_tx, safeTxGas: '100000' };
    const { calculateSafeTransactionHash } = await import('@safe-global/protocol-kit');
    const signed = calculateSafeTransactionHash(safe, safeTx as never, '1.5.0', BigInt(chain_id));
    const hash = await world.mined(who.stranger, { to: safe, data: await executedBySafe(safeTx, signed as Hex) });
    expect(await world.reportBroadcast(call.id, hash, callerOf(safe))).toMatchObject({
      status: 'reverted',
      revert_reason: 'ExecutionFailure',
    });
  });

  test('behavior: a timelock`s call waits for its execution, longer than its delay', async () => {
    const timelock = await deployTimelock(world.chain, who.main);
    const call = await world.keepOne(121n, timelock);
    const { signer, id } = call;
    if (signer.package?.kind !== 'timelock') throw new Error('no package');
    const lifeMs = (preparedSeconds + Number(timelockDelay)) * 1000;
    expect(Date.parse(call.expires_at) - world.clock.now()).toBe(lifeMs);
    const scheduled = await world.mined(who.main, signer.package.schedule);
    world.clock.advance(60_000);
    const reported = await world.reportBroadcast(id, scheduled, callerOf(timelock));
    expect(reported).toMatchObject({ status: 'prepared', tx_hash: null });
    expect(reported.history.map(({ state, tx_hash }) => [state, tx_hash])).toEqual([
      ['prepared', null],
      ['prepared', scheduled],
    ]);
    expect(Date.parse(reported.expires_at) - world.clock.now()).toBe(lifeMs);
    expect(await world.reportBroadcast(id, scheduled, callerOf(timelock))).toEqual(reported);
    await world.chain.pass(Number(timelockDelay));
    const executed = await world.mined(who.stranger, signer.package.execute);
    await world.mine(2);
    expect(await world.reportBroadcast(id, executed, callerOf(timelock))).toMatchObject({
      status: 'verified',
      tx_hash: executed,
    });
  });
});

describe('more than one, and death in between', () => {
  test('behavior: two trackers make one history and one row for each state', async () => {
    const call = await world.keepOne(130n);
    await world.chain.client.setAutomine(false);
    const hash = await world.send(who.main, call);
    await world.reportBroadcast(call.id, hash);
    await world.mine(3);
    const { prepared } = world.ports;
    const document = await prepared.get(call.id);
    if (!document) throw new Error('not kept');
    await Promise.all([1, 2, 3, 4].map(() => advance(world.ports, document)));
    await Promise.all([world.track(), world.track(), world.track()]);
    expect(await world.states(call.id)).toEqual(['prepared', 'broadcast', 'mined', 'confirmed', 'verified']);
    expect(world.rows(call.id)).toHaveLength(5);
  });

  test('behavior: each state after the first is published to the dashboards of the vault, and says nothing of the call', async () => {
    // What other tests left is at its end before.
    await world.mine(3);
    for (let steps = 0; steps < 3; steps += 1) await world.track();
    const call = await world.keepOne(141n);
    const before = world.updates.length;
    await world.reportBroadcast(call.id, await world.mined(who.main, call));
    await world.track();
    const update = { chain_id, vault_address: world.protocol.vault.address, kind: 'call' };
    const expected = { ...update, block_number: expect.any(Number) };
    expect(world.updates.slice(before)).toEqual([expected, expected]);
  });

  test('behavior: two hashes reported at once leave one', async () => {
    const call = await world.keepOne(131n);
    const reported = await Promise.allSettled([
      world.reportBroadcast(call.id, someHash('5')),
      world.reportBroadcast(call.id, someHash('6')),
    ]);
    expect(reported.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await world.states(call.id)).toEqual(['prepared', 'broadcast']);
  });

  test('behavior: killed between a change and its audit row, there is neither; the next attempt makes both, once', async () => {
    // Later than what other tests left, so that it is the newest of the list.
    world.clock.advance(1);
    world.outboxFault = new Error('killed');
    await expect(world.keepOne(132n)).rejects.toThrow('killed');
    const {
      prepared: [newest],
    } = await world.list({ limit: 1 });
    expect(newest?.description).not.toBe('Let bob take 132.');
    world.outboxFault = undefined;
    const left = await world.keepOne(132n);
    const { id } = left;
    expect(world.rows(id)).toEqual([`prepared:${id}:prepared`]);

    const hash = await world.mined(who.main, left);
    world.outboxFault = new Error('killed');
    await expect(world.reportBroadcast(id, hash)).rejects.toThrow('killed');
    world.outboxFault = undefined;
    expect([await world.states(id), world.rows(id)]).toEqual([['prepared'], [`prepared:${id}:prepared`]]);
    await world.reportBroadcast(id, hash);
    await world.track();
    expect(world.rows(id)).toEqual(
      ['prepared', `broadcast:${hash}`, `mined:${hash}`].map((row) => `prepared:${id}:${row}`),
    );
    const times = world.added.length;
    await world.track();
    expect(world.added.length).toBe(times);
  });
});

describe('who may see and report', () => {
  test('behavior: its preparer and the managers of its vault, nobody else', async () => {
    const call = await world.keepOne(140n, who.bob);
    for (const allowed of [bob, callerOf(who.main), callerOf(who.secondary)])
      expect(await world.get(call.id, allowed)).toMatchObject({ id: call.id, prepared_by: who.bob });
    const refused = [
      [callerOf(who.alice), 'ROLE_REQUIRED'],
      [callerOf(who.stranger), 'ROLE_REQUIRED'],
      [null, 'TOKEN_MISSING'],
    ] as const;
    const vault = world.protocol.vault.address;
    for (const [caller, code] of refused) {
      await expect(world.get(call.id, caller)).rejects.toMatchObject({ code });
      await expect(world.reportBroadcast(call.id, someHash('8'), caller)).rejects.toMatchObject({ code });
    }
    const elsewhere = { vault: { chain_id, vault_address: person(44).address } };
    await expect(world.get(call.id, callerOf(who.bob, elsewhere))).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
    const here = { vault: { chain_id, vault_address: vault } };
    expect(await world.get(call.id, callerOf(who.bob, here))).toMatchObject({ id: call.id });
  });

  test('error: PREPARED_NOT_FOUND for an id nobody was given', async () => {
    await expect(world.get('nothing')).rejects.toMatchObject({ code: 'PREPARED_NOT_FOUND' });
    await expect(world.reportBroadcast('nothing', someHash('7'))).rejects.toMatchObject({ code: 'PREPARED_NOT_FOUND' });
  });

  test('default: the list is of managers, newest first, steps in their order, page by page', async () => {
    const old = await world.keepOne(150n);
    world.clock.advance(preparedSeconds * 1000);
    await world.track();
    const drafts = [world.draft(who.main, 151n), world.draft(who.main, 152n), world.draft(who.main, 153n)];
    const steps = (await world.keep(drafts)).map(({ id }) => id);
    world.clock.advance(1000);
    const newest = (await world.keepOne(154n)).id;
    const first = await world.list({ limit: 2 });
    expect(first.prepared.map(({ id }) => id)).toEqual([newest, steps[0]]);
    expect(first).toMatchObject({ has_more: true, next_cursor: expect.any(String) });
    const second = await world.list({ limit: 2, cursor: String(first.next_cursor) });
    expect(second.prepared.map(({ id }) => id)).toEqual([steps[1], steps[2]]);
    expect(second.total).toBe(first.total);
    const expired = await world.list({ status: 'expired' as never });
    expect(new Set(expired.prepared.map(({ status }) => status))).toEqual(new Set(['expired']));
    expect(expired.prepared.map(({ id }) => id)).toContain(old.id);
    await expect(world.list({ cursor: 'bm90aGluZw' })).rejects.toMatchObject({ code: 'CURSOR_INVALID' });
    for (const caller of [callerOf(who.alice), bob])
      await expect(world.list({}, caller)).rejects.toMatchObject({ code: 'ROLE_REQUIRED' });
  });

  test('behavior: asked to, it is simulated again, now, and checked again', async () => {
    const { aggregator, strategy } = world.protocol;
    const data = world.chain.encode(aggregator, 'pauseStrategy', [strategy.address]);
    const call = await world.keepOne(0n, who.main, { to: aggregator.address, data });
    expect(await world.get(call.id, callerOf(who.main), true)).toMatchObject({
      simulation: { ok: true, revert_reason: null },
      preconditions: [{ code: 'NOW', ok: true }],
    });
    await world.chain.send(who.main, aggregator, 'pauseStrategy', [strategy.address]);
    expect(await world.get(call.id)).toMatchObject({ simulation: { ok: true }, preconditions: [] });
    expect(await world.get(call.id, callerOf(who.main), true)).toMatchObject({
      simulation: { ok: false, revert_reason: 'STRATEGY_ALREADY_PAUSED' },
    });
    await world.chain.send(who.main, aggregator, 'unpauseStrategy', [strategy.address]);
  });
});
