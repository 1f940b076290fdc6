import { moveToOutbox, type RecordWith, type ServiceContext } from '@castellan/service-kit';
import { pendingOf } from './strategies/change-events.ts';
import type { ChangeEvent } from './strategies/domain/strategy.ts';

/** Whose documents kept their events in themselves in the former version; the keeper's, too. */
export const formerCollections = [
  'prepared_calls',
  'registry_hooks',
  'merkle_configs',
  'merkle_active_configs',
  'merkle_jobs',
  'strategies',
  'strategy_lanes',
  'strategy_engines',
  'strategy_simulations',
  'keeper_vaults',
] as const;

/** Moves what the former version had not published yet to the outbox. */
export async function moveFormerEvents({
  mongo,
  outbox,
  log,
}: Pick<ServiceContext, 'mongo' | 'log'> & { outbox: { recordWith: RecordWith } }): Promise<void> {
  for (const collection of formerCollections)
    await moveToOutbox<ChangeEvent>(
      { connection: mongo, outbox, log },
      { collection, eventsOf: (event) => [pendingOf(event)] },
    );
}
