import { newRange } from '@castellan/chain';
import { manualClock } from '@castellan/testkit';
import { expect, test } from '@jest/globals';
import { type Address, type Hash, keccak256, numberToHex, pad } from 'viem';
import { DueLogs, type SeenHead } from './due-logs.ts';

const contract: Address = '0x00000000000000000000000000000000000000aa';
const other: Address = '0x00000000000000000000000000000000000000bb';
const hashOf = (number: number): Hash => pad(numberToHex(number));

/** The bloom filter of a block whose only log is of this contract, without its topics. */
function bloomOf(address?: Address): SeenHead['logsBloom'] {
  const bytes = Buffer.alloc(256);
  const hash = Buffer.from(keccak256(address ?? '0x').slice(2), 'hex');
  for (const at of address ? [0, 2, 4] : []) {
    const bit = hash.readUInt16BE(at) & 2047;
    bytes[255 - (bit >> 3)] = (bytes[255 - (bit >> 3)] ?? 0) | (1 << (bit & 7));
  }
  return `0x${bytes.toString('hex')}`;
}

const block = (number: number, changes: Partial<SeenHead> = {}): SeenHead => ({
  number: BigInt(number),
  hash: hashOf(number),
  parentHash: hashOf(number - 1),
  logsBloom: bloomOf(other),
  ...changes,
});
const range = newRange();

/** Has read all up to block 1. */
function started() {
  const clock = manualClock();
  const due = new DueLogs([contract], clock);
  const first = due.isDue(block(1), range);
  due.read(1n);
  return { due, clock, first };
}

test('default: blocks without a log of the contracts wait, and are read after 15 s', () => {
  const { due, clock, first } = started();
  expect(first).toBe(true);
  expect([2, 3, 3].map((number) => due.isDue(block(number), range))).toEqual([false, false, false]);
  clock.advance(15_000);
  expect(due.isDue(block(4), range)).toBe(true);
  due.read(4n);
  expect(due.isDue(block(5), range)).toBe(false);
});

test.each([
  ['whose filter names a contract', block(2, { logsBloom: bloomOf(contract) })],
  ['without a filter', block(2, { logsBloom: null })],
  ['after one that was not seen', block(3)],
  ['of another branch', block(2, { parentHash: hashOf(77) })],
])('behavior: a block %s is read at once, until it is', (_name, head) => {
  const { due } = started();
  expect(due.isDue(head, range)).toBe(true);
  const next = block(Number(head.number) + 1);
  due.read(head.number - 1n);
  expect(due.isDue(next, range)).toBe(true);
  due.read(head.number);
  expect(due.isDue(next, range)).toBe(false);
});

test('behavior: on a chain whose filters say nothing, each block is read', () => {
  const { due } = started();
  expect(due.isDue(block(2), { ...range, blooms: 'useless' })).toBe(true);
});
