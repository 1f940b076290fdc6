/**
 * How many readers one gateway holds: `node bench/streams.ts [--streams 5000] [--gateways 2] [--seconds 20] [--find]`. All follow one vault, of
 * which an update with its whole detail is published each second. Measured are the time from publishing to the bytes at each reader, and
 * what a stream costs the gateway in memory and an update in processor time; then the same with a second gateway and as many readers more.
 * `--find` goes on from there with a thousand readers more at a time, at the first gateway alone, until the goal is missed.
 *
 * Between the two, so that it changes no figure of memory, readers of another vault stop reading while more is published than the gateway
 * keeps for them: they must be disconnected, and come back to all that they missed.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type VaultDetail, VaultUpdated } from '@castellan/contracts';
import { createClient } from '@castellan/sdk';
import { connectDurable, createLogger, type DurableBus, publishDurable } from '@castellan/service-kit';
import { until } from '@castellan/testkit';
import { forget, pidsOf, startSystem } from '../tests/system/running-system.ts';
import { end } from './analytics-system.ts';
import { recordFigure } from './figures.ts';
import { cpuMsOf, pssMbOf } from './processes.ts';
import { startSecond } from './second-instance.ts';
import { openReader } from './slow-readers.ts';
import type { FromReaders, ReadersReport, ToReaders } from './stream-readers.ts';

const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '5000' },
    gateways: { type: 'string', default: '2' },
    seconds: { type: 'string', default: '20' },
    find: { type: 'boolean', default: false },
  },
});
const streams = Number(values.streams);
const gateways = Number(values.gateways);
if (gateways !== 1 && gateways !== 2) throw new Error(`--gateways is ${values.gateways}; it is 1 or 2.`);
const seconds = Number(values.seconds);
const goals = { streams: 5000, p99Ms: 250, kilobytes: 20 };
const findStep = 1_000;
/** A process may have so many files open. */
const mostStreams = 18_000;
const slowReaders = 10;
/** Until the gateway disconnects those who do not read: it and the kernel keep some megabytes for each. */
const mostSlowUpdates = 10_000;
const updatesAtOnce = 50;
const mostReturns = 50;
/** The gateway of the system says how many it has disconnected. */
const gatewayMetrics = `http://127.0.0.1:${9101 + 16_000}/metrics`;
/** Blocks that no chain here reaches: updates of this run are known by them. */
const firstMarker = 900_000_000;
const firstSlowMarker = 800_000_000;
const many = '1000000';
/** Until the last update is with all readers, also on a busy machine. */
const settleMs = 10_000;

type Vault = { chain_id: number; vault_address: string };
type Target = { bus: DurableBus; vault: Vault; detail: VaultDetail };
const streamOf = ({ chain_id, vault_address }: Vault) => `/api/v1/vaults/${chain_id}/${vault_address}/stream`;

function publish({ bus, vault, detail }: Target, marker: number) {
  const { chain_id, vault_address } = vault;
  const update = { chain_id, vault_address, kind: 'vault', block_number: marker, detail } as const;
  return publishDurable(bus, VaultUpdated, update as never, { msgId: `bench-${marker}` });
}

/** A gateway and those who read from it. */
class Gateway {
  readonly pid: number;
  readonly port: number;
  readonly #readers: ChildProcess;
  held = 0;

  constructor(pid: number, port: number) {
    this.pid = pid;
    this.port = port;
    this.#readers = fork(fileURLToPath(new URL('stream-readers.ts', import.meta.url)));
  }

  tell(message: ToReaders): void {
    this.#readers.send(message);
  }

  #heard<T>(pick: (message: FromReaders) => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const ended = (code: number | null) => reject(new Error(`The readers ended with code ${code}.`));
      const listen = (message: FromReaders) => {
        const found = pick(message);
        if (found === undefined) return;
        this.#readers.off('message', listen).off('exit', ended);
        resolve(found);
      };
      this.#readers.on('message', listen).once('exit', ended);
    });
  }

  /** Opens so many streams more. @returns the kB of memory that each takes. */
  async open(more: number, vault: Vault): Promise<number> {
    const before = pssMbOf(this.pid);
    const connected = this.#heard((message) => ('connected' in message ? true : undefined));
    this.tell({ task: { streams: more, port: this.port, path: streamOf(vault) } });
    await connected;
    this.held += more;
    return ((pssMbOf(this.pid) - before) * 1_024) / more;
  }

  report(): Promise<ReadersReport> {
    const reported = this.#heard((message) => ('report' in message ? message.report : undefined));
    this.tell({ report: true });
    return reported;
  }

  end = (): Promise<void> => end(this.#readers);
}

const at = (sorted: readonly number[], percent: number): number =>
  sorted[Math.ceil((percent * sorted.length) / 100) - 1] ?? Number.NaN;

let marker = firstMarker;

type Measured = { streams: number; p99: number; microseconds: number; isWhole: boolean };

/** An update each second, at all readers of all gateways. */
async function measure(target: Target, all: readonly Gateway[]): Promise<Measured> {
  const before = all.map(({ pid }) => cpuMsOf(pid));
  const startedAt = performance.now();
  for (let update = 0; update < seconds; update += 1) {
    const published = { marker, atMs: performance.timeOrigin + performance.now() };
    for (const gateway of all) gateway.tell({ published });
    await publish(target, marker);
    marker += 1;
    await wait(1_000);
  }
  const tookMs = performance.now() - startedAt;
  await wait(settleMs);
  const spent = all.map(({ pid }, place) => cpuMsOf(pid) - (before[place] ?? 0));
  const cpuMs = spent.reduce((sum, each) => sum + each, 0);
  const reports = await Promise.all(all.map((gateway) => gateway.report()));
  const sorted = reports.flatMap(({ delaysMs }) => delaysMs).sort((a, b) => a - b);
  const closed = reports.reduce((sum, each) => sum + each.closed, 0);
  const held = all.reduce((sum, each) => sum + each.held, 0);
  const microseconds = (1_000 * cpuMs) / Math.max(1, sorted.length);
  process.stdout.write(
    [
      `\n${held} streams at ${all.length} gateway${all.length === 1 ? '' : 's'}, ${seconds} updates of ${JSON.stringify(target.detail).length} bytes`,
      `arrived ${sorted.length} of ${held * seconds}, closed ${closed}`,
      `from publishing to the bytes: p50 ${at(sorted, 50).toFixed(0)}, p95 ${at(sorted, 95).toFixed(0)}, p99 ${at(sorted, 99).toFixed(0)} ms, goal ${goals.p99Ms}`,
      `processor time of the gateway: ${microseconds.toFixed(1)} µs for each update at each reader, ${spent.map((ms) => ((100 * ms) / tookMs).toFixed(0)).join(' and ')} % of a core`,
      '',
    ].join('\n'),
  );
  const isWhole = sorted.length >= held * seconds && closed === 0;
  return { streams: held, p99: at(sorted, 99), microseconds, isWhole };
}

async function disconnected(): Promise<number> {
  const text = await (await fetch(gatewayMetrics)).text();
  return Number(/^sse_connections_closed_total{[^}]*reason="slow"[^}]*} (\d+)$/m.exec(text)?.[1] ?? 0);
}

/** Readers that stop reading are disconnected, and have every update once they have come back. @returns how many had not. */
async function slowReadersLost(target: Target, gateway: Gateway): Promise<number> {
  const path = streamOf(target.vault);
  const slow = await Promise.all(Array.from({ length: slowReaders }, () => openReader(gateway.port, path)));
  for (const { socket } of slow) socket.pause();
  const blocks: number[] = [];
  while ((await disconnected()) < slowReaders) {
    if (blocks.length >= mostSlowUpdates)
      throw new Error(`Not all who do not read were disconnected after ${blocks.length} updates.`);
    const next = Array.from({ length: updatesAtOnce }, (_, nth) => firstSlowMarker + blocks.length + nth);
    await Promise.all(next.map((block) => publish(target, block)));
    blocks.push(...next);
  }
  const last = blocks.at(-1) as number;
  process.stdout.write(`${slowReaders} readers that did not read were disconnected within ${blocks.length} updates\n`);
  let lost = 0;
  let returns = 0;
  for (const reader of slow) {
    reader.socket.resume();
    await until('a reader hears that it was disconnected', () => reader.isClosed());
    const has = new Set(reader.blocks);
    let { lastId } = reader;
    // What it missed is more than the gateway keeps for one reader: it is sent as fast as it is read, so that once is enough.
    for (let back = 0; !has.has(last) && back < mostReturns; back += 1) {
      const rest = await openReader(gateway.port, path, lastId);
      await until('the last update, or the end of the stream', () => rest.blocks.has(last) || rest.isClosed());
      rest.socket.destroy();
      for (const block of rest.blocks) has.add(block);
      lastId = rest.lastId;
      returns += 1;
    }
    if (!blocks.every((block) => has.has(block))) lost += 1;
  }
  process.stdout.write(
    `${slowReaders - lost} of them have all updates after coming back ${(returns / slowReaders).toFixed(1)} times\n`,
  );
  return lost;
}

/** How many one gateway holds within the goal, a step at a time from what it holds already. */
async function find(target: Target, gateway: Gateway, first: Measured): Promise<number> {
  let held = first.p99 <= goals.p99Ms && first.isWhole ? first.streams : 0;
  while (held > 0 && held + findStep <= mostStreams) {
    await gateway.open(findStep, target.vault);
    const { p99, isWhole } = await measure(target, [gateway]);
    if (p99 > goals.p99Ms || !isWhole) break;
    held = gateway.held;
  }
  return held;
}

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
const running: { end(): Promise<void> }[] = [];
try {
  const client = createClient({ baseUrl: system.baseUrl });
  const [vault, other] = await client.publicVaults({});
  if (!vault || !other) throw new Error('The devnet has fewer than two vaults.');
  const bus = await connectDurable({
    url: readFileSync(join(system.stateDir, 'secrets/nats-url-vaults'), 'utf8').trim(),
    namespace: process.env.NATS_NAMESPACE || 'castellan',
    service: 'bench',
    log: createLogger({ service: 'bench', level: 'warn' }),
  });
  const targetOf = async ({ chain_id, vault_address }: Vault): Promise<Target> => {
    const params = { chain_id: String(chain_id), vault_address };
    return { bus, vault: { chain_id, vault_address }, detail: (await client.vault({ params })) as VaultDetail };
  };
  const target = await targetOf(vault);
  const first = new Gateway(pidsOf(system.stateDir).gateway as number, Number(new URL(system.baseUrl).port));
  running.push(first);
  const kilobytes = await first.open(streams, target.vault);
  process.stdout.write(`memory of a stream: ${kilobytes.toFixed(1)} kB, goal ${goals.kilobytes}\n`);
  const alone = await measure(target, [first]);
  const lost = await slowReadersLost(await targetOf(other), first);
  recordFigure({ name: `p99 of ${streams} streams`, unit: 'ms', value: alone.p99, goal: goals.p99Ms });
  recordFigure({ name: 'memory of a stream', unit: 'kB', value: kilobytes, goal: goals.kilobytes });
  recordFigure({ name: 'an update at a reader, processor', unit: 'µs', value: alone.microseconds });
  recordFigure({ name: 'slow readers with a gap', unit: 'streams lost', value: lost, goal: 0 });
  let isWhole = alone.isWhole && lost === 0;
  if (values.find) {
    const held = await find(target, first, alone);
    process.stdout.write(`one gateway holds ${held} streams within ${goals.p99Ms} ms, goal ${goals.streams}\n`);
    recordFigure({ name: 'streams of one gateway', unit: 'streams', value: held, goal: goals.streams });
  } else if (gateways === 2) {
    const { child, ports } = await startSecond(first.pid);
    running.push({ end: () => end(child) });
    const url = `http://127.0.0.1:${ports.MONITORING_PORT}/readyz`;
    const isReady = () =>
      fetch(url).then(
        ({ ok }) => ok,
        () => false,
      );
    await until('the second gateway is ready', isReady, 120_000);
    const second = new Gateway(Number(child.pid), Number(ports.HTTP_PORT));
    running.push(second);
    await second.open(streams, target.vault);
    const both = await measure(target, [first, second]);
    recordFigure({ name: `p99 of ${2 * streams} streams at two`, unit: 'ms', value: both.p99, goal: goals.p99Ms });
    isWhole &&= both.isWhole;
  }
  await bus.nats.close();
  if (!isWhole) process.exitCode = 1;
} finally {
  for (const each of running.reverse()) await each.end();
  await system.stop();
  forget(system);
}
