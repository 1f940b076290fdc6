import { etagOf } from '@castellan/service-kit';
import { expect, jest, test } from '@jest/globals';
import { PickedAnswers } from './picked-answers.ts';
import type { Selection } from './sparse-fields.ts';

const wholeOf = (answer: unknown) => {
  const text = JSON.stringify(answer);
  return { etag: etagOf(text), bytes: { toString: jest.fn(() => text) } as unknown as Buffer };
};
const only = (...names: string[]): Selection => new Map(names.map((name) => [name, 'whole']));

test('default: what was picked once is not parsed again, and has a tag of its own', () => {
  const picked = new PickedAnswers();
  const whole = wholeOf({ a: 1, b: 2 });
  const first = picked.of(whole, only('a'));
  expect(first).toEqual({ bytes: '{"a":1}', etag: etagOf('{"a":1}') });
  expect(picked.of({ ...whole }, only('a'))).toBe(first);
  expect(whole.bytes.toString).toHaveBeenCalledTimes(1);
});

test('behavior: another selection, inside of a field too, and another answer are other texts', () => {
  const picked = new PickedAnswers();
  const whole = wholeOf({ a: { x: 1, y: 2 }, b: 2 });
  const inner = (name: string): Selection => new Map([['a', new Map([[name, 'whole']])]]);
  expect(picked.of(whole, only('a')).bytes).toBe('{"a":{"x":1,"y":2}}');
  expect(picked.of(whole, inner('x')).bytes).toBe('{"a":{"x":1}}');
  expect(picked.of(whole, inner('y')).bytes).toBe('{"a":{"y":2}}');
  expect(picked.of(wholeOf({ a: { x: 7 } }), inner('x')).bytes).toBe('{"a":{"x":7}}');
});

test('boundary: what is larger than all that may be kept is picked each time', () => {
  const picked = new PickedAnswers();
  const whole = wholeOf({ a: 'x'.repeat(9_000_000) });
  expect(picked.of(whole, only('a'))).toEqual(picked.of(whole, only('a')));
  expect(whole.bytes.toString).toHaveBeenCalledTimes(2);
});
