import { ListLogEntries } from '@castellan/contracts';
import type { CallAction } from '@castellan/service-kit';
import type { Journal } from '../journal/adapters/journal.mongo.ts';
import { type GlobalVeto, vetoesAfter } from '../journal/domain/global-vetoes.ts';
import type { FactEvent } from '../journal/domain/journal.ts';
import { ChainVetoes, type StoredClock } from '../journal/models/collections.ts';
import type { EngineCollections } from './models/collections.ts';

type Deps = { collections: EngineCollections; journal: Journal; callAction: CallAction };

const PAGE = 1_000;

/** What a vault's journal has of the veto that its chain's global root was under before the log came to the entry `seq`. */
export function inheritedVeto(vetoes: readonly GlobalVeto[], seq: number) {
  const last = vetoes.at(-1);
  if (!last) return undefined;
  const event: FactEvent = { type: 'veto', scope: 'global', on: last.on };
  return { id: `veto:${seq}`, time: last.time, block: last.block, events: [event] };
}

async function readFromLog(callAction: CallAction, chain_id: number, until: number): Promise<readonly GlobalVeto[]> {
  let vetoes: readonly GlobalVeto[] = [];
  for (let after_seq = 0; after_seq < until; ) {
    const { entries } = await callAction(ListLogEntries, { chain_id, after_seq, limit: PAGE });
    for (const entry of entries) if (entry.seq <= until) vetoes = vetoesAfter(vetoes, entry);
    const last = entries.at(-1);
    if (!last) break;
    after_seq = last.seq;
  }
  return vetoes;
}

/**
 * The vetoes of a chain's global root, as far as its log is in the journals. They are kept with the clock; where they are not, or not of this
 * place in the log, they are read again from its start, and the vaults that are watched learn of the last of them.
 */
export async function globalVetoes(
  { collections, journal, callAction }: Deps,
  { chain_id, after_seq, time, vetoes }: StoredClock,
): Promise<readonly GlobalVeto[]> {
  const { success, data } = ChainVetoes.safeParse(vetoes);
  if (success && data.after_seq === after_seq) return data.list;
  const read = await readFromLog(callAction, chain_id, after_seq);
  const item = inheritedVeto(read, after_seq);
  if (!item) return read;
  for (const engine of await collections.engines.find({ chain_id }).toArray()) await journal.append(engine, item, time);
  return read;
}
