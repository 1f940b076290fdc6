import { decodeFunctionResult, encodeFunctionData } from 'viem';
import { calls } from './abi.ts';
import type { Deployment } from './chain-record.ts';
import { ratio, sum } from './numbers.ts';
import { callsAt, type Rpc } from './rpc.ts';

export type Concentration = { hhi: number | null; hhi_deployed: number | null };

const index = (parts: readonly bigint[]): number | null => {
  const whole = sum(parts);
  return whole === 0n ? null : ratio(sum(parts.map((part) => part * part)), whole * whole);
};

/** Herfindahl index of what lies where: with idle assets as a part of their own, and of the sources alone. */
export const concentrationOf = (idle: bigint, sources: readonly bigint[]): Concentration => ({
  hhi: index([idle, ...sources]),
  hhi_deployed: index(sources),
});

/** Reads the allocation at a block and tells its concentration. Each source is valued by the oracle the strategy names. */
export async function concentrationAt(rpc: Rpc, deployment: Deployment, block: bigint): Promise<Concentration> {
  const { strategy, asset } = deployment;
  const holder = strategy as `0x${string}`;
  const list = encodeFunctionData({ abi: calls, functionName: 'getYieldSourcesList' });
  const balance = encodeFunctionData({ abi: calls, functionName: 'balanceOf', args: [holder] });
  const [listed, idle] = await callsAt(
    rpc,
    [
      { to: strategy, data: list },
      { to: asset, data: balance },
    ],
    block,
  );
  const sources = decodeFunctionResult({ abi: calls, functionName: 'getYieldSourcesList', data: listed ?? '0x' });
  const values = await callsAt(
    rpc,
    sources.map(({ sourceAddress, oracle }) => ({
      to: oracle,
      data: encodeFunctionData({ abi: calls, functionName: 'getTVLByOwnerOfShares', args: [sourceAddress, holder] }),
    })),
    block,
  );
  return concentrationOf(BigInt(idle ?? 0), values.map(BigInt));
}
