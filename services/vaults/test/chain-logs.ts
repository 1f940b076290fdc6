import type { LogEntry } from '@castellan/contracts';
import {
  type Abi,
  type Address,
  decodeEventLog,
  getAddress,
  type Hex,
  hexToNumber,
  type RpcLog,
  toEventSelector,
} from 'viem';
import type { Contract, Protocol, TestChain } from '../../../packages/protocol/test/test-chain.ts';
import { chain_id, type Trio } from './harness.ts';

/** What the log should say of each of the chain's logs, made from the node's own answers and the compiled contracts. */

type Source = { kind: string; contract: Contract; vault: string | null };
type Expected = Omit<LogEntry, 'seq'>;

function sourcesOf({ governor, aggregator, oracle }: Protocol, trios: readonly Trio[]): Map<string, Source> {
  const at = (kind: string, name: Contract['name'], address: Address, vault: string | null = null) =>
    [address.toLowerCase(), { kind, contract: { name, address }, vault }] as const;
  return new Map([
    at('governor', 'DevGovernor', governor.address),
    at('aggregator', 'DevAggregator', aggregator.address),
    at('oracle', 'DevPPSOracle', oracle.address),
    ...trios.flatMap(({ vault, strategy, escrow }) => [
      at('vault', 'DevVault', vault, vault),
      at('strategy', 'DevStrategy', strategy, vault),
      at('escrow', 'DevEscrow', escrow, vault),
    ]),
  ]);
}

/** OpenZeppelin's own `Initialized(uint64)`: no event of the protocol, so the log keeps it raw. */
const initialized = toEventSelector('Initialized(uint64)');

const asJson = (args: unknown) =>
  JSON.parse(JSON.stringify(args ?? {}, (_key, value) => (typeof value === 'bigint' ? value.toString() : value)));

function decoded(abi: Abi, { topics, data }: RpcLog): { name: string; args: Record<string, unknown> } {
  if (topics[0] === initialized) return { name: 'unknown', args: { topics, data } };
  const { eventName = 'none', args } = decodeEventLog({ abi, data, topics: topics as [Hex, ...Hex[]] });
  return { name: eventName, args: asJson(args) };
}

/** `eth_getLogs` of all our contracts, as entries without their place in the log. */
export async function chainLogs(chain: TestChain, protocol: Protocol, trios: readonly Trio[]): Promise<Expected[]> {
  const sources = sourcesOf(protocol, trios);
  const filter = { fromBlock: '0x0', toBlock: 'latest', address: [...sources.keys()] };
  const logs = (await chain.client.request({ method: 'eth_getLogs', params: [filter] } as never)) as RpcLog[];
  const times = new Map<Hex, string>();
  for (const { blockHash } of logs) {
    if (blockHash === null || times.has(blockHash)) continue;
    const { timestamp } = await chain.client.getBlock({ blockHash });
    times.set(blockHash, new Date(Number(timestamp) * 1000).toISOString());
  }
  return logs.map((log) => {
    const source = sources.get(log.address.toLowerCase());
    if (!source || log.blockNumber === null || log.blockHash === null) throw new Error('The node answered amiss.');
    const { name, args } = decoded(chain.artifacts[source.contract.name].abi as Abi, log);
    const named = trios.find(({ vault, strategy }) => args.strategy === strategy || args.vault === vault);
    return {
      chain_id,
      kind: 'log',
      block_number: hexToNumber(log.blockNumber),
      block_hash: log.blockHash,
      block_time: times.get(log.blockHash) ?? '',
      tx_hash: log.transactionHash,
      log_index: hexToNumber(log.logIndex ?? '0x0'),
      address: getAddress(log.address),
      contract: source.kind,
      vault_address: source.vault ?? named?.vault ?? null,
      name,
      args,
    };
  });
}

/** Entries no later rollback voids, as a consumer works it out from the log alone. Rollbacks themselves are left out. */
export const living = (log: readonly LogEntry[]): LogEntry[] =>
  log.filter(
    (entry) =>
      entry.kind !== 'rollback' &&
      !log.some(({ kind, seq, block_number }) => {
        return kind === 'rollback' && seq > entry.seq && block_number <= entry.block_number;
      }),
  );

/** The living chain logs in chain order, without their places. */
export const livingLogs = (log: readonly LogEntry[]): Expected[] =>
  living(log)
    .filter(({ kind }) => kind === 'log')
    .map(({ seq: _seq, ...entry }) => entry);
