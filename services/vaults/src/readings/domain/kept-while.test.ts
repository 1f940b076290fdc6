import { expect, test } from '@jest/globals';
import { KeptWhile } from './kept-while.ts';

let made = 0;
const make = async () => {
  made += 1;
  return made;
};

test('default: an answer is made once for the same basis, for those who wait for it too', async () => {
  const kept = new KeptWhile<number>(10);
  made = 0;
  const first = await Promise.all([kept.get('a', ['0x1', 7], make), kept.get('a', ['0x1', 7], make)]);
  expect([...first, await kept.get('a', ['0x1', 7], make)]).toEqual([1, 1, 1]);
});

test('behavior: another basis, or another key, is another answer', async () => {
  const kept = new KeptWhile<number>(10);
  made = 0;
  const bases = [
    ['0x1', 7],
    ['0x1', 8],
    ['0x2', 8],
    ['0x1', 7],
  ];
  const answers: number[] = [];
  for (const basis of bases) answers.push(await kept.get('a', basis, make));
  expect([...answers, await kept.get('b', ['0x1', 7], make)]).toEqual([1, 2, 3, 4, 5]);
});

test('error: a failure is not kept', async () => {
  const kept = new KeptWhile<number>(10);
  made = 0;
  await expect(kept.get('a', [1], () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await kept.get('a', [1], make)).toBe(1);
});

test('behavior: of too many the one that was asked for longest ago goes', async () => {
  const kept = new KeptWhile<number>(2);
  made = 0;
  for (const key of ['a', 'b', 'a', 'c']) await kept.get(key, [1], make);
  expect([await kept.get('a', [1], make), await kept.get('b', [1], make)]).toEqual([1, 4]);
});
