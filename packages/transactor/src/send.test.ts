import { expect, test } from '@jest/globals';
import type { PublicClient } from 'viem';
import { readMarket } from './market.ts';
import { sendToAll } from './send.ts';

type Node = Pick<PublicClient, 'sendRawTransaction'>;
const takes: Node = { sendRawTransaction: async () => '0x' };
const refuses = (text: string): Node => ({
  sendRawTransaction: async () => {
    throw new Error(text);
  },
});
const neverAnswers: Node = { sendRawTransaction: () => new Promise(() => undefined) };

test('default: the first node that takes it decides, whatever the others say', async () => {
  expect(await sendToAll([refuses('invalid sender'), neverAnswers, takes], '0x')).toEqual({
    class: 'accepted',
    text: '',
  });
  expect((await sendToAll([neverAnswers, refuses('already known')], '0x')).class).toBe('accepted');
});

test('behavior: when every node refuses, the answer that says most about what to do next counts', async () => {
  const answers = [refuses('invalid sender'), refuses('nonce too low: next nonce 5'), refuses('txpool is full')];
  expect(await sendToAll(answers, '0x')).toEqual({ class: 'nonce_too_low', text: 'nonce too low: next nonce 5' });
});

test('error: without any endpoint there is no price of gas', async () => {
  await expect(readMarket([], { type: 'legacy', percentile: 60 })).rejects.toThrow('No RPC');
});
