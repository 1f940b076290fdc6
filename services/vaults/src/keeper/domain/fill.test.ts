import { anAddress } from '@castellan/testkit';
import { expect, test } from '@jest/globals';
import { type Address, encodeAbiParameters, type Hex, pad, toEventSelector } from 'viem';
import { receivedOf, swapsOf } from './fill.ts';

const [strategy, a, b, asset] = [1, 2, 3, 4].map((index) => anAddress(index) as Address) as [
  Address,
  Address,
  Address,
  Address,
];
const transfer = (token: Address, from: Address, to: Address, value: bigint) => ({
  address: token,
  topics: [toEventSelector('Transfer(address,address,uint256)'), pad(from), pad(to)] as Hex[],
  data: encodeAbiParameters([{ type: 'uint256' }], [value]),
});
const out = [transfer(a, strategy, a, 10n), transfer(asset, a, strategy, 100n)];
const into = [transfer(asset, strategy, b, 99n), transfer(b, b, strategy, 20n)];
const moved = (logs: ReturnType<typeof transfer>[]) =>
  swapsOf(logs, strategy, { tokenIn: a, tokenOut: b, through: asset });

test('default: what passes through a token is a step into it and one out of it', () => {
  expect(moved([...out, ...into])).toEqual([
    { tokenIn: a, tokenOut: asset, amountIn: 10n, amountOut: 100n },
    { tokenIn: asset, tokenOut: b, amountIn: 99n, amountOut: 20n },
  ]);
});

test('behavior: what does not pass through it is one step', () => {
  const direct = [out[0], into[1]] as ReturnType<typeof transfer>[];
  expect(moved(direct)).toEqual([{ tokenIn: a, tokenOut: b, amountIn: 10n, amountOut: 20n }]);
  expect(swapsOf(out, strategy, { tokenIn: a, tokenOut: asset })).toEqual([
    { tokenIn: a, tokenOut: asset, amountIn: 10n, amountOut: 100n },
  ]);
});

test('error: half of the way is none', () => {
  for (const half of [out, into, []]) expect(moved(half)).toEqual([]);
});

test('default: what was received for nothing is what came less what went', () => {
  const got = transfer(a, b, strategy, 10n);
  expect(receivedOf([got], strategy, a)).toBe(10n);
  expect(receivedOf([got, transfer(a, strategy, b, 4n)], strategy, a)).toBe(6n);
  expect(receivedOf([transfer(a, strategy, b, 4n)], strategy, a)).toBe(0n);
  expect(receivedOf([got], strategy, asset)).toBe(0n);
});
