import { feeDefaults } from '@castellan/transactor';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type Hex, parseEther, parseTransaction } from 'viem';
import {
  about,
  aManager,
  aPrice,
  baseFeeOf,
  dataOf,
  fakeContract,
  finish,
  refusingRpc,
  revertingCode,
  settings,
  sink,
  World,
} from './harness.ts';

/** One chain for all tests, taken back after each, and an account for each; blocks come when a test mines. */

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world?.stop());

let snapshot: Hex;
let baseFee: bigint;
beforeEach(async () => {
  baseFee = await baseFeeOf(world);
  snapshot = await world.test.snapshot();
});
afterEach(async () => {
  await world.test.revert({ id: snapshot });
  await world.test.setNextBlockBaseFeePerGas({ baseFeePerGas: baseFee });
});

test('default: a transmission is stored, sent, mined and confirmed at depth, and reported once', async () => {
  const { manager, account, events } = await aManager({ world });
  const price = aPrice();
  await manager.submit('a', [price], about);
  await manager.submit('a', [price], about);
  expect((await manager.status('a'))?.state).toBe('queued');
  const seen: (string | undefined)[] = [];
  for (let block = 0; block < 5; block += 1) {
    await manager.step();
    seen.push((await manager.status('a'))?.state);
    await world.mine();
  }
  expect(seen).toEqual(['pending', 'mined', 'mined', 'confirmed', 'confirmed']);
  expect(await world.delivered(account.address)).toEqual([dataOf([price])]);
  expect(events.map(({ type }) => type)).toEqual(['held', 'attempted', 'mined', 'confirmed']);
  expect(events.at(-1)).toMatchObject({
    ...{ id: 'a:confirmed', key: 'a', about, reason: null, prices: [price] },
    outcomes: [{ strategy: price.strategy, status: 'success', reason: null }],
  });
});

test('behavior: several go at once, each with the next nonce, in the order of their submission', async () => {
  const { manager, account } = await aManager({ world, changes: { maxInFlight: 2 } });
  const batches = [[aPrice()], [aPrice()], [aPrice()]];
  for (const [index, batch] of batches.entries()) await manager.submit(`k${index}`, batch, about);
  await manager.step();
  expect((await manager.status('k2'))?.state).toBe('queued');
  await world.mine();
  await manager.step();
  await world.mine();
  expect(await world.delivered(account.address)).toEqual(batches.map(dataOf));
});

test('behavior: prices that became useless before it was made are left out, and reported as superseded', async () => {
  const { contract, useless } = fakeContract();
  const running = await aManager({ world, contract });
  const [gone, kept] = [aPrice(), aPrice()];
  useless.add(gone.nonce);
  await running.manager.submit('part', [gone, kept], about);
  await running.manager.submit('none', [gone], about);
  expect(await finish(world, running, 'part')).toBe('confirmed');
  expect(await world.delivered(running.account.address)).toEqual([dataOf([kept])]);
  expect((await running.manager.status('part'))?.outcomes).toEqual([
    { strategy: gone.strategy, status: 'superseded', reason: 'useless' },
    { strategy: kept.strategy, status: 'success', reason: null },
  ]);
  expect(await running.manager.status('none')).toMatchObject({ state: 'superseded', attempts: [] });
});

test('behavior: left out for three blocks, it is replaced at fees raised by an eighth in both fields', async () => {
  const running = await aManager({ world });
  const { manager, account, events } = running;
  const price = aPrice();
  await manager.submit('low', [price], about);
  await manager.step();
  const before = await manager.status('low');
  // A jump no rule of the chain allows, so that the offer made for four full blocks is too low.
  for (let block = 0; block < 3; block += 1) {
    await world.test.setNextBlockBaseFeePerGas({ baseFeePerGas: (before?.attempts[0]?.fees.maxFee ?? 0n) + 1n });
    await world.mine();
  }
  expect(await world.count(account.address)).toBe(0);
  await manager.step();
  const after = await manager.status('low');
  const [first, second] = after?.attempts ?? [];
  expect(after?.attempts).toHaveLength(2);
  expect(second?.fees.maxFee).toBeGreaterThanOrEqual(((first?.fees.maxFee ?? 0n) * 9n) / 8n);
  expect(second?.fees.tip).toBeGreaterThanOrEqual(((first?.fees.tip ?? 0n) * 9n) / 8n);
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'replaced', reason: 'bump', from: first?.hash, to: second?.hash }),
  );
  expect(await finish(world, running, 'low')).toBe('confirmed');
  expect(await world.delivered(account.address)).toEqual([dataOf([price])]);
});

/** A limit below which a transaction may offer little more than the base fee: the rest is for one that takes its nonce. */
const tightLimit = async () => (((await baseFeeOf(world)) * 11n) / 10n + feeDefaults.minTip) * 2n;
const takesHalf = { bumpPermille: 1_000n };

test('behavior: at the limit of fees it is not raised but sent again, and that is reported once', async () => {
  const limit = await tightLimit();
  const running = await aManager({ world, changes: { fees: { ...settings.fees, ...takesHalf, maxFeeLimit: limit } } });
  const { manager, events } = running;
  await manager.submit('capped', [aPrice()], about);
  await manager.step();
  for (let block = 0; block < 5; block += 1) {
    await world.test.setNextBlockBaseFeePerGas({ baseFeePerGas: limit * 2n });
    await world.mine();
    await manager.step();
  }
  world.laterMs += 61_000;
  await manager.step();
  expect((await manager.status('capped'))?.attempts).toHaveLength(1);
  expect(events.filter(({ type }) => type === 'stuck')).toEqual([
    expect.objectContaining({ key: 'capped', reason: 'fee_limit' }),
  ]);
  expect(events.filter(({ type }) => type === 'attempted')).toHaveLength(2);
  await world.test.setNextBlockBaseFeePerGas({ baseFeePerGas: 1_000n });
  await world.mine();
  expect(await finish(world, running, 'capped')).toBe('confirmed');
});

test('behavior: what a pool forgot is sent again after a while, the same bytes', async () => {
  const running = await aManager({ world });
  await running.manager.submit('forgotten', [aPrice()], about);
  await running.manager.step();
  const hash = (await running.manager.status('forgotten'))?.attempts[0]?.hash ?? '0x';
  await world.test.dropTransaction({ hash });
  await running.manager.step();
  expect(await world.waiting(running.account.address)).toBe(0);
  world.laterMs += 61_000;
  await running.manager.step();
  expect(await world.waiting(running.account.address)).toBe(1);
  expect(await finish(world, running, 'forgotten')).toBe('confirmed');
  expect((await running.manager.status('forgotten'))?.inclusion?.hash).toBe(hash);
});

test('behavior: prices another landed while ours waits: an empty self transfer takes the nonce, nothing failed', async () => {
  const { contract, useless } = fakeContract();
  const running = await aManager({ world, contract });
  const { manager, account, events } = running;
  const price = aPrice();
  await manager.submit('late', [price], about);
  await manager.step();
  useless.add(price.nonce);
  const hash = (await manager.status('late'))?.attempts[0]?.hash ?? '0x';
  await world.test.dropTransaction({ hash });
  await world.mine();
  await manager.step();
  expect(await finish(world, running, 'late')).toBe('superseded');
  expect(await world.delivered(account.address)).toEqual([]);
  expect(await world.count(account.address)).toBe(1);
  expect(await world.emptyData(account.address)).toEqual(['0x']);
  expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['replaced', 'mined', 'superseded']));
  expect(events.map(({ type }) => type)).not.toContain('failed');
});

test('behavior: what is given up at the limit of fees is replaced by an empty one that a node takes in its place', async () => {
  const { contract, useless } = fakeContract();
  const limit = await tightLimit();
  const fees = { ...settings.fees, ...takesHalf, maxFeeLimit: limit };
  const running = await aManager({ world, contract, changes: { fees } });
  const { manager, account, events } = running;
  const price = aPrice();
  await manager.submit('dear', [price], about);
  await manager.step();
  useless.add(price.nonce);
  // Too dear for both: the pool holds them as the one is replaced by the other.
  await world.test.setNextBlockBaseFeePerGas({ baseFeePerGas: limit * 2n });
  await world.mine();
  await manager.step();
  expect((await manager.status('dear'))?.attempts.map((attempt) => attempt.fees.maxFee)).toEqual([limit / 2n, limit]);
  await world.test.setNextBlockBaseFeePerGas({ baseFeePerGas: 1_000n });
  await world.mine();
  expect(await finish(world, running, 'dear')).toBe('superseded');
  expect(await world.emptyData(account.address)).toEqual(['0x']);
  expect(await world.delivered(account.address)).toEqual([]);
  expect(events).not.toContainEqual(expect.objectContaining({ type: 'stuck', detail: 'useless' }));
});

test('behavior: the first transaction wins against its own cancellation: it is judged, not written off', async () => {
  const { contract, useless } = fakeContract();
  const running = await aManager({ world, contract });
  const price = aPrice();
  await running.manager.submit('race', [price], about);
  await running.manager.step();
  const stored = await running.manager.status('race');
  await world.test.dropTransaction({ hash: stored?.attempts[0]?.hash ?? '0x' });
  useless.add(price.nonce);
  await world.mine();
  await running.manager.step();
  const cancelling = (await running.manager.status('race'))?.attempts[1]?.hash ?? '0x';
  await world.test.dropTransaction({ hash: cancelling });
  await world.client.sendRawTransaction({ serializedTransaction: stored?.attempts[0]?.raw ?? '0x' });
  await world.mine();
  expect(await finish(world, running, 'race')).toBe('confirmed');
  expect(await world.delivered(running.account.address)).toEqual([dataOf([price])]);
});

test('behavior: too old by chain time it is not sent, or replaced while it waits', async () => {
  const running = await aManager({ world });
  const head = await world.client.getBlock();
  await running.manager.submit('old', [aPrice({ timestamp: head.timestamp - 3_001n })], about);
  expect(await finish(world, running, 'old')).toBe('superseded');
  expect(await world.count(running.account.address)).toBe(0);

  const young = aPrice({ timestamp: head.timestamp });
  await running.manager.submit('ages', [young], about);
  await running.manager.step();
  const hash = (await running.manager.status('ages'))?.attempts[0]?.hash ?? '0x';
  await world.test.dropTransaction({ hash });
  await world.test.increaseTime({ seconds: 3_100 });
  await world.mine();
  await running.manager.step();
  expect(await running.manager.status('ages')).toMatchObject({ cancelReason: 'deadline' });
  expect(await finish(world, running, 'ages')).toBe('superseded');
  expect(await world.delivered(running.account.address)).toEqual([]);
});

test('behavior: an account that cannot pay keeps its transmissions, is reported once, and sends when it can', async () => {
  const running = await aManager({ world });
  const { manager, account, events } = running;
  const recent = async () => aPrice({ timestamp: (await world.client.getBlock()).timestamp });
  await world.test.setBalance({ address: account.address, value: 1n });
  await manager.submit('poor', [await recent()], about);
  await manager.step();
  await manager.step();
  expect((await manager.status('poor'))?.state).toBe('queued');
  expect(events.filter(({ type }) => type === 'balance_low')).toHaveLength(1);
  await world.test.setBalance({ address: account.address, value: parseEther('1') });
  expect(await finish(world, running, 'poor')).toBe('confirmed');
});

test('behavior: an account that lost its money while a transaction waits raises nothing', async () => {
  const running = await aManager({ world });
  const { manager, account, events } = running;
  await manager.submit('broke', [aPrice({ timestamp: (await world.client.getBlock()).timestamp })], about);
  await manager.step();
  const hash = (await manager.status('broke'))?.attempts[0]?.hash ?? '0x';
  await world.test.dropTransaction({ hash });
  await world.test.setBalance({ address: account.address, value: 1n });
  await world.mine(4);
  await manager.step();
  expect(await manager.status('broke')).toMatchObject({ state: 'pending', attempts: [{ hash }] });
  expect(events.at(-1)).toMatchObject({ type: 'balance_low', balance: 1n });
  await world.test.setBalance({ address: account.address, value: parseEther('1') });
  expect(await finish(world, running, 'broke')).toBe('confirmed');
});

test('behavior: a reverted transaction failed for the decoded reason, and is tried once more after fresh checks', async () => {
  const running = await aManager({ world });
  const { manager, account, events } = running;
  const price = aPrice({ timestamp: (await world.client.getBlock()).timestamp });
  await manager.submit('reverts', [price], about);
  await manager.step();
  await world.test.setCode({ address: sink, bytecode: revertingCode('INVALID_PROOF()') });
  await world.mine();
  await manager.step();
  await world.test.setCode({ address: sink, bytecode: '0x' });
  expect(await finish(world, running, 'reverts')).toBe('failed');
  expect(events.find(({ type }) => type === 'failed')).toMatchObject({
    key: 'reverts',
    outcomes: [{ strategy: price.strategy, status: 'failure', reason: 'INVALID_PROOF' }],
  });
  expect(await finish(world, running, 'reverts:retry')).toBe('confirmed');
  expect(await world.delivered(account.address)).toEqual([dataOf([price]), dataOf([price])]);
});

test('behavior: reverted twice, it is over', async () => {
  const running = await aManager({ world });
  const { manager, account } = running;
  await manager.submit('bad', [aPrice({ timestamp: (await world.client.getBlock()).timestamp })], about);
  for (let round = 0; round < 2; round += 1) {
    await manager.step();
    await world.test.setCode({ address: sink, bytecode: revertingCode('INVALID_PROOF()') });
    await world.mine();
    await world.test.setCode({ address: sink, bytecode: '0x' });
  }
  expect(await finish(world, running, 'bad:retry')).toBe('failed');
  expect(await finish(world, running, 'bad')).toBe('failed');
  expect(await manager.status('bad:retry:retry')).toBeNull();
  expect(await world.count(account.address)).toBe(2);
});

test('behavior: what the simulation refuses twice is never sent', async () => {
  const running = await aManager({ world });
  const { manager, account } = running;
  await world.test.setCode({ address: sink, bytecode: revertingCode('QUORUM_NOT_MET()') });
  await manager.submit('refused', [aPrice({ timestamp: (await world.client.getBlock()).timestamp })], about);
  await manager.step();
  expect(await manager.status('refused')).toMatchObject({ state: 'queued', refusals: 1 });
  await manager.step();
  expect(await manager.status('refused')).toMatchObject({
    state: 'failed',
    outcomes: [{ status: 'failure', reason: 'QUORUM_NOT_MET' }],
  });
  await world.test.setCode({ address: sink, bytecode: '0x' });
  expect(await world.count(account.address)).toBe(0);
});

test('error: prices of another chain, or none, are not taken', async () => {
  const { manager } = await aManager({ world });
  await expect(manager.submit('foreign', [aPrice({ chainId: 1 })], about)).rejects.toThrow('chain 1');
  await expect(manager.submit('empty', [], about)).rejects.toThrow('no price');
});

test('behavior: what nodes refuse for ever is given up, its nonce used by an empty transaction, the reason reported', async () => {
  const refuses = refusingRpc(world, (raw) => (parseTransaction(raw).data ? 'exceeds block gas limit' : null));
  const running = await aManager({ world, rpcs: [refuses] });
  const price = aPrice({ timestamp: (await world.client.getBlock()).timestamp });
  await running.manager.submit('huge', [price], about);
  expect(await finish(world, running, 'huge')).toBe('failed');
  expect(running.events.find(({ type }) => type === 'failed')).toMatchObject({
    outcomes: [{ strategy: price.strategy, status: 'failure', reason: 'exceeds block gas limit' }],
  });
  expect(await world.emptyData(running.account.address)).toEqual(['0x']);
});

test('behavior: one node that refuses for ever does not stop another from taking it', async () => {
  const refuses = refusingRpc(world, () => 'invalid sender');
  const running = await aManager({ world, rpcs: [refuses, world.client] });
  await running.manager.submit('half', [aPrice({ timestamp: (await world.client.getBlock()).timestamp })], about);
  expect(await finish(world, running, 'half')).toBe('confirmed');
});

test.each(['already known', 'nonce too low', 'request timed out', 'words nobody knows'])(
  'behavior: a node that took it but answers "%s": it is not made again',
  async (words) => {
    let taken: Promise<unknown> = Promise.resolve();
    const lies = refusingRpc(world, (raw) => {
      taken = world.client.sendRawTransaction({ serializedTransaction: raw }).catch(() => null);
      return words;
    });
    const running = await aManager({ world, rpcs: [lies] });
    await running.manager.submit('lied', [aPrice({ timestamp: (await world.client.getBlock()).timestamp })], about);
    await running.manager.step();
    await taken;
    expect(await finish(world, running, 'lied')).toBe('confirmed');
    expect((await running.manager.status('lied'))?.attempts).toHaveLength(1);
    expect(await world.count(running.account.address)).toBe(1);
  },
);

test('behavior: stuck though it pays enough: an empty transaction takes its place, and it failed', async () => {
  let holds = true;
  const swallows = refusingRpc(world, (raw) => (holds && parseTransaction(raw).data ? 'already known' : null));
  const changes = { stuckAfterBlocks: 5, stuckAfterAttempts: 2 };
  const running = await aManager({ world, rpcs: [swallows], changes });
  const { manager, account, events } = running;
  await manager.submit('stuck', [aPrice({ timestamp: (await world.client.getBlock()).timestamp })], about);
  for (let block = 0; block < 7; block += 1) {
    await manager.step();
    await world.mine();
  }
  expect(await finish(world, running, 'stuck')).toBe('failed');
  expect(await manager.status('stuck')).toMatchObject({
    cancelReason: 'stuck',
    outcomes: [{ status: 'failure', reason: 'stuck' }],
  });
  expect(events).toContainEqual(expect.objectContaining({ type: 'replaced', reason: 'stuck' }));
  expect(await world.count(account.address)).toBe(1);
  holds = false;
  await manager.submit('next', [aPrice({ timestamp: (await world.client.getBlock()).timestamp })], about);
  expect(await finish(world, running, 'next')).toBe('confirmed');
});

test('behavior: where the pool holds a dearer transaction at its nonce, it is raised above that', async () => {
  const running = await aManager({ world });
  const { manager, account } = running;
  // Beside a low base fee the tips decide.
  await world.test.setNextBlockBaseFeePerGas({ baseFeePerGas: 1_000n });
  await world.mine();
  const first = await baseFeeOf(world);
  const raw = await account.signTransaction({
    ...{ chainId: 31_337, nonce: 0, to: account.address, value: 0n, gas: 21_000n, type: 'eip1559' },
    ...{ maxFeePerGas: first * 2n + feeDefaults.minTip * 2n, maxPriorityFeePerGas: feeDefaults.minTip * 2n },
  });
  await world.client.sendRawTransaction({ serializedTransaction: raw });
  await manager.submit('above', [aPrice({ timestamp: (await world.client.getBlock()).timestamp })], about);
  for (let tries = 0; tries < 8; tries += 1) await manager.step();
  expect(await finish(world, running, 'above')).toBe('confirmed');
  expect((await manager.status('above'))?.attempts.length).toBeGreaterThan(1);
  expect(await world.count(account.address)).toBe(1);
});

test('behavior: a chain of legacy transactions has one price, raised the same way', async () => {
  const running = await aManager({ world, changes: { fees: { ...settings.fees, type: 'legacy' } } });
  const { manager } = running;
  await manager.submit('legacy', [aPrice({ timestamp: (await world.client.getBlock()).timestamp })], about);
  await manager.step();
  const [first] = (await manager.status('legacy'))?.attempts ?? [];
  expect(parseTransaction(first?.raw ?? '0x')).toMatchObject({ type: 'legacy', gasPrice: first?.fees.maxFee });
  await world.test.dropTransaction({ hash: first?.hash ?? '0x' });
  await world.mine(3);
  await manager.step();
  expect((await manager.status('legacy'))?.attempts).toHaveLength(2);
  expect(await finish(world, running, 'legacy')).toBe('confirmed');
});
