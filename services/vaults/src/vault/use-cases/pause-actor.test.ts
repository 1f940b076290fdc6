import { expect, test } from '@jest/globals';
import { TransactionNotFoundError } from 'viem';
import type { KnownChain } from '../../chains/chain-directory.ts';
import { pauseActors } from './pause-actor.ts';

const from = `0x${'1'.repeat(40)}`;

function asking() {
  const on = { ms: 0, asked: 0, isKnown: false };
  const getTransaction = async () => {
    on.asked += 1;
    if (!on.isKnown) throw new TransactionNotFoundError({ hash: '0x7' });
    return { from };
  };
  const chain = { config: { chainId: 1 }, client: { getTransaction } } as unknown as KnownChain;
  const actorOf = pauseActors(() => new Date(on.ms));
  return { on, ask: (more = {}) => actorOf(chain, { tx: '0x7', at: '', reason: null, ...more } as never) };
}

test('behavior: a pausing transaction that the node does not know is asked for again, once a minute', async () => {
  const { on, ask } = asking();
  expect([await ask(), await ask()]).toEqual([null, null]);
  expect(on.asked).toBe(1);
  Object.assign(on, { ms: 60_000, isKnown: true });
  expect([await ask(), await ask()]).toEqual([from, from]);
  expect(on.asked).toBe(2);
});

test('default: nobody decided a pause that the chain made by itself, and nothing is asked', async () => {
  const { on, ask } = asking();
  expect(await ask({ reason: 'The price moved too far.' })).toBeNull();
  expect(on.asked).toBe(0);
});
