import type { AlertSignalled, EventData, StrategyStale } from '@castellan/contracts';
import type { Journal } from '../journal/adapters/journal.mongo.ts';
import type { FactEvent } from '../journal/domain/journal.ts';
import { announceNews, type JournalCollections } from '../journal/models/collections.ts';
import type { EngineCollections } from './models/collections.ts';

type Stores = { alerts: EngineCollections & Pick<JournalCollections, 'clocks'>; journal: Journal };

async function write(
  { alerts, journal }: Stores,
  chain_id: number,
  vault: string,
  id: string,
  event: FactEvent,
): Promise<void> {
  const clock = await alerts.clocks.findOne({ chain_id });
  await journal.append({ chain_id, vault }, { id, time: 0, block: null, events: [event] }, clock?.time ?? 0);
  await announceNews(alerts, chain_id);
}

/** What another service says of a vault becomes a fact; the same message again is no second one. */
export const recordSignal =
  (stores: Stores) =>
  ({ id, chain_id, vault_address, kind, subject, state, detail }: EventData<typeof AlertSignalled>): Promise<void> =>
    write(stores, chain_id, vault_address.toLowerCase(), `signal:${id}`, {
      type: 'signal',
      kind,
      subject,
      failing: state === 'failing',
      detail,
    });

type Said = EventData<typeof StrategyStale>;

const recordNode =
  (stores: Stores, stale: boolean) =>
  async ({ id, chain_id, strategy_address, node_id, node_index: index }: Said): Promise<void> => {
    const engine = await stores.alerts.engines.findOne({ chain_id, strategy: strategy_address.toLowerCase() });
    // A strategy that is not served here.
    if (!engine) return;
    await write(stores, chain_id, engine.vault, `node:${id}`, { type: 'node_price', node_id, index, stale });
  };

export const recordStale = (stores: Stores) => recordNode(stores, true);
export const recordRecovered = (stores: Stores) => recordNode(stores, false);
