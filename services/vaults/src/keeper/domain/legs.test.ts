import { actions, executableActions } from '@castellan/strategy';
import { anAddress } from '@castellan/testkit';
import { expect, test } from '@jest/globals';
import { legsOf } from './legs.ts';

const [into, from, hook] = [anAddress(1), anAddress(2), anAddress(3)];
const config = (action: string, more: object = {}) =>
  ({ action, target_address: into, from_address: from, execution_address: hook, ...more }) as never;

test('default: a rebalance is a withdrawal through any hook, then a deposit through the one that is named', () => {
  expect(legsOf(config('REBALANCE'))).toEqual([
    { action: 'WITHDRAWAL', source: from, hook: null },
    { action: 'DEPOSIT', source: into, hook },
  ]);
  expect(legsOf(config('WITHDRAWAL'))).toEqual([{ action: 'WITHDRAWAL', source: into, hook }]);
});

test('error: what is said not to be executable is refused, and nothing else', () => {
  const refused = actions.filter((action) => {
    try {
      return legsOf(config(action)).length === 0;
    } catch (error) {
      expect(error).toMatchObject({ code: 'ACTION_UNSUPPORTED' });
      return true;
    }
  });
  expect(refused).toEqual(actions.filter((action) => !(executableActions as readonly string[]).includes(action)));
});

test('error: a rebalance that names no source it takes from, or the one it gives to', () => {
  for (const from_address of [null, into.toLowerCase()])
    expect(() => legsOf(config('REBALANCE', { from_address }))).toThrow(/from one source and gives to another/);
});
