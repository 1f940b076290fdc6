import { etagOf } from '@castellan/service-kit';
import { expect, test } from '@jest/globals';
import { MadeAnswers } from './made-answers.ts';

test('default: an answer is made once, and its tag is the hash of its text', () => {
  const made = new MadeAnswers(10_000);
  let times = 0;
  const get = (key: string) =>
    made.get(key, () => {
      times += 1;
      return { key };
    });
  expect([get('a'), get('a'), get('b').text, times]).toEqual([
    { etag: etagOf('{"key":"a"}'), text: '{"key":"a"}' },
    { etag: etagOf('{"key":"a"}'), text: '{"key":"a"}' },
    '{"key":"b"}',
    2,
  ]);
});

test('behavior: an object keeps its number, and another one that holds the same has another', () => {
  const made = new MadeAnswers(10_000);
  const [one, other] = [{ a: 1 }, { a: 1 }];
  expect([made.numberOf(one), made.numberOf(other), made.numberOf(one)]).toEqual([1, 2, 1]);
});

test('behavior: what was not asked for the longest goes first', () => {
  const made = new MadeAnswers(1_200);
  const isMade = (key: string): boolean => {
    let isNew = false;
    made.get(key, () => {
      isNew = true;
      return key;
    });
    return isNew;
  };
  expect([isMade('a'), isMade('b'), isMade('a'), isMade('c'), isMade('a'), isMade('b')]).toEqual([
    true,
    true,
    false,
    true,
    false,
    true,
  ]);
});
