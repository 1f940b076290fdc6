import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ListLogEntries, type LogEntry, type PublicVault, type ServiceName } from '@castellan/contracts';
import {
  callAction,
  createBroker,
  createIdentity,
  createLogger,
  createRegistry,
  type ServiceKeys,
} from '@castellan/service-kit';
import type { ServiceBroker } from 'moleculer';
import { chain, stateDir, until } from './actors.ts';

const chainId = 31337;

/** The keys of a service of the system under test: of one that may read the whole log. */
const keysOf = (service: ServiceName): ServiceKeys => {
  const read = (name: string) =>
    JSON.parse(readFileSync(join(stateDir(), 'service-keys', `${name}.json`), 'utf8')) as never;
  return { privateKey: read(service), publicKeys: read('public') };
};

/** Joins the bus of the system under test as the service that may read the log. */
export async function joinBus(): Promise<ServiceBroker> {
  const bus = createBroker({
    service: 'analytics',
    nats: {
      url: readFileSync(join(stateDir(), 'secrets/nats-url-analytics'), 'utf8'),
      namespace: process.env.NATS_NAMESPACE ?? 'castellan',
    },
    registry: createRegistry('chain-log-test'),
    log: createLogger({ service: 'chain-log-test', level: 'silent' }),
    identity: createIdentity('analytics', keysOf('analytics')),
  });
  await bus.start();
  await bus.waitForServices([{ name: 'vaults', version: 1 }]);
  return bus;
}

/** The log behind `from`, entry by entry. @throws Error when a place in it is left out. */
export async function logAfter(bus: ServiceBroker, from: number): Promise<LogEntry[]> {
  const entries: LogEntry[] = [];
  let after = from;
  for (;;) {
    const read = () => callAction(bus, ListLogEntries, { chain_id: chainId, after_seq: after, limit: 1000 });
    const page = (await until('a page of the log', () => read().catch(() => undefined))) as {
      entries: LogEntry[];
      head_seq: number;
    };
    for (const entry of page.entries) {
      if (entry.seq !== after + 1) throw new Error(`The log goes on with ${entry.seq} behind ${after}.`);
      after = entry.seq;
      entries.push(entry);
    }
    if (after >= page.head_seq) return entries;
  }
}

/** What the whole log says, with everything a rollback voided taken out. */
export function canonical(log: readonly LogEntry[]): LogEntry[] {
  let living: LogEntry[] = [];
  for (const entry of log)
    if (entry.kind === 'rollback') living = living.filter(({ block_number }) => block_number < entry.block_number);
    else if (entry.kind === 'log') living.push(entry);
  return living;
}

const keyOf = (block: bigint | number, hash: string, index: number | null) => `${block}/${hash}/${index}`;
const addressesOf = (vaults: readonly PublicVault[]) =>
  vaults.flatMap((v) => [v.vault_address, v.strategy_address, v.escrow_address]) as `0x${string}`[];

/** What the chain itself says, for the contracts of the vaults, up to `toBlock`. */
export async function chainKeys(vaults: readonly PublicVault[], toBlock: bigint): Promise<string[]> {
  const logs = await chain().getLogs({ address: addressesOf(vaults), fromBlock: 0n, toBlock });
  return logs.map((log) => keyOf(log.blockNumber, log.blockHash, log.logIndex)).sort();
}

/** The same of the log. */
export function logKeys(log: readonly LogEntry[], vaults: readonly PublicVault[], toBlock: bigint): string[] {
  const own = new Set<string>(addressesOf(vaults));
  return canonical(log)
    .filter(({ block_number, address }) => BigInt(block_number) <= toBlock && address !== null && own.has(address))
    .map((entry) => keyOf(entry.block_number, entry.block_hash, entry.log_index))
    .sort();
}
