/**
 * How many readers one gateway holds: `node bench/streams.ts [--streams 5000] [--seconds 20]`. All follow one vault, of which an update with its
 * whole detail is published each second. Measured are the time from publishing to the bytes at each reader, and what a stream costs the
 * gateway in memory and an update in processor time.
 */
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type VaultDetail, VaultUpdated } from '@castellan/contracts';
import { createClient } from '@castellan/sdk';
import { connectDurable, createLogger, publishDurable } from '@castellan/service-kit';
import { forget, pidsOf, startSystem } from '../tests/system/running-system.ts';
import { recordFigure } from './figures.ts';
import { cpuMsOf, pssMbOf } from './processes.ts';
import type { FromReaders, ReadersReport, ToReaders } from './stream-readers.ts';

const { values } = parseArgs({
  options: { streams: { type: 'string', default: '5000' }, seconds: { type: 'string', default: '20' } },
});
const streams = Number(values.streams);
const seconds = Number(values.seconds);
const goals = { p99Ms: 250, kilobytes: 20 };
/** Blocks that no chain here reaches: updates of this run are known by them. */
const firstMarker = 900_000_000;
const many = '1000000';
/** Until the last update is with all readers, also on a busy machine. */
const settleMs = 10_000;

const system = await startSystem({
  portOffset: 16_000,
  env: {
    STREAMS_PER_CALLER: many,
    CONNECTIONS_PER_ADDRESS: many,
    IDLE_CONNECTIONS_PER_ADDRESS: many,
    CONNECTIONS_TOTAL: many,
    RATE_API_PER_SECOND: many,
    RATE_API_BURST: many,
  },
});
const readers = fork(fileURLToPath(new URL('stream-readers.ts', import.meta.url)));
const tell = (message: ToReaders) => readers.send(message);
const heard = <T>(pick: (message: FromReaders) => T | undefined): Promise<T> =>
  new Promise((resolve, reject) => {
    readers.on('message', (message: FromReaders) => {
      const found = pick(message);
      if (found !== undefined) resolve(found);
    });
    readers.once('exit', (code) => reject(new Error(`The readers ended with code ${code}.`)));
  });

const at = (sorted: readonly number[], percent: number): number =>
  sorted[Math.ceil((percent * sorted.length) / 100) - 1] ?? Number.NaN;

try {
  const client = createClient({ baseUrl: system.baseUrl });
  const [vault] = await client.publicVaults({});
  if (!vault) throw new Error('The devnet has no vault.');
  const { chain_id, vault_address } = vault;
  const detail = (await client.vault({ params: { chain_id: String(chain_id), vault_address } })) as VaultDetail;
  const bus = await connectDurable({
    url: readFileSync(join(system.stateDir, 'secrets/nats-url-vaults'), 'utf8').trim(),
    namespace: process.env.NATS_NAMESPACE || 'castellan',
    service: 'bench',
    log: createLogger({ service: 'bench', level: 'warn' }),
  });
  const gateway = pidsOf(system.stateDir).gateway as number;
  const emptyMb = pssMbOf(gateway);
  const connected = heard((message) => ('connected' in message ? true : undefined));
  tell({
    task: {
      streams,
      port: Number(new URL(system.baseUrl).port),
      path: `/api/v1/vaults/${chain_id}/${vault_address}/stream`,
    },
  });
  await connected;
  const fullMb = pssMbOf(gateway);
  const cpuBefore = cpuMsOf(gateway);
  for (let index = 0; index < seconds; index += 1) {
    const marker = firstMarker + index;
    const update = { chain_id, vault_address, kind: 'vault', block_number: marker, detail } as const;
    tell({ published: { marker, atMs: performance.timeOrigin + performance.now() } });
    await publishDurable(bus, VaultUpdated, update, { msgId: `bench-${marker}` });
    await wait(1_000);
  }
  await wait(settleMs);
  const cpuMs = cpuMsOf(gateway) - cpuBefore;
  const reported = heard((message) => ('report' in message ? message.report : undefined));
  tell({ report: true });
  const { delaysMs, closed }: ReadersReport = await reported;
  await bus.nats.close();
  const sorted = delaysMs.sort((a, b) => a - b);
  const kilobytes = ((fullMb - emptyMb) * 1_024) / streams;
  const microseconds = (1_000 * cpuMs) / Math.max(1, sorted.length);
  const expected = streams * seconds;
  process.stdout.write(
    [
      `${streams} streams, ${seconds} updates of ${JSON.stringify(detail).length} bytes`,
      `arrived ${sorted.length} of ${expected}, closed ${closed}`,
      `from publishing to the bytes: p50 ${at(sorted, 50).toFixed(0)}, p95 ${at(sorted, 95).toFixed(0)}, p99 ${at(sorted, 99).toFixed(0)} ms, goal ${goals.p99Ms}`,
      `memory of a stream: ${kilobytes.toFixed(1)} kB, goal ${goals.kilobytes}`,
      `processor time of the gateway: ${microseconds.toFixed(1)} µs for each update at each reader`,
      '',
    ].join('\n'),
  );
  recordFigure({ name: `p99 of ${streams} streams`, unit: 'ms', value: at(sorted, 99), goal: goals.p99Ms });
  recordFigure({ name: 'memory of a stream', unit: 'kB', value: kilobytes, goal: goals.kilobytes });
  recordFigure({ name: 'an update at a reader, processor', unit: 'µs', value: microseconds });
  if (sorted.length < expected || closed > 0) process.exitCode = 1;
} finally {
  readers.kill();
  await system.stop();
  forget(system);
}
