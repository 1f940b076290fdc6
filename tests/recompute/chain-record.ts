import { type Abi, decodeEventLog, decodeFunctionData, decodeFunctionResult, encodeFunctionData } from 'viem';
import { calls, events } from './abi.ts';
import { type Cost, costsOf, logsUpTo, type RawLog, type Rpc, timesOf } from './rpc.ts';

/** Where one vault and what it rests on live. */
export type Deployment = {
  vault: string;
  strategy: string;
  escrow: string;
  asset: string;
  aggregator: string;
  oracle: string;
  priceFeed: string;
  startBlock: bigint;
};

export type Contract = 'vault' | 'strategy' | 'escrow' | 'aggregator' | 'oracle' | 'feed';

/** A log that concerns the vault. `name` is null where its meaning does not matter here. Addresses are lower case. */
export type Happening = {
  contract: Contract;
  name: string | null;
  args: Readonly<Record<string, unknown>>;
  block: bigint;
  time: bigint;
  tx: string;
};

/** What no log tells: the terms the vault was created with, from the input of the transaction that created it. */
export type Terms = {
  performanceFeeBps: bigint;
  maxStaleness: bigint;
  feeRecipient: string;
  primaryManager: string;
  secondaryManagers: string[];
};

/** Everything a node told about one vault, up to a block. */
export type ChainRecord = {
  deployment: Deployment;
  block: bigint;
  /** What "now" is: the time of `block`, or the moment that was asked for. */
  time: bigint;
  createdTx: string;
  happenings: Happening[];
  costs: Map<string, Cost>;
  terms: Terms;
  /** 10^decimals of the share and of the asset: they are the same. */
  precision: bigint;
  feedScale: bigint;
};

export const amount = ({ args }: Happening, name: string): bigint => args[name] as bigint;
export const account = ({ args }: Happening, name: string): string => String(args[name]).toLowerCase();

const lower = ({ startBlock, ...addresses }: Deployment): Deployment => {
  const lowered = Object.entries(addresses).map(([key, address]) => [key, address.toLowerCase()] as const);
  return { ...(Object.fromEntries(lowered) as Omit<Deployment, 'startBlock'>), startBlock };
};

function decoded(log: RawLog, contract: Contract): Pick<Happening, 'name' | 'args'> {
  const abi = events[contract] as Abi;
  try {
    const found: { eventName: unknown; args: unknown } = decodeEventLog({ abi, topics: log.topics, data: log.data });
    return { name: String(found.eventName), args: (found.args ?? {}) as Happening['args'] };
  } catch {
    // An event of no consequence here; that it happened still counts for the gas.
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
  const [{ feeConfig, maxStaleness, mainManager, secondaryManagers }] = call.args;
  return {
    performanceFeeBps: feeConfig.performanceFeeBps,
    maxStaleness,
    feeRecipient: feeConfig.recipient.toLowerCase(),
    primaryManager: mainManager.toLowerCase(),
    secondaryManagers: secondaryManagers.map((manager) => manager.toLowerCase()),
  };
}

/** Decimals never change, so the newest state tells them: a node may have forgotten that of an old block. */
async function decimalsOf(rpc: Rpc, to: string): Promise<bigint> {
  const data = encodeFunctionData({ abi: calls, functionName: 'decimals' });
  const answer = (await rpc.one('eth_call', [{ to, data }, 'latest'])) as `0x${string}`;
  return 10n ** BigInt(decodeFunctionResult({ abi: calls, functionName: 'decimals', data: answer }));
}

/**
 * Reads all that concerns one vault up to `block`, as of which the recomputed figures are true.
 * @param asOf - The moment to measure windows and ages from, chain seconds; the time of `block` when absent.
 * @throws Error when the vault was not created by then, or the node refuses a question.
 */
export async function readChain(rpc: Rpc, given: Deployment, block: bigint, asOf?: bigint): Promise<ChainRecord> {
  const deployment = lower(given);
  const { vault, strategy, escrow, aggregator, oracle, priceFeed } = deployment;
  const contractOf = new Map<string, Contract>([
    [vault, 'vault'],
    [strategy, 'strategy'],
    [escrow, 'escrow'],
    [aggregator, 'aggregator'],
    [oracle, 'oracle'],
    [priceFeed, 'feed'],
  ]);
  const kindOf = (log: RawLog) => contractOf.get(log.address) as Contract;
  const all = await logsUpTo(rpc, [...contractOf.keys()], deployment.startBlock, block);
  const logs = all.filter((log) => concerns(log, kindOf(log), deployment));
  const times = await timesOf(rpc, [...logs.map(({ blockNumber }) => blockNumber), block]);
  const timeOf = (number: bigint) => times.get(number) as bigint;
  const happenings = logs.map((log) => ({
    contract: kindOf(log),
    ...decoded(log, kindOf(log)),
    block: log.blockNumber,
    time: timeOf(log.blockNumber),
    tx: log.transactionHash,
  }));
  const created = happenings.find(({ name }) => name === 'VaultDeployed');
  if (!created) throw new Error(`${vault} did not exist at block ${block}.`);
  const touching = happenings.filter(({ contract }) => contract !== 'feed');
  return {
    deployment,
    block,
    time: asOf ?? timeOf(block),
    createdTx: created.tx,
    happenings,
    costs: await costsOf(rpc, [...new Set(touching.map(({ tx }) => tx))]),
    terms: await termsOf(rpc, created.tx),
    precision: await decimalsOf(rpc, vault),
    feedScale: await decimalsOf(rpc, priceFeed),
  };
}
