import { expect, test } from '@jest/globals';
import { parseAbi } from 'viem';
import { readL1Fee } from './l1-fee.ts';
import { publishedL1FeeOracle } from './registry/chain-config.ts';
import { RpcFault, scriptedChain, scriptedClient } from './scripted-rpc.fixture.ts';

const oracle = '0x420000000000000000000000000000000000000F';
const abi = parseAbi([
  'function getL1FeeUpperBound(uint256 unsignedTxSize) view returns (uint256)',
  'function getOperatorFee(uint256 gasUsed) view returns (uint256)',
]);

const clientOf = (getOperatorFee: (args: readonly unknown[]) => unknown) =>
  scriptedClient(
    scriptedChain({
      contracts: {
        [oracle.toLowerCase()]: {
          abi,
          functions: { getL1FeeUpperBound: ([size]) => (size as bigint) * 1_000n, getOperatorFee },
        },
      },
    }),
  );
const call = { dataBytes: 400, gas: 200_000n };

test('default: what publishing costs and the fee of the operator, for the size of the transaction', async () => {
  const client = clientOf(([gas]) => (gas as bigint) / 1_000n);
  expect(await readL1Fee(client, oracle, call)).toBe(500_000n + 200n);
});

test('behavior: an oracle that knows no fee of an operator', async () => {
  const client = clientOf(() => {
    throw new RpcFault(3, 'execution reverted', '0x');
  });
  expect(await readL1Fee(client, oracle, call)).toBe(500_000n);
});

test('behavior: nothing is asked of a chain without such fees', async () => {
  const chain = scriptedChain();
  expect(await readL1Fee(scriptedClient(chain), publishedL1FeeOracle(1), call)).toBe(0n);
  expect(chain.requests).toEqual([]);
  expect(publishedL1FeeOracle(8_453)).toBe(oracle);
});

test('error: an oracle that does not answer is no fee of nothing', async () => {
  await expect(readL1Fee(scriptedClient(scriptedChain()), oracle, call)).rejects.toThrow('getL1FeeUpperBound');
});
