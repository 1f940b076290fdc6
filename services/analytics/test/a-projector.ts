import { type Action, ListChains, type LogEntry } from '@castellan/contracts';
import { type CallAction, createLogger, createRegistry } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { ProjectionStore } from '../src/adapters/projection-store.mongo.ts';
import { CHAIN } from '../src/domain/chain-log.fixture.ts';
import { openCollections } from '../src/models/collections.ts';
import { Measurer } from '../src/projector/measure.ts';
import { Projector, type ProjectorDeps } from '../src/projector/run.ts';
import { analyticsMetrics } from '../src/telemetry.ts';

export const head = (entries: readonly LogEntry[]) => entries.at(-1)?.seq ?? 0;
/** What the whole log says of its end; every block of it is covered. */
export const endOf = (entries: readonly LogEntry[]) => {
  const last = entries.findLast(({ kind }) => kind !== 'rollback');
  return {
    head_seq: head(entries),
    indexed_block: last?.block_number ?? null,
    indexed_time: last?.block_time ?? null,
  };
};
/** A projector of a log that is given in pages of 23. */
export function aProjector(
  mongo: Connection,
  entries: () => readonly LogEntry[],
  publishMove: ProjectorDeps['publishMove'] = () => Promise.resolve(),
): Projector {
  const log = createLogger({ service: 'test', level: 'silent' });
  const pageAfter = (after_seq: number) =>
    entries()
      .filter(({ seq }) => seq > after_seq)
      .slice(0, 23);
  const measurer = new Measurer({
    histories: { momentOf: () => Promise.reject(new Error('not asked here')) },
    publish: () => Promise.resolve(),
    log,
    now: Date.now,
  });
  return new Projector({
    measurer,
    publishMove,
    store: new ProjectionStore(openCollections(mongo)),
    mongo,
    metrics: analyticsMetrics(createRegistry('test')),
    log,
    callAction: ((action: Action, { after_seq }: { after_seq: number }) =>
      Promise.resolve(
        action === ListChains
          ? { chains: [{ chain_id: CHAIN, lag_seconds: 0 }] }
          : { entries: pageAfter(after_seq), ...endOf(entries()) },
      )) as unknown as CallAction,
  });
}
