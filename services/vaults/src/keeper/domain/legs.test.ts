import { actions, executableActions } from '@castellan/strategy';
import { anAddress } from '@castellan/testkit';
import { expect, test } from '@jest/globals';
import { legsOf } from './legs.ts';

const [into, from, hook] = [anAddress(1), anAddress(2), anAddress(3)];
const config = (action: string, more: object = {}) =>
  ({ action, target_address: into, from_address: from, execution_address: hook, ...more }) as never;

/** `into` is distributor and pool of a reward, and `from` the token that it is paid in. */
const rewards = [
  {
    ...{ source: anAddress(4), distributor: into.toLowerCase(), token: from.toLowerCase(), pool: into.toLowerCase() },
    ...{ symbol: 'RWD', decimals: 18, claimable: '1', held: '1', rate: '1' },
  },
];

test('default: a rebalance is a withdrawal through any hook, then a deposit through the one that is named', () => {
  expect(legsOf(config('REBALANCE'), undefined)).toEqual([
    { action: 'WITHDRAWAL', source: from, hook: null },
    { action: 'DEPOSIT', source: into, hook },
  ]);
  expect(legsOf(config('WITHDRAWAL'), undefined)).toEqual([{ action: 'WITHDRAWAL', source: into, hook }]);
});

test('default: a claim and a swap are one call, of the distributor and of the pool, each with the token of the reward', () => {
  expect(legsOf(config('CLAIM'), rewards)).toEqual([{ action: 'CLAIM', source: into, hook, token: from }]);
  expect(legsOf(config('SWAP'), rewards)).toEqual([{ action: 'SWAP', source: into, hook, token: from }]);
});

test.each([
  ['a distributor that nobody named', 'CLAIM', { target_address: anAddress(9) }],
  ['a pool that nobody named', 'SWAP', { target_address: anAddress(9) }],
  ['a token that no reward is paid in', 'SWAP', { from_address: anAddress(9) }],
  ['no token', 'SWAP', { from_address: null }],
])('error: %s', (_name, action, more) => {
  const refused = expect.objectContaining({ code: 'REWARD_UNKNOWN' });
  expect(() => legsOf(config(action, more), rewards)).toThrow(refused);
  // Nobody has read rewards, or the pool is not named.
  expect(() => legsOf(config(action), undefined)).toThrow(refused);
  if (action === 'SWAP')
    expect(() =>
      legsOf(
        config(action),
        rewards.map((reward) => ({ ...reward, pool: null })),
      ),
    ).toThrow(refused);
});

test('error: what is said not to be executable is refused, and nothing else', () => {
  const refused = actions.filter((action) => {
    try {
      return legsOf(config(action), rewards).length === 0;
    } catch (error) {
      expect(error).toMatchObject({ code: 'ACTION_UNSUPPORTED' });
      return true;
    }
  });
  expect(refused).toEqual(actions.filter((action) => !(executableActions as readonly string[]).includes(action)));
});

test('error: a rebalance that names no source it takes from, or the one it gives to', () => {
  for (const from_address of [null, into.toLowerCase()])
    expect(() => legsOf(config('REBALANCE', { from_address }), undefined)).toThrow(
      /from one source and gives to another/,
    );
});
