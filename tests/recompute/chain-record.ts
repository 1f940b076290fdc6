import { type Abi, decodeEventLog, decodeFunctionData, decodeFunctionResult, encodeFunctionData } from 'viem';
import { calls, events } from './abi.ts';
import { type Cost, costsOf, logsUpTo, type RawLog, type Rpc, timesOf } from './rpc.ts';

/** Where one vault and what it rests on live. */
export type Deployment = {
  vault: string;
  strategy: string;
  escrow: string;
  asset: string;
  governor: string;
  aggregator: string;
  oracle: string;
  priceFeed: string;
  nativeFeed: string;
  /** Empty where the asset has no benchmark. */
  benchmarkFeed: string;
  benchmark: { name: string; version: string } | null;
  startBlock: bigint;
};

/** `feed` prices the asset, `native` the coin that gas is paid in; `benchmark` answers what vaults of the asset are measured by. */
export type Contract = 'vault' | 'strategy' | 'escrow' | 'aggregator' | 'oracle' | 'feed' | 'native' | 'benchmark';

/** An event that concerns the vault. `name` is null where its meaning does not matter here. Addresses are lower case. */
export type ChainEvent = {
  contract: Contract;
  name: string | null;
  args: Readonly<Record<string, unknown>>;
  block: bigint;
  time: bigint;
  tx: string;
  logIndex: number;
};

/** What no log says: the terms the vault was created with, from the input of the transaction that created it. */
export type Terms = {
  performanceFeeBps: bigint;
  minUpdateInterval: bigint;
  maxStaleness: bigint;
  feeRecipient: string;
  primaryManager: string;
  secondaryManagers: string[];
};

/** Everything a node said about one vault, up to a block. */
export type ChainRecord = {
  deployment: Deployment;
  block: bigint;
  /** What "now" is: the time of `block`, or the moment that was asked for. */
  time: bigint;
  createdTx: string;
  events: ChainEvent[];
  costs: Map<string, Cost>;
  terms: Terms;
  /** 10^decimals of the share and of the asset: they are the same. */
  precision: bigint;
  feedScale: bigint;
  nativeScale: bigint;
  benchmarkScale: bigint;
};

export const amount = ({ args }: ChainEvent, name: string): bigint => args[name] as bigint;
export const account = ({ args }: ChainEvent, name: string): string => String(args[name]).toLowerCase();

/** Works out something of a record once. */
export function remembered<T>(of: (record: ChainRecord) => T): (record: ChainRecord) => T {
  const known = new WeakMap<ChainRecord, { value: T }>();
  return (record) => {
    const found = known.get(record) ?? { value: of(record) };
    known.set(record, found);
    return found.value;
  };
}

/** Events of one name, in chain order. */
export const named = (record: ChainRecord, contract: Contract, ...names: string[]): ChainEvent[] =>
  record.events.filter((event) => event.contract === contract && event.name !== null && names.includes(event.name));

const lower = ({ startBlock, benchmark, ...addresses }: Deployment): Deployment => {
  const lowered = Object.entries(addresses).map(([key, address]) => [key, address.toLowerCase()] as const);
  return { ...(Object.fromEntries(lowered) as Omit<Deployment, 'startBlock' | 'benchmark'>), startBlock, benchmark };
};

function decoded(log: RawLog, contract: Contract): Pick<ChainEvent, 'name' | 'args'> {
  const abi = events[contract] as Abi;
  try {
    const found: { eventName: unknown; args: unknown } = decodeEventLog({ abi, topics: log.topics, data: log.data });
    return { name: String(found.eventName), args: (found.args ?? {}) as ChainEvent['args'] };
  } catch {
    // An event of no consequence here; that it was emitted still counts for the gas.
    return { name: null, args: {} };
  }
}

/** Logs of the shared contracts count when they name the vault or its strategy: always in an indexed place. */
function concerns(log: RawLog, contract: Contract, { vault, strategy }: Deployment): boolean {
  if (contract !== 'aggregator' && contract !== 'oracle') return true;
  return log.topics.slice(1).some((topic) => {
    const address = `0x${topic.slice(26).toLowerCase()}`;
    return address === vault || address === strategy;
  });
}

async function termsOf(rpc: Rpc, createdTx: string): Promise<Terms> {
  const { input } = (await rpc.one('eth_getTransactionByHash', [createdTx])) as { input: `0x${string}` };
  const call = decodeFunctionData({ abi: calls, data: input });
  if (call.functionName !== 'createVault') throw new Error(`${createdTx} creates the vault by another call.`);
  const [{ feeConfig, minUpdateInterval, maxStaleness, mainManager, secondaryManagers }] = call.args;
  return {
    performanceFeeBps: feeConfig.performanceFeeBps,
    minUpdateInterval,
    maxStaleness,
    feeRecipient: feeConfig.recipient.toLowerCase(),
    primaryManager: mainManager.toLowerCase(),
    secondaryManagers: secondaryManagers.map((manager) => manager.toLowerCase()),
  };
}

/** Decimals never change, so the newest state has them: a node may have forgotten that of an old block. */
async function decimalsOf(rpc: Rpc, to: string): Promise<bigint> {
  const data = encodeFunctionData({ abi: calls, functionName: 'decimals' });
  const answer = (await rpc.one('eth_call', [{ to, data }, 'latest'])) as `0x${string}`;
  return 10n ** BigInt(decodeFunctionResult({ abi: calls, functionName: 'decimals', data: answer }));
}

/** One address may price both the asset and the chain's coin: each log of it is an event of either. */
function contractsOf(deployment: Deployment): Map<string, Contract[]> {
  const { vault, strategy, escrow, aggregator, oracle, priceFeed, nativeFeed, benchmarkFeed } = deployment;
  const kinds: [string, Contract][] = [
    [vault, 'vault'],
    [strategy, 'strategy'],
    [escrow, 'escrow'],
    [aggregator, 'aggregator'],
    [oracle, 'oracle'],
    [priceFeed, 'feed'],
    [nativeFeed, 'native'],
    ...(benchmarkFeed === '' ? [] : [[benchmarkFeed, 'benchmark'] as [string, Contract]]),
  ];
  const found = new Map<string, Contract[]>();
  for (const [address, kind] of kinds) found.set(address, [...(found.get(address) ?? []), kind]);
  return found;
}

async function eventsOf(rpc: Rpc, deployment: Deployment, block: bigint): Promise<[ChainEvent[], bigint]> {
  const kinds = contractsOf(deployment);
  const logs = await logsUpTo(rpc, [...kinds.keys()], deployment.startBlock, block);
  const meant = logs.flatMap((log) =>
    (kinds.get(log.address) ?? []).filter((kind) => concerns(log, kind, deployment)).map((kind) => ({ log, kind })),
  );
  const times = await timesOf(rpc, [...meant.map(({ log }) => log.blockNumber), block]);
  const timeOf = (number: bigint) => times.get(number) as bigint;
  const events = meant.map(({ log, kind }) => ({
    contract: kind,
    ...decoded(log, kind),
    block: log.blockNumber,
    time: timeOf(log.blockNumber),
    tx: log.transactionHash,
    logIndex: log.logIndex,
  }));
  return [events, timeOf(block)];
}

/** Events of the vault's own contracts, and of the shared ones that name it. */
export const isTouching = ({ contract }: ChainEvent): boolean => !['feed', 'native', 'benchmark'].includes(contract);

/**
 * Reads all that concerns one vault up to `block`, as of which the recomputed figures are true.
 * @param asOf - The moment to measure windows and ages from, chain seconds; the time of `block` when absent.
 * @throws Error when the vault was not created by then, or the node refuses a question.
 */
export async function readChain(rpc: Rpc, given: Deployment, block: bigint, asOf?: bigint): Promise<ChainRecord> {
  const deployment = lower(given);
  const [events, time] = await eventsOf(rpc, deployment, block);
  const created = events.find(({ name }) => name === 'VaultDeployed');
  if (!created) throw new Error(`${deployment.vault} did not exist at block ${block}.`);
  return {
    deployment,
    block,
    time: asOf ?? time,
    createdTx: created.tx,
    events,
    costs: await costsOf(rpc, [...new Set(events.filter(isTouching).map(({ tx }) => tx))]),
    terms: await termsOf(rpc, created.tx),
    precision: await decimalsOf(rpc, deployment.vault),
    feedScale: await decimalsOf(rpc, deployment.priceFeed),
    nativeScale: await decimalsOf(rpc, deployment.nativeFeed),
    benchmarkScale: deployment.benchmarkFeed === '' ? 1n : await decimalsOf(rpc, deployment.benchmarkFeed),
  };
}

/** The record as it was at an earlier block. */
export const recordAt = (record: ChainRecord, block: bigint, time: bigint): ChainRecord => ({
  ...record,
  block,
  time,
  events: record.events.filter((event) => event.block <= block),
});
