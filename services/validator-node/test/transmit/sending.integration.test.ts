import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { about, aManager, aPrice, dataOf, finish, World } from './harness.ts';

let world: World;
beforeAll(async () => {
  world = await World.start();
}, 60_000);
afterAll(() => world?.stop());

test('default: a transmission is stored, sent, mined and confirmed at depth, and told once', async () => {
  const running = await aManager({ world });
  const { manager, account, events } = running;
  const price = aPrice();
  await manager.submit('a', [price], about);
  await manager.submit('a', [price], about);
  expect((await manager.status('a'))?.state).toBe('queued');

  await manager.step();
  expect((await manager.status('a'))?.state).toBe('pending');
  await world.mine();
  await manager.step();
  expect((await manager.status('a'))?.state).toBe('mined');
  await world.mine();
  await manager.step();
  expect((await manager.status('a'))?.state).toBe('mined');
  await world.mine();
  await manager.step();
  await manager.step();

  expect(await world.delivered(account.address)).toEqual([dataOf([price])]);
  expect(events.map(({ type }) => type)).toEqual(['held', 'attempted', 'mined', 'confirmed']);
  expect(events.at(-1)).toMatchObject({
    ...{ id: 'a:confirmed', key: 'a', about, reason: null },
    outcomes: [{ strategy: price.strategy, status: 'success', reason: null }],
  });
  expect(await finish(world, running, 'a')).toBe('confirmed');
});
