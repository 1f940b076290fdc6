import { expect, test } from '@jest/globals';
import { KeptAnswers } from './kept-answers.ts';

function aKeeper() {
  const world = { revision: '0', made: 0, fails: false };
  const asked: (readonly string[])[] = [];
  const kept = new KeptAnswers<number>({
    revisionOf: async (subjects) => {
      asked.push(subjects);
      return world.revision;
    },
  });
  const make = async () => {
    world.made += 1;
    if (world.fails) throw new Error('away');
    return world.made;
  };
  return { world, asked, get: (key = 'a') => kept.get(key, ['subject'], make) };
}

test('default: made once for a revision of its subjects, also for those who ask while it is made', async () => {
  const { world, asked, get } = aKeeper();
  expect([await Promise.all([get(), get()]), await get(), await get('b')]).toEqual([[1, 1], 1, 2]);
  world.revision = '1';
  expect([await get(), await get()]).toEqual([3, 3]);
  expect(new Set(asked.flat())).toEqual(new Set(['subject']));
});

test('behavior: the answer that was used longest ago goes first', async () => {
  const { world, get } = aKeeper();
  await get('first');
  for (let n = 0; n < 63; n += 1) await get(`${n}`);
  await get('first');
  await get('one more');
  expect(world.made).toBe(65);
  await get('first');
  expect(world.made).toBe(65);
  await get('0');
  expect(world.made).toBe(66);
});

test('error: a failure is not kept', async () => {
  const { world, get } = aKeeper();
  world.fails = true;
  await expect(get()).rejects.toThrow('away');
  world.fails = false;
  expect(await get()).toBe(2);
});
