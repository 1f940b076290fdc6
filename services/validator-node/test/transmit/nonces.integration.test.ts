import { freePort, until } from '@castellan/testkit';
import { sendToAll } from '@castellan/transactor';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Hex, keccak256, parseGwei } from 'viem';
import { about, aManager, aPrice, dataOf, fakeContract, finish, type Running, rpc, World } from './harness.ts';

/** What others do to the account's nonces, and what nodes and reorganisations do to the chain. */

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world?.stop());

type Account = Running['account'];

/** A transaction by somebody else who has the key. */
async function useKey(account: Account, nonce: number, gwei = '100'): Promise<Hex> {
  const raw = await account.signTransaction({
    ...{ chainId: 31_337, nonce, to: account.address, value: 0n, gas: 21_000n, type: 'eip1559' },
    ...{ maxFeePerGas: parseGwei(gwei), maxPriorityFeePerGas: parseGwei('1') },
  });
  await world.client.sendRawTransaction({ serializedTransaction: raw });
  return keccak256(raw);
}
const stateOf = async ({ manager }: Running, key: string) => (await manager.status(key))?.state;
const fresh = async () => aPrice({ timestamp: (await world.client.getBlock()).timestamp });

test('behavior: an account that was used before starts at its count, without alarm', async () => {
  const account = world.account();
  await useKey(account, 0);
  await world.mine();
  const running = await aManager({ world, account });
  await running.manager.submit('first', [await fresh()], about);
  expect(await finish(world, running, 'first')).toBe('confirmed');
  expect((await running.manager.status('first'))?.nonce).toBe(1);
  expect(running.types()).not.toContain('foreign_nonce');
});

test('behavior: a nonce used by somebody else: reported, ours goes on behind it', async () => {
  const running = await aManager({ world });
  await running.manager.submit('ours', [await fresh()], about);
  expect(await finish(world, running, 'ours')).toBe('confirmed');
  await useKey(running.account, 1);
  await world.mine();
  await running.manager.submit('next', [await fresh()], about);
  expect(await finish(world, running, 'next')).toBe('confirmed');
  expect((await running.manager.status('next'))?.nonce).toBe(2);
  expect(running.events).toContainEqual(
    expect.objectContaining({ type: 'foreign_nonce', where: 'latest', expected: 1, found: 2 }),
  );
});

test('behavior: an idle account looks rarely, sees what others use all the same, and sends at once', async () => {
  let looks = 0;
  const running = await aManager({
    world,
    changes: { pollMs: 20 },
    around: (store) => ({
      ...store,
      withPendingEvents: () => {
        looks += 1;
        return store.withPendingEvents();
      },
    }),
  });
  await running.manager.submit('first', [await fresh()], about);
  expect(await finish(world, running, 'first')).toBe('confirmed');
  looks = 0;
  running.manager.start();
  await until('it rests', () => looks >= 2);
  await useKey(running.account, 1);
  await world.mine();
  await until('a foreign nonce is seen', () => running.types().includes('foreign_nonce'));
  const sent = () => running.types().filter((type) => type === 'attempted').length;
  const before = sent();
  await running.manager.submit('second', [await fresh()], about);
  await until('it is sent', () => sent() > before);
  await running.manager.stop();
});

test('behavior: a transaction of somebody else that waits is reported at the start', async () => {
  const account = world.account();
  await useKey(account, 0);
  const running = await aManager({ world, account });
  await running.manager.step();
  expect(running.events).toContainEqual(
    expect.objectContaining({ type: 'foreign_nonce', where: 'pending', expected: 0, found: 1 }),
  );
  await world.mine();
});

test('behavior: our nonce used by somebody else while ours waits: lost, but only once it cannot come back', async () => {
  const running = await aManager({ world });
  const { manager, account, events } = running;
  await manager.submit('beaten', [await fresh()], about);
  await manager.step();
  await useKey(account, 0);
  await world.mine();
  await manager.step();
  expect(await stateOf(running, 'beaten')).toBe('pending');
  expect(await finish(world, running, 'beaten')).toBe('lost');
  expect(events.filter(({ type }) => type === 'lost')).toEqual([
    expect.objectContaining({ key: 'beaten', nonce: 0, reason: 'nonce_used_elsewhere' }),
  ]);
  await manager.submit('after', [await fresh()], about);
  expect(await finish(world, running, 'after')).toBe('confirmed');
  expect((await manager.status('after'))?.nonce).toBe(1);
});

test('behavior: a nonce that no intent covers is filled, so that those behind it can go', async () => {
  const running = await aManager({ world });
  const { manager, account } = running;
  const snapshot = await world.test.snapshot();
  await manager.submit('gone', [await fresh()], about);
  expect(await finish(world, running, 'gone')).toBe('confirmed');
  // Deeper than what counts as final: the intent is over, and its nonce free again.
  await world.test.revert({ id: snapshot });
  await world.mine();
  await manager.submit('behind', [await fresh()], about);
  expect(await finish(world, running, 'behind')).toBe('confirmed');
  expect((await manager.status('behind'))?.nonce).toBe(1);
  expect(await world.count(account.address)).toBe(2);
});

test('behavior: a reorganisation takes the transaction out: pending again, the same bytes are sent, one end is reported', async () => {
  const running = await aManager({ world, changes: { finality: { confirmations: 4 } } });
  const { manager, account, events } = running;
  const price = await fresh();
  const snapshot = await world.test.snapshot();
  await manager.submit('reorg', [price], about);
  await manager.step();
  await world.mine();
  await manager.step();
  expect(await stateOf(running, 'reorg')).toBe('mined');
  const before = await manager.status('reorg');

  await world.test.revert({ id: snapshot });
  await world.mine(2);
  expect(await world.count(account.address)).toBe(0);
  await manager.step();
  expect(await stateOf(running, 'reorg')).toBe('pending');
  expect(await finish(world, running, 'reorg')).toBe('confirmed');

  const after = await manager.status('reorg');
  expect(after?.attempts.map(({ raw }) => raw)).toEqual(before?.attempts.map(({ raw }) => raw));
  expect(after?.inclusion?.blockHash).not.toBe(before?.inclusion?.blockHash);
  expect(await world.delivered(account.address)).toEqual([dataOf([price])]);
  await manager.step();
  const changes = events.map(({ type }) => type).filter((type) => !['held', 'attempted'].includes(type));
  expect(changes).toEqual(['mined', 'reorged', 'mined', 'confirmed']);
});

test('behavior: a reorganisation that puts it into another block at once: reported, not sent again', async () => {
  const running = await aManager({ world, changes: { finality: { confirmations: 4 } } });
  const { manager, account, events } = running;
  await manager.submit('moved', [await fresh()], about);
  await manager.step();
  await world.mine();
  await manager.step();
  const before = await manager.status('moved');
  const raw = before?.attempts[0]?.raw ?? '0x';
  await world.client.request({ method: 'anvil_reorg', params: [2, [[raw, 1]]] } as never);
  await manager.step();
  const after = await manager.status('moved');
  expect(after?.state).toBe('mined');
  expect(after?.inclusion?.blockHash).not.toBe(before?.inclusion?.blockHash);
  expect(await finish(world, running, 'moved')).toBe('confirmed');
  expect(await world.count(account.address)).toBe(1);
  expect(events.filter(({ type }) => type === 'attempted')).toHaveLength(1);
});

test('behavior: after a reorganisation the prices may be useless: the nonce is still used up', async () => {
  const { contract, useless } = fakeContract();
  const running = await aManager({ world, contract, changes: { finality: { confirmations: 4 } } });
  const { manager, account } = running;
  const price = await fresh();
  const snapshot = await world.test.snapshot();
  await manager.submit('void', [price], about);
  await manager.step();
  await world.mine();
  await manager.step();
  await world.test.revert({ id: snapshot });
  useless.add(price.nonce);
  await world.mine();
  await manager.step();
  await world.test.dropTransaction({ hash: (await manager.status('void'))?.attempts[0]?.hash ?? '0x' });
  expect(await finish(world, running, 'void')).toBe('superseded');
  expect(await world.count(account.address)).toBe(1);
  expect(await world.delivered(account.address)).toEqual([]);
});

test('behavior: what a real node answers is understood', async () => {
  const account = world.account();
  const signed = (changes: Record<string, unknown>) =>
    account.signTransaction({
      ...{ chainId: 31_337, nonce: 1, to: account.address, value: 0n, gas: 21_000n, type: 'eip1559' as const },
      ...{ maxFeePerGas: parseGwei('10'), maxPriorityFeePerGas: parseGwei('1') },
      ...changes,
    });
  await useKey(account, 0);
  await world.mine();
  const answer = async (changes: Record<string, unknown>) =>
    (await sendToAll([world.client], await signed(changes))).class;
  expect(await answer({})).toBe('accepted');
  expect(await answer({})).toBe('accepted');
  expect(await answer({ value: 1n })).toBe('underpriced');
  expect(await answer({ nonce: 0 })).toBe('nonce_too_low');
  expect(await answer({ nonce: 2, value: 10n ** 30n })).toBe('insufficient_funds');
  expect(await answer({ nonce: 2, gas: 20_000n })).toBe('fatal');
  expect(await answer({ nonce: 2, gas: 2_000_000_000n })).toBe('fatal');
  expect(await answer({ nonce: 2, chainId: 1 })).toBe('fatal');
  await world.mine();
});

test('behavior: one of two nodes down, the other does', async () => {
  const down = rpc(`http://127.0.0.1:${await freePort()}`);
  for (const rpcs of [
    [down, world.client],
    [world.client, down],
  ]) {
    const running = await aManager({ world, rpcs });
    await running.manager.submit('half', [await fresh()], about);
    expect(await finish(world, running, 'half')).toBe('confirmed');
  }
});

test('behavior: all nodes down: nothing is lost, it goes on when one is back', async () => {
  const down = rpc(`http://127.0.0.1:${await freePort()}`);
  const account = world.account();
  const blind = await aManager({ world, account, rpcs: [down], holder: 'same' });
  await blind.manager.submit('blind', [await fresh()], about);
  await expect(blind.manager.step()).rejects.toThrow();
  expect(await stateOf(blind, 'blind')).toBe('queued');
  const seeing = await aManager({ world, account, holder: 'same' });
  expect(await finish(world, seeing, 'blind')).toBe('confirmed');
});

test('behavior: a node of another chain is not believed', async () => {
  const running = await aManager({ world, changes: { chainId: 1 } });
  await expect(running.manager.step()).rejects.toThrow('chain 31337, not 1');
});

test('behavior: a head below one seen already is a lagging node first, a reorganisation only when it lasts', async () => {
  const running = await aManager({ world, changes: { finality: { confirmations: 9 }, headLagMs: 10_000 } });
  const { manager, events } = running;
  const snapshot = await world.test.snapshot();
  await manager.submit('lag', [await fresh()], about);
  await manager.step();
  await world.mine();
  await manager.step();
  await world.test.revert({ id: snapshot });
  await manager.step();
  expect(await stateOf(running, 'lag')).toBe('mined');
  world.laterMs += 10_001;
  await manager.step();
  expect(await stateOf(running, 'lag')).toBe('pending');
  expect(events.filter(({ type }) => type === 'reorged')).toHaveLength(1);
});
