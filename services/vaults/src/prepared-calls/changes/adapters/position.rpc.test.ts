import { erc20Abi, superVaultAbi, superVaultStrategyAbi } from '@castellan/chain';
import { anAddress } from '@castellan/testkit';
import { expect, test } from '@jest/globals';
import { createPublicClient, custom, decodeFunctionData, encodeFunctionResult, type Hex } from 'viem';
import { readPosition } from './position.rpc.ts';

const abi = [...erc20Abi, ...superVaultAbi, ...superVaultStrategyAbi];
const [wallet, vault, strategy, asset] = [anAddress(1), anAddress(2), anAddress(3), anAddress(4)];

/** A node of a wallet with this allowance, whose token answers approvals so. */
function aNode(allowance: bigint, approve: () => Hex) {
  const approved: unknown[] = [];
  const request = async ({ params: [call] }: { params: [{ data: Hex; from?: string; to: string }] }) => {
    const { functionName, args } = decodeFunctionData({ abi, data: call.data });
    if (functionName === 'approve') {
      approved.push({ from: call.from, to: call.to, args });
      return approve();
    }
    const results: Record<string, unknown> = {
      allowance,
      previewExactRedeem: [0n, 0n, 0n],
      pendingCancelRedeemRequest: false,
    };
    return encodeFunctionResult({ abi, functionName, result: results[functionName] ?? 0n } as never);
  };
  const client = createPublicClient({ transport: custom({ request } as never, { retryCount: 0 }) });
  const target = { chainId: 1, vault, strategy, aggregator: anAddress(5), name: 'USDC Core' };
  const token = { address: asset, name: 'Tether', symbol: 'USDT', decimals: 6 };
  const read = (wanted: bigint) => readPosition(client, { asset: token, blockNumber: 1n }, target, wallet, wanted);
  return { read, approved };
}

const reverts = () => {
  throw Object.assign(new Error('execution reverted'), { code: 3, data: '0x' });
};

test('default: an allowance that the token refuses to raise has to be taken back first', async () => {
  const { read, approved } = aNode(5n, reverts);
  expect(await read(6n)).toMatchObject({ allowance: 5n, needsReset: true });
  expect(approved).toEqual([{ from: wallet, to: asset, args: [vault, 6n] }]);
});

test('behavior: a token that raises it, or gives no answer as USDT does, needs nothing of the kind', async () => {
  for (const answer of [`0x${'1'.padStart(64, '0')}`, '0x'] as const)
    expect(await aNode(5n, () => answer).read(6n)).toMatchObject({ needsReset: false });
});

test('behavior: nothing is tried without an allowance, or with enough of it', async () => {
  for (const [allowance, wanted] of [
    [0n, 6n],
    [6n, 6n],
    [5n, 0n],
  ] as const) {
    const { read, approved } = aNode(allowance, reverts);
    expect(await read(wanted)).toMatchObject({ needsReset: false });
    expect(approved).toEqual([]);
  }
});

test('error: a node that is away says nothing of the token', async () => {
  const isAway = () => {
    throw new Error('fetch failed');
  };
  await expect(aNode(5n, isAway).read(6n)).rejects.toThrow('fetch failed');
});
