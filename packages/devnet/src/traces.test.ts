import { expect, test } from '@jest/globals';
import { withoutTraces } from './traces.ts';

const without = (state: unknown): unknown =>
  JSON.parse(withoutTraces(Buffer.from(JSON.stringify(state))).toString('utf8'));

test('default: each list of traces is empty, and all else is as it was', () => {
  const transaction = (traces: unknown[]) => ({ info: { out: '0x', traces, nonce: 3 }, receipt: { logs: [[1], []] } });
  const deep = [{ logs: [[], ['a']], ordering: [{ Call: 0 }], text: 'a ] and a \\" and a \\\\' }, { parent: null }];
  const state = (traces: unknown[]) => ({
    block: 1,
    transactions: [transaction(traces), transaction(traces)],
    end: [],
  });
  expect(without(state(deep))).toEqual(state([]));
  expect(without(state([]))).toEqual(state([]));
});

test('behavior: a file that ends within a list is no state afterwards either', () => {
  const cut = Buffer.from('{"transactions":[{"info":{"traces":[{"a":[1,2');
  expect(() => JSON.parse(withoutTraces(cut).toString('utf8'))).toThrow(SyntaxError);
  expect(() => JSON.parse(withoutTraces(Buffer.from('{"broken')).toString('utf8'))).toThrow(SyntaxError);
});
