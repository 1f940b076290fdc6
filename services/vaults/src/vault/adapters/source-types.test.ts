import { expect, test } from '@jest/globals';
import { ContractFunctionZeroDataError } from 'viem';
import type { KnownChain } from '../../chains/chain-directory.ts';
import { rpcSourceTypes } from './source-types.rpc.ts';

test('behavior: a source that says nothing of itself is asked again, once a minute, until it has', async () => {
  const on = { ms: 0, asked: 0, isThere: false };
  const readContract = async () => {
    on.asked += 1;
    if (!on.isThere) throw new ContractFunctionZeroDataError({ functionName: 'asset' });
    return 1n;
  };
  const chain = { config: { chainId: 1 }, client: { readContract } } as unknown as KnownChain;
  const types = rpcSourceTypes(() => on.ms);
  const ask = () => types.of(chain, `0x${'1'.repeat(40)}`);
  expect([await ask(), await ask(), on.asked]).toEqual(['unknown', 'unknown', 2]);
  Object.assign(on, { ms: 60_000, isThere: true });
  expect([await ask(), on.asked]).toEqual(['erc4626', 4]);
  on.ms = 1e12;
  expect([await ask(), on.asked]).toEqual(['erc4626', 4]);
});
