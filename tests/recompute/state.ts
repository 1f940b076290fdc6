import { decodeFunctionResult, encodeFunctionData, type Hex } from 'viem';
import { calls } from './abi.ts';
import type { ChainRecord, Deployment } from './chain-record.ts';
import { callsAt, type Rpc } from './rpc.ts';

/** What a vault has in one source, and what the source could pay of it at once. */
export type Position = { source: string; assets: bigint; payable: bigint; price: bigint };

/** State of a vault at one block, as its contracts answer. */
export type State = {
  block: bigint;
  time: bigint;
  idle: bigint;
  positions: Position[];
  supply: bigint;
  pps: bigint;
  lastUpdate: bigint;
  threshold: bigint;
  minInterval: bigint;
  expiration: bigint;
  paused: boolean;
  stale: boolean;
  upkeep: bigint;
  cost: bigint;
  enabled: boolean;
  /** The primary manager is an account with a key, and no contract. */
  managerHasKey: boolean;
};

type Ask = { to: string; name: string; args?: readonly unknown[] };

async function ask(rpc: Rpc, asks: readonly Ask[], block: bigint): Promise<unknown[]> {
  const data = asks.map(({ to, name, args = [] }) => ({
    to,
    data: encodeFunctionData({ abi: calls, functionName: name as 'balanceOf', args: args as [Hex] }),
  }));
  const answers = await callsAt(rpc, data, block);
  return answers.map((answer, at) =>
    decodeFunctionResult({ abi: calls, functionName: (asks[at] as Ask).name as 'balanceOf', data: answer }),
  );
}

async function positionsOf(rpc: Rpc, { strategy }: Deployment, block: bigint): Promise<Position[]> {
  type Listed = { sourceAddress: Hex; oracle: Hex };
  const [listed] = (await ask(rpc, [{ to: strategy, name: 'getYieldSourcesList' }], block)) as [Listed[]];
  const answers = (await ask(
    rpc,
    listed.flatMap(({ sourceAddress, oracle }) => [
      { to: oracle, name: 'getTVLByOwnerOfShares', args: [sourceAddress, strategy] },
      { to: sourceAddress, name: 'maxWithdraw', args: [strategy] },
      { to: oracle, name: 'getPricePerShare', args: [sourceAddress] },
    ]),
    block,
  )) as bigint[];
  return listed.map(({ sourceAddress }, at) => {
    const [assets, available, price] = answers.slice(3 * at, 3 * at + 3) as [bigint, bigint, bigint];
    return { source: sourceAddress, assets, payable: available < assets ? available : assets, price };
  });
}

/** What is asked about a vault, by the field it becomes. */
function asksOf({ asset, strategy, vault, aggregator, governor, oracle }: Deployment) {
  const of = [strategy];
  return {
    idle: { to: asset, name: 'balanceOf', args: of },
    supply: { to: vault, name: 'totalSupply' },
    pps: { to: aggregator, name: 'getPPS', args: of },
    lastUpdate: { to: aggregator, name: 'getLastUpdateTimestamp', args: of },
    threshold: { to: aggregator, name: 'getDeviationThreshold', args: of },
    minInterval: { to: aggregator, name: 'getMinUpdateInterval', args: of },
    expiration: { to: strategy, name: 'ppsExpiration' },
    paused: { to: aggregator, name: 'isStrategyPaused', args: of },
    stale: { to: aggregator, name: 'isPPSStale', args: of },
    upkeep: { to: aggregator, name: 'getUpkeepBalance', args: of },
    cost: { to: governor, name: 'getUpkeepCostPerSingleUpdate', args: [oracle] },
    enabled: { to: governor, name: 'isUpkeepPaymentsEnabled' },
    manager: { to: aggregator, name: 'getMainManager', args: of },
  } satisfies Record<string, Ask>;
}

type Answered = Omit<State, 'block' | 'time' | 'positions' | 'managerHasKey'> & { manager: Hex };

/** Reads the state of a vault at a block. @throws Error when the node has forgotten it. */
export async function stateAt(rpc: Rpc, { deployment }: ChainRecord, block: bigint, time: bigint): Promise<State> {
  const asks = asksOf(deployment);
  const answers = await ask(rpc, Object.values(asks), block);
  const read = Object.fromEntries(Object.keys(asks).map((field, at) => [field, answers[at]]));
  const { manager, ...fields } = read as Answered;
  const code = (await rpc.one('eth_getCode', [manager, `0x${block.toString(16)}`])) as string;
  return { block, time, positions: await positionsOf(rpc, deployment, block), ...fields, managerHasKey: code === '0x' };
}

/** What a share is worth by what the vault has, off chain: null without shares. */
export function calculatedPps({ idle, positions, supply }: State, precision: bigint): bigint | null {
  if (supply === 0n) return null;
  return ((idle + positions.reduce((total, { assets }) => total + assets, 0n)) * precision) / supply;
}

/** The calculated price against the stored one in bps, as published: to four digits, the rest cut off. */
export const divergence = (next: bigint, now: bigint): number => Number(((next - now) * 100_000_000n) / now) / 10_000;
