import {
  type EventData,
  type LogEntry,
  LogGrew,
  RolesChanged,
  type VaultUpdate,
  VaultUpdated,
} from '@castellan/contracts';
import { type DurableBus, type Logger, outsideTrace, publishDurable } from '@castellan/service-kit';
import { type StoredEntry, traceMarksOf, tracesOf } from '../domain/entry-trace.ts';
import { updateKindOf } from '../domain/update-kind.ts';
import type { ChainStatusStore, LogReader } from '../ports.ts';
import type { LogMetrics } from '../telemetry.ts';

/** Entries that are published together: readers are woken once for all of them. */
const PAGE = 1_000;
/** Events that are published before the bus has acknowledged them; the stream keeps their order. */
const IN_FLIGHT = 100;
/** The stream of updates keeps 15 minutes: older entries are history, not news. */
const NEWS_SECONDS = 900;

export type LogPublisher = {
  /** Publishes what entries mean that the bus has not heard of yet. One run at a time; a call during a run is joined to it. */
  flush(): Promise<void>;
};

/** What an entry means for an open dashboard; undefined for old entries and those that only move figures. */
export function updateOf(entry: LogEntry, headTime: number): VaultUpdate | undefined {
  const kind = entry.kind === 'log' ? updateKindOf(entry) : undefined;
  const { chain_id, vault_address, block_number } = entry;
  if (kind === undefined || vault_address === null) return undefined;
  if (headTime - Date.parse(entry.block_time) / 1000 > NEWS_SECONDS) return undefined;
  return { chain_id, vault_address, kind, block_number, entry };
}

/** What an entry may mean for who has a role on its vault, however old it is: an indexer that was away has it to say too. */
export function rolesChangeOf(entry: LogEntry): EventData<typeof RolesChanged> | undefined {
  const { kind, chain_id, vault_address, block_number } = entry;
  if (kind !== 'log' || vault_address === null || updateKindOf(entry) !== 'roles') return undefined;
  return { chain_id, vault_address, block_number };
}

/**
 * The log is its own outbox: `published_seq` says up to where the bus has what its entries mean, and the message ids make a redo
 * harmless. Entries themselves are not published: readers are woken, and page.
 */
export function logPublisher(deps: {
  chainId: number;
  log: LogReader;
  status: ChainStatusStore;
  bus: DurableBus;
  logger: Logger;
  metrics: LogMetrics;
}): LogPublisher {
  const { chainId, log, status, bus } = deps;
  let running: Promise<void> | undefined;
  let again = false;

  const eventsOf = (entry: LogEntry, headTime: number, trace: string | undefined): Promise<unknown>[] => {
    const causes = trace === undefined ? undefined : [trace];
    const msgId = `${chainId}:${entry.seq}`;
    const update = updateOf(entry, headTime);
    const roles = rolesChangeOf(entry);
    return [
      ...(update ? [publishDurable(bus, VaultUpdated, update, { msgId: `${msgId}:${update.kind}`, causes })] : []),
      ...(roles ? [publishDurable(bus, RolesChanged, roles, { msgId, causes })] : []),
    ];
  };

  const publishPage = async (entries: readonly StoredEntry[], headTime: number) => {
    const head_seq = entries.at(-1)?.seq ?? 0;
    const causes = traceMarksOf(entries)?.map(({ traceparent }) => traceparent);
    const traces = causes && tracesOf(entries);
    const sent: Promise<unknown>[] = [
      publishDurable(bus, LogGrew, { chain_id: chainId, head_seq }, { msgId: `grew:${chainId}:${head_seq}`, causes }),
    ];
    for (const [index, entry] of entries.entries()) {
      sent.push(...eventsOf(entry, headTime, traces?.[index]));
      if (sent.length >= IN_FLIGHT) await Promise.all(sent.splice(0));
    }
    await Promise.all(sent);
  };

  const publishAll = async () => {
    for (;;) {
      const { published_seq = 0, head_time = 0 } = await status.get(chainId);
      const entries = await log.page(chainId, published_seq, PAGE);
      const last = entries.at(-1);
      if (!last) {
        deps.metrics.unpublished.set({ chain_id: String(chainId) }, 0);
        if (!again) return;
        again = false;
        continue;
      }
      await publishPage(entries, head_time);
      await status.setPublished(chainId, last.seq);
      if (entries.length === PAGE)
        deps.metrics.unpublished.set({ chain_id: String(chainId) }, (await log.headSeq(chainId)) - last.seq);
    }
  };

  return {
    flush() {
      again = true;
      // What it publishes belongs to the reading of each entry, which is stored with it, and not to what called first.
      running ??= outsideTrace(publishAll)
        .catch((error: Error) => deps.logger.warn('the log waits to be published', { chainId, error }))
        .finally(() => {
          running = undefined;
        });
      return running;
    },
  };
}
