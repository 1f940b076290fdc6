import { MULTICALL3 } from '@castellan/chain';
import type { Anvil, Artifacts } from '@castellan/protocol';
import type { Hex } from 'viem';
import { ChainDriver } from './chain-driver.ts';

/** Puts Multicall3 where real chains have it, also on a chain whose history was made without it. */
export async function provideMulticall({ rpcUrl }: Anvil, { DevMulticall3 }: Artifacts): Promise<void> {
  const driver = new ChainDriver(rpcUrl, 0);
  if ((await driver.rpc('eth_getCode', [MULTICALL3, 'latest'])) !== '0x') return;
  // What a deployment would leave behind.
  const code = (await driver.rpc('eth_call', [{ data: DevMulticall3.bytecode }, 'latest'])) as Hex;
  await driver.rpc('anvil_setCode', [MULTICALL3, code]);
}
