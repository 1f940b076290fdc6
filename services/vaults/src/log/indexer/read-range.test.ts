import { type LogCheck, newRange } from '@castellan/chain';
import { describe, expect, test } from '@jest/globals';
import { AddressBook } from './address-book.ts';
import { deployedLog, FakeChain, singletons, somethingBy, trioOf } from './fake-chain.fixture.ts';
import { clientOf, type Node, nodeOf } from './fake-nodes.fixture.ts';
import { readRange } from './read-range.ts';

/** A chain of some blocks with a vault that does something in each of them, and the same chain without the newest blocks. */
function chains(blocks: number, behind: number) {
  const [vault] = trioOf(1);
  const whole = new FakeChain();
  whole.mine([]);
  whole.mine([deployedLog(1)]);
  for (let number = 2; number < blocks; number += 1) whole.mine([somethingBy(vault)]);
  const late = new FakeChain();
  late.blocks = whole.blocks.slice(0, blocks - behind);
  return { whole, late };
}

const read = (nodes: readonly Node[], to: bigint, onCheck?: (check: LogCheck) => void) =>
  readRange({
    ...{ client: clientOf(nodes), book: new AddressBook(singletons, null), from: 0n, to, expectedParent: undefined },
    ...{ range: newRange(), ...(onCheck && { onCheck }) },
  });

describe('readRange', () => {
  test.each([3, 10])('default: logs of a replica %s blocks behind are no range', async (behind) => {
    const { whole, late } = chains(40, behind);
    await expect(read([nodeOf(whole, late)], 39n)).rejects.toMatchObject({ code: 'RPC_UNAVAILABLE', retryable: true });
  });

  test('behavior: everything of a range is of one endpoint, and of the next when that one is behind', async () => {
    const { whole, late } = chains(40, 10);
    const nodes = [nodeOf(late), nodeOf(whole)] as const;
    const answer = await read(nodes, 39n);
    expect(answer).toMatchObject({ kind: 'logs', end: { number: 39n } });
    expect(answer.kind === 'logs' && answer.drafts.filter(({ kind }) => kind === 'log')).toHaveLength(39);
    expect(new Set(nodes[0].asked)).toEqual(new Set(['eth_getBlockByNumber']));
    expect(new Set(nodes[1].asked)).toEqual(
      new Set(['eth_getBlockByNumber', 'eth_getLogs', 'eth_getTransactionReceipt']),
    );
  });

  test('behavior: a range in which new contracts have more logs than a node returns ends earlier, and goes on from there', async () => {
    const { whole } = chains(1_000, 0);
    const answer = whole.answer.bind(whole);
    whole.answer = (method, params) => {
      const found = answer(method, params);
      if (Array.isArray(found) && found.length > 100) throw new Error('query returned more than 100 results');
      return found;
    };
    const short = await read([nodeOf(whole)], 999n);
    expect(short).toMatchObject({ kind: 'logs', end: { number: 62n } });
    expect(short.kind === 'logs' && short.drafts.filter(({ kind }) => kind === 'log')).toHaveLength(62);
  });

  test('behavior: a backfill asks another endpoint for its long ranges, and not for each block', async () => {
    const { whole } = chains(1_000, 0);
    const nodes = [nodeOf(whole), nodeOf(whole)] as const;
    const checks: LogCheck[] = [];
    await read(nodes, 999n, (check) => checks.push(check));
    expect(checks.map(({ witnessed }) => witnessed)).toEqual(['same', 'same']);
    expect(nodes[1].asked).toEqual(['eth_getLogs', 'eth_getLogs']);
  });
});
