import type { LogEntry } from '@castellan/contracts';
import type { Journal } from '../journal/adapters/journal.mongo.ts';
import { factEventOf, globalVetoOf } from '../journal/domain/from-log.ts';
import type { FactEvent } from '../journal/domain/journal.ts';
import { newEngine } from '../rules/domain/engine.ts';
import type { EngineCollections } from './models/collections.ts';

const secondsOf = (time: string): number => Math.floor(Date.parse(time) / 1000);

type Part = { entry: LogEntry; vault: string | null; events: FactEvent[] };

/** The entries' facts, those of one block and vault together; a rollback stands alone and is about every vault. */
function partsOf(entries: readonly LogEntry[]): Part[] {
  const parts: Part[] = [];
  const open = new Map<string, Part>();
  for (const entry of entries) {
    if (entry.kind === 'rollback') {
      open.clear();
      parts.push({ entry, vault: null, events: [{ type: 'rollback', from_block: entry.block_number }] });
      continue;
    }
    const veto = globalVetoOf(entry);
    const event = veto ?? factEventOf(entry);
    if (!event) continue;
    const vault = veto ? null : (entry.vault_address as string).toLowerCase();
    const key = `${entry.block_number}:${vault}`;
    const part = open.get(key);
    if (part) part.events.push(event);
    else {
      const made = { entry, vault, events: [event] };
      open.set(key, made);
      parts.push(made);
    }
  }
  return parts;
}

type Stores = { collections: EngineCollections; journal: Journal };

async function beginWatching(
  { collections }: Stores,
  { chain_id, vault_address, args, block_time }: LogEntry,
): Promise<void> {
  const address = vault_address as string;
  const engine = {
    vault_address: address,
    strategy: String(args.strategy ?? '').toLowerCase(),
    name: String(args.name ?? ''),
    after_n: 0,
    state: newEngine(secondsOf(block_time)),
    revision: 1,
  };
  await collections.engines.updateOne(
    { chain_id, vault: address.toLowerCase() },
    { $setOnInsert: engine },
    { upsert: true },
  );
}

/**
 * Writes the facts of whole blocks of the log into the journals of the vaults. Doing it again, after a crash, writes nothing twice:
 * an item is known by the first entry it is of.
 */
export async function ingest(
  stores: Stores,
  chainId: number,
  entries: readonly LogEntry[],
  clock: number,
): Promise<void> {
  if (entries.length === 0) return;
  for (const entry of entries)
    if (entry.name === 'VaultDeployed' && entry.vault_address !== null) await beginWatching(stores, entry);
  const watched = await stores.collections.engines.find({ chain_id: chainId }).toArray();
  for (const { entry, vault, events } of partsOf(entries)) {
    const targets = vault === null ? watched.map((engine) => engine.vault) : [vault];
    const block = entry.kind === 'rollback' ? null : entry.block_number;
    const item = { id: `log:${entry.seq}`, time: secondsOf(entry.block_time), block, events };
    for (const target of targets) await stores.journal.append({ chain_id: chainId, vault: target }, item, clock);
  }
}
