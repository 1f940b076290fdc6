import type { LogEntry } from '@castellan/contracts';
import { type DurableBus, inSpan, Registry } from '@castellan/service-kit';
import { testTraces } from '@castellan/testkit';
import { expect, test } from '@jest/globals';
import type { StoredEntry } from '../domain/entry-trace.ts';
import type { ChainStatusStore, LogReader } from '../ports.ts';
import { logMetrics } from '../telemetry.ts';
import { logPublisher, rolesChangeOf, updateOf } from './publish.ts';

const vault_address = '0x00000000000000000000000000000000000000A1';
const entryOf = (name: string, parts: Partial<LogEntry> = {}) =>
  ({
    ...{ chain_id: 31337, seq: 1, kind: 'log', block_number: 7, block_time: '2026-01-01T00:00:00.000Z' },
    ...{ contract: 'aggregator', vault_address, name, args: {} },
    ...parts,
  }) as LogEntry;
const change = { chain_id: 31337, vault_address, block_number: 7 };

test.each(['SecondaryManagerRemoved', 'OldPrimaryManagerRemoved', 'PrimaryManagerChanged'])(
  'default: %s may have ended a role, however old it is',
  (name) => {
    const aDayLater = Date.UTC(2026, 0, 2) / 1000;
    expect(updateOf(entryOf(name), aDayLater)).toBeUndefined();
    expect(rolesChangeOf(entryOf(name))).toEqual(change);
  },
);

test('behavior: nothing else changes roles', () => {
  expect(rolesChangeOf(entryOf('Deposit', { contract: 'vault' }))).toBeUndefined();
  expect(rolesChangeOf(entryOf('SecondaryManagerRemoved', { contract: 'vault' }))).toBeUndefined();
  expect(rolesChangeOf(entryOf('SecondaryManagerRemoved', { vault_address: null }))).toBeUndefined();
  expect(rolesChangeOf(entryOf('SecondaryManagerRemoved', { kind: 'rollback' }))).toBeUndefined();
});

/** Publishes entries, and says with which trace each message was sent. */
async function published(entries: readonly StoredEntry[]): Promise<[string, string | undefined][]> {
  const sent: [string, string | undefined][] = [];
  let seq = 0;
  const bus = {
    namespace: 'test',
    nats: {},
    jetstream: {
      publish: async (subject: string, data: Uint8Array, { headers }: { headers: Headers }) => {
        expect(new TextDecoder().decode(data)).not.toContain('trace');
        sent.push([subject.split('.').at(-1) ?? '', headers.get('traceparent')?.split('-')[1]]);
        return { seq: sent.length, duplicate: false };
      },
    },
  } as unknown as DurableBus;
  const publisher = logPublisher({
    chainId: 31337,
    log: { page: async () => entries.filter((entry) => entry.seq > seq) } as unknown as LogReader,
    status: {
      get: async () => ({ published_seq: seq, head_time: Date.UTC(2026, 0, 1) / 1000 }),
      setPublished: async (_chainId: number, to: number) => {
        seq = to;
      },
    } as unknown as ChainStatusStore,
    bus,
    logger: { warn: (_text: string, { error }: { error: Error }) => expect(error).toBeUndefined() } as never,
    metrics: logMetrics([new Registry()]),
  });
  // Whatever work calls it: an entry is published for what stored it, perhaps in another process.
  await inSpan('of the caller', {}, () => publisher.flush());
  return sent;
}

const traceIdOf = (digit: number) => String(digit).repeat(32);
const blockOf = (digit: number, isTraced = true): Partial<StoredEntry> => ({
  seq: digit,
  block_number: digit,
  block_hash: `0x${traceIdOf(digit)}${traceIdOf(digit)}`,
  ...{ tx_hash: null, log_index: null, address: null },
  ...(isTraced ? { trace: `00-${traceIdOf(digit)}-${'1'.repeat(16)}-01` } : {}),
});

test('behavior: an update goes on in the trace that is stored with its entry, and so does the wake-up', async () => {
  await testTraces();
  expect(await published([entryOf('SecondaryManagerRemoved', blockOf(1))])).toEqual([
    ['log_grew', traceIdOf(1)],
    ['vault_updated', traceIdOf(1)],
    ['roles_changed', traceIdOf(1)],
  ]);
});

test('behavior: a wake-up for entries of several traces is linked to each, and their updates stay apart', async () => {
  const spans = await testTraces();
  const entries = [blockOf(1), blockOf(2, false), blockOf(3)].map((parts) => entryOf('SecondaryManagerAdded', parts));
  const updates = (await published(entries)).filter(([name]) => name === 'vault_updated').map(([, id]) => id);
  expect([updates[0], updates[2]]).toEqual([traceIdOf(1), traceIdOf(3)]);
  const caller = spans.find(({ name }) => name === 'of the caller')?.traceId;
  expect([traceIdOf(1), traceIdOf(3), caller]).not.toContain(updates[1]);
  const grew = spans.find(({ name }) => name === 'publish log_grew');
  expect(grew).toMatchObject({ parentSpanId: undefined, links: [traceIdOf(1), traceIdOf(3)] });
});
