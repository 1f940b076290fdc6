import { type DurableEvent, type EventData, validatorEvents } from '@castellan/contracts';
import { isDuplicateKey, type Logger, type Outbox } from '@castellan/service-kit';
import type { Connection } from 'mongoose';

type Entry = { seq: number; event: string; data: Record<string, unknown> };
type Head = { _id: string; seq: number; waiting: Entry[] };

export type EventLedger = {
  /** Numbers the event and stores it in one step; resolves once it cannot be lost any more. */
  add<E extends DurableEvent>(event: E, data: Omit<EventData<E>, 'seq'>): Promise<void>;
  /** Hands over what an earlier process left between numbering and outbox. */
  recover(): Promise<void>;
  /** Resolves when everything that was added is stored. */
  settled(): Promise<void>;
};

export type LedgerOptions = {
  connection: Connection;
  outbox: Pick<Outbox, 'add'>;
  nodeId: string;
  log: Logger;
  sleep: (ms: number) => Promise<void>;
};

const retryMs = 1000;
/** Events that may wait in memory for a store that is away; a round makes about ten. */
const longestQueue = 10_000;

/**
 * Numbers a node's events without gaps. Number and event are written by one update of one document, so that no number exists
 * without its event; from there they go to the outbox in order, and again after a crash.
 */
export function createEventLedger(options: LedgerOptions): EventLedger {
  const { connection, outbox, nodeId, log, sleep } = options;
  const heads = connection.collection<Head>('event_ledger');
  const byName = new Map<string, DurableEvent>(validatorEvents.map((event) => [event.name, event]));
  let last: Promise<void> = Promise.resolve();
  let queued = 0;

  const number = async (event: string, data: Record<string, unknown>): Promise<void> => {
    for (;;) {
      const head = await heads.findOne({ _id: nodeId });
      const seq = (head?.seq ?? 0) + 1;
      const entry = { seq, event, data };
      if (head) {
        const update = { $set: { seq }, $push: { waiting: entry } };
        if ((await heads.updateOne({ _id: nodeId, seq: head.seq }, update)).modifiedCount === 1) return;
      } else {
        try {
          await heads.insertOne({ _id: nodeId, seq, waiting: [entry] });
          return;
        } catch (error) {
          if (!isDuplicateKey(error)) throw error;
        }
      }
    }
  };
  const handOver = async (): Promise<void> => {
    for (const { seq, event: name, data } of (await heads.findOne({ _id: nodeId }))?.waiting ?? []) {
      const event = byName.get(name);
      if (event) await outbox.add(event, { ...data, seq }, { msgId: `${nodeId}:${seq}` });
      else log.error('event of another version is passed over', { event: name, seq });
      await heads.updateOne({ _id: nodeId }, { $pull: { waiting: { seq } } });
    }
  };
  const untilDone = async (work: () => Promise<void>): Promise<void> => {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        log.warn('event could not be stored yet', { error });
        await sleep(retryMs);
      }
    }
  };
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    last = last.then(work);
    return last;
  };
  return {
    async add(event, data) {
      // A schema that is broken would be tried for ever; this is a fault of the caller and told at once.
      const { seq: _, ...parsed } = event.data.parse({ ...data, seq: 1 }) as Record<string, unknown>;
      if (queued >= longestQueue)
        throw new Error(`${longestQueue} events wait for the document store: this one is lost.`);
      queued += 1;
      await inTurn(async () => {
        await untilDone(() => number(event.name, parsed));
        await untilDone(handOver);
        queued -= 1;
      });
    },
    recover: () => inTurn(() => untilDone(handOver)),
    settled: () => last,
  };
}
