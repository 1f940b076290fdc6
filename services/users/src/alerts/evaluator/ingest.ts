import type { LogEntry } from '@castellan/contracts';
import type { Journal } from '../journal/adapters/journal.mongo.ts';
import { factEventOf, globalVetoOf } from '../journal/domain/from-log.ts';
import { type GlobalVeto, vetoesAfter } from '../journal/domain/global-vetoes.ts';
import type { FactEvent } from '../journal/domain/journal.ts';
import { newEngine } from '../rules/domain/engine.ts';
import { inheritedVeto } from './global-vetoes.ts';
import type { EngineCollections } from './models/collections.ts';

const secondsOf = (time: string): number => Math.floor(Date.parse(time) / 1000);

type Draft = Parameters<Journal['append']>[1];
/** `vault`: null for what is about every vault that there is then; `seq`: the entry it is of. */
type Part = { seq: number; vault: string | null; isRollback: boolean; item: Draft & { events: FactEvent[] } };

const addressOf = ({ vault_address }: LogEntry): string => (vault_address as string).toLowerCase();
const isBirth = ({ name, vault_address }: LogEntry): boolean => name === 'VaultDeployed' && vault_address !== null;

const partOf = ({ kind, seq, block_number, block_time }: LogEntry, vault: string | null, event: FactEvent): Part => {
  const isRollback = kind === 'rollback';
  const block = isRollback ? null : block_number;
  return { seq, vault, isRollback, item: { id: `log:${seq}`, time: secondsOf(block_time), block, events: [event] } };
};

/**
 * The entries' facts, those of one block and vault together; a rollback stands alone and is about every vault. A vault that is deployed
 * begins with the veto that its chain's global root is under.
 */
function partsOf(entries: readonly LogEntry[], before: readonly GlobalVeto[]) {
  const parts: Part[] = [];
  const open = new Map<string, Part>();
  let vetoes = before;
  for (const entry of entries) {
    vetoes = vetoesAfter(vetoes, entry);
    if (entry.kind === 'rollback') {
      open.clear();
      parts.push(partOf(entry, null, { type: 'rollback', from_block: entry.block_number }));
      continue;
    }
    if (isBirth(entry)) {
      const inherited = inheritedVeto(vetoes, entry.seq);
      if (inherited) parts.push({ seq: entry.seq, vault: addressOf(entry), isRollback: false, item: inherited });
      // What follows in this block is about this vault as well.
      open.delete(`${entry.block_number}:${null}`);
    }
    const veto = globalVetoOf(entry);
    const event = veto ?? factEventOf(entry);
    if (!event) continue;
    const vault = veto ? null : addressOf(entry);
    const key = `${entry.block_number}:${vault}`;
    const part = open.get(key);
    if (part) part.item.events.push(event);
    else {
      const made = partOf(entry, vault, event);
      open.set(key, made);
      parts.push(made);
    }
  }
  return { parts, vetoes };
}

type Stores = { collections: EngineCollections; journal: Journal };

async function beginWatching({ collections }: Stores, entry: LogEntry): Promise<void> {
  const { chain_id, args, block_time } = entry;
  const engine = {
    vault_address: entry.vault_address as string,
    strategy: String(args.strategy ?? '').toLowerCase(),
    name: String(args.name ?? ''),
    after_n: 0,
    state: newEngine(secondsOf(block_time)),
    revision: 1,
  };
  const vault = addressOf(entry);
  await collections.engines.updateOne({ chain_id, vault }, { $setOnInsert: engine }, { upsert: true });
}

/** The log of a chain as far as it is in the journals: chain time there, and the vetoes of its global root. */
type Reached = { clock: number; vetoes: readonly GlobalVeto[] };

/**
 * Writes the facts of whole blocks of the log into the journals of the vaults. Doing it again, after a crash, writes nothing twice:
 * an item is known by the first entry it is of.
 * @returns the vetoes after the entries.
 */
export async function ingest(
  stores: Stores,
  chainId: number,
  entries: readonly LogEntry[],
  { clock, vetoes: before }: Reached,
): Promise<readonly GlobalVeto[]> {
  if (entries.length === 0) return before;
  const births = new Map<string, number>();
  for (const entry of entries.filter(isBirth)) {
    births.set(addressOf(entry), entry.seq);
    await beginWatching(stores, entry);
  }
  const watched = await stores.collections.engines.find({ chain_id: chainId }).toArray();
  const { parts, vetoes } = partsOf(entries, before);
  for (const { seq, vault, isRollback, item } of parts) {
    // What is about every vault is about those that there were then, wherever a page begins and ends.
    const isThere = (each: string) => isRollback || (births.get(each) ?? 0) <= seq;
    const targets = vault === null ? watched.map((engine) => engine.vault).filter(isThere) : [vault];
    for (const target of targets) await stores.journal.append({ chain_id: chainId, vault: target }, item, clock);
  }
  return vetoes;
}
