import { decodeRevert, unwrapRpcError } from '@castellan/chain';
import type { Address, Hex } from 'viem';
import { hexToBigInt, numberToHex } from 'viem/utils';
import type { KnownChain } from './chain-directory.ts';

export type CallToTry = { from: Address; to: Address; data: Hex };
export type Trial = { ok: boolean; revertReason: string | null; gas: bigint | null };

export type Simulation = {
  /** Runs a call from a wallet without sending it, at a block or the latest. @throws AppError RPC_UNAVAILABLE. */
  run(chain: KnownChain, call: CallToTry, block?: bigint): Promise<Omit<Trial, 'gas'>>;
  /** As `run`, with the gas it would take; null where it fails. */
  estimate(chain: KnownChain, call: CallToTry, block?: bigint): Promise<Trial>;
  gasPrice(chain: KnownChain): Promise<bigint>;
  balance(chain: KnownChain, wallet: Address, block: bigint): Promise<bigint>;
};

/** The contract's error, or the reason string where it gives one. */
function reasonOf(error: unknown): string {
  const revert = decodeRevert(error);
  if (revert === null) throw unwrapRpcError(error);
  return revert.name === 'Error' ? String(revert.args.message) : revert.name;
}

export function rpcSimulation(): Simulation {
  const at = (block: bigint | undefined) => (block === undefined ? 'latest' : numberToHex(block));
  const simulation: Simulation = {
    async run({ client }, call, block) {
      try {
        await client.request({ method: 'eth_call', params: [call, at(block)] });
        return { ok: true, revertReason: null };
      } catch (error) {
        return { ok: false, revertReason: reasonOf(error) };
      }
    },
    async estimate(chain, call, block) {
      const trial = await simulation.run(chain, call, block);
      if (!trial.ok) return { ...trial, gas: null };
      try {
        const gas = await chain.client.request({ method: 'eth_estimateGas', params: [call, at(block)] });
        return { ...trial, gas: hexToBigInt(gas) };
      } catch (error) {
        return { ok: false, revertReason: reasonOf(error), gas: null };
      }
    },
    async gasPrice({ client }) {
      return hexToBigInt(await client.request({ method: 'eth_gasPrice' }));
    },
    async balance({ client }, wallet, block) {
      return hexToBigInt(await client.request({ method: 'eth_getBalance', params: [wallet, at(block)] }));
    },
  };
  return simulation;
}
