/**
 * Dashboard traffic: `node bench/dashboards.ts [--seconds 30] [--people 1000] [--views list,detail,overview] [--scenes still,moving]
 * [--systems castellan,moleculer-web,nestjs]`. 1 000 people, signed in, each with the overview of one of 300 vaults open, ask every 15 s for
 * their list of vaults, the vault's detail and its figures, with the ETag of the answer they have. Measured is the processor time of gateway,
 * bus and the process that stands in for the services, all of which answers from memory. Baselines in the same run, asked the same at the
 * same moments: moleculer-web, and NestJS with a NATS microservice, with the same token check and bytes.
 *
 * Once nothing changes meanwhile, and once there is a block every 2 s, at each of which analytics answers anew for all vaults, and `vaults`
 * for a seventh of them. What `vaults` and `analytics` would take for an answer is not measured, nor what publishes that something changed.
 */
import { Agent, get, type OutgoingHttpHeaders } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ProjectionMoved, VaultUpdated } from '@castellan/contracts';
import { connectDurable, createLogger, type DurableBus, publishDurable } from '@castellan/service-kit';
import { aToken } from '../services/gateway/test/harness.ts';
import { type DashboardSystem, type SystemName, startSystems } from './dashboard-systems.ts';
import {
  blockAt,
  chainId,
  createViews,
  type Pace,
  pathsOf,
  readingAt,
  standing,
  vaultAddress,
  vaultCount,
  walletOf,
} from './dashboard-views.ts';
import { recordFigure } from './figures.ts';
import { cpuMsOf } from './processes.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '30' },
    people: { type: 'string', default: '1000' },
    /** To see what one of them takes. */
    views: { type: 'string', default: 'list,detail,overview' },
    /** To profile one of them: NODE_OPTIONS="--cpu-prof --cpu-prof-dir=FOLDER" reaches all its processes. */
    systems: { type: 'string', default: 'castellan,moleculer-web,nestjs' },
    scenes: { type: 'string', default: 'still,moving' },
  },
});
const seconds = Number(values.seconds);
const people = Number(values.people);
const pollMs = 15_000;
const blockSeconds = 2;
const goals: Readonly<Record<Exclude<SystemName, 'castellan'>, number>> = { 'moleculer-web': 2.5, nestjs: 3 };

type View = keyof ReturnType<typeof pathsOf>;
const asked = values.views.split(',') as View[];
const scenes = values.scenes.split(',');
type Counts = { asked: number; unchanged: number; delaysMs: number[] };
/** What a person has of a system: the tags of the last answers. */
type Held = Map<string, string>;

const tokens = await Promise.all(
  Array.from({ length: people }, (_, person) => {
    const wallet = walletOf(person);
    return aToken({ claims: { sub: wallet, wallet_address: wallet } });
  }),
);

/** As many connections as a proxy would keep; each is used in turn, so that none is closed for its silence. */
const connections = new Agent({ keepAlive: true, maxSockets: 32, scheduling: 'fifo' });

/** By `node:http`, since `fetch` adds `Cache-Control: no-cache` to a request with a tag, which some servers answer in full. */
const read = (url: string, headers: OutgoingHttpHeaders): Promise<{ status: number; tag: string; body: Buffer }> =>
  new Promise((resolve, reject) => {
    const request = get(url, { agent: connections, headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.once('error', reject);
      answer.once('end', () =>
        resolve({ status: answer.statusCode ?? 0, tag: String(answer.headers.etag), body: Buffer.concat(parts) }),
      );
    });
    // A server may close a connection that was silent for a while just as it is used again.
    request.once('error', (error: NodeJS.ErrnoException) => {
      if (request.reusedSocket && error.code === 'ECONNRESET') read(url, headers).then(resolve, reject);
      else reject(error);
    });
  });

const headersOf = (person: number, tag?: string): OutgoingHttpHeaders => ({
  authorization: `Bearer ${tokens[person]}`,
  ...(tag === undefined ? {} : { 'if-none-match': tag }),
});

async function ask(system: DashboardSystem, path: string, person: number, held: Held, counts: Counts): Promise<void> {
  const startedAt = performance.now();
  const { status, tag } = await read(system.baseUrl + path, headersOf(person, held.get(path)));
  if (status !== 200 && status !== 304) throw new Error(`${system.name} answered ${status} for ${path}.`);
  held.set(path, tag);
  counts.asked += 1;
  counts.unchanged += status === 304 ? 1 : 0;
  counts.delaysMs.push(performance.now() - startedAt);
}

/** All that one person asks at a poll, at each system. */
const poll = (systems: readonly DashboardSystem[], person: number, held: Held[][], counts: Counts[]) =>
  Promise.all(
    systems.flatMap((system, place) =>
      asked.map((view) =>
        ask(system, pathsOf(person)[view], person, held[place]?.[person] as Held, counts[place] as Counts),
      ),
    ),
  );

const noCounts = (systems: readonly DashboardSystem[]): Counts[] =>
  systems.map(() => ({ asked: 0, unchanged: 0, delaysMs: [] }));

/** People ask one after the other, so that each asks again after 15 s, for so long. */
async function pollFor(ms: number, systems: readonly DashboardSystem[], held: Held[][]): Promise<Counts[]> {
  const counts = noCounts(systems);
  const startedAt = performance.now();
  const polls: Promise<unknown>[] = [];
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  for (let nth = 0; (nth * pollMs) / people < ms; nth += 1) {
    const inMs = startedAt + (nth * pollMs) / people - performance.now();
    if (inMs > 0) await Promise.race([wait(inMs), failed.promise]);
    polls.push(poll(systems, nth % people, held, counts).catch(failed.reject));
  }
  await Promise.race([Promise.all(polls), failed.promise]);
  return counts;
}

/** So many times everybody asks everything, as fast as they are answered, before anything is measured. */
const roundsBefore = 5;
const pollsAtOnce = 8;

async function warmUp(systems: readonly DashboardSystem[], held: Held[][]): Promise<void> {
  const counts = noCounts(systems);
  let next = 0;
  const pollAll = async () => {
    for (let nth = next++; nth < people * roundsBefore; nth = next++) await poll(systems, nth % people, held, counts);
  };
  await Promise.all(Array.from({ length: pollsAtOnce }, pollAll));
}

/** Says at each block what changed, as `vaults` and `analytics` do. @returns what ends it. */
function publishChanges(bus: DurableBus, pace: Pace): () => void {
  const views = createViews(() => pace);
  let said = blockAt(pace);
  const timer = setInterval(() => {
    const block = blockAt(pace);
    if (block === said) return;
    said = block;
    const sent: Promise<unknown>[] = [
      publishDurable(bus, ProjectionMoved, { chain_id: chainId, block_number: block }, { msgId: `moved-${block}` }),
    ];
    for (let index = 0; index < vaultCount; index += 1) {
      if (readingAt(index, block) !== block) continue;
      const vault_address = vaultAddress(index);
      const detail = { ...views.detail(vault_address), my_role: null };
      const update = { chain_id: chainId, vault_address, kind: 'vault', block_number: block, detail } as const;
      sent.push(publishDurable(bus, VaultUpdated, update, { msgId: `read-${index}-${block}` }));
    }
    Promise.all(sent).catch((error: Error) => process.stderr.write(`could not publish: ${error.message}\n`));
  }, 50);
  return () => clearInterval(timer);
}

/** @throws Error when a baseline answers something else than the gateway. */
async function checkSame(systems: readonly DashboardSystem[]): Promise<Record<View, number>> {
  const sizes = { list: 0, detail: 0, overview: 0 };
  for (const [view, path] of Object.entries(pathsOf(1)) as [View, string][]) {
    const texts = await Promise.all(
      systems.map(async ({ baseUrl }) => String((await read(baseUrl + path, headersOf(1))).body)),
    );
    for (const [place, text] of texts.entries())
      if (text !== texts[0])
        throw new Error(
          `${systems[place]?.name} answers ${text.slice(0, 200)} for ${path}, not ${texts[0]?.slice(0, 200)}.`,
        );
    sizes[view] = texts[0]?.length ?? 0;
  }
  return sizes;
}

type Spent = { gateway: number; services: number; bus: number };
const spentBy = ({ pids }: DashboardSystem): Spent => ({
  gateway: cpuMsOf(pids.gateway),
  services: cpuMsOf(pids.services),
  bus: cpuMsOf(pids.bus),
});
const at = (values: readonly number[], percent: number): number =>
  values.toSorted((a, b) => a - b)[Math.ceil((percent * values.length) / 100) - 1] ?? Number.NaN;

type Row = { name: SystemName; perSecond: number };

/** Requests that each system answers in a second of processor time. */
async function measure(scene: string, systems: readonly DashboardSystem[]): Promise<Row[]> {
  const held = systems.map(() => Array.from({ length: people }, (): Held => new Map()));
  // Everybody has asked, so that all have a tag, every token is known and no process measures how its code is compiled.
  await warmUp(systems, held);
  await pollFor(pollMs, systems, held);
  const before = systems.map(spentBy);
  const counts = await pollFor(seconds * 1000, systems, held);
  const after = systems.map(spentBy);
  process.stdout.write(
    `\n${scene}: ms a request\n${''.padEnd(16)}  gateway  services  bus     all   per processor s  304    p50    p99\n`,
  );
  return systems.map(({ name }, place) => {
    const { asked, unchanged, delaysMs } = counts[place] as Counts;
    const ms = (part: keyof Spent) => ((after[place]?.[part] ?? 0) - (before[place]?.[part] ?? 0)) / asked;
    const parts = [ms('gateway'), ms('services'), ms('bus')];
    const all = parts.reduce((sum, each) => sum + each, 0);
    const cells = [...parts, all].map((each) => each.toFixed(3).padStart(8)).join(' ');
    const share = `${((100 * unchanged) / asked).toFixed(0)} %`.padStart(6);
    process.stdout.write(
      `${name.padEnd(16)}${cells}${(1000 / all).toFixed(0).padStart(10)}${share.padStart(14)} ${at(delaysMs, 50).toFixed(1).padStart(6)} ${at(delaysMs, 99).toFixed(1).padStart(6)}\n`,
    );
    return { name, perSecond: 1000 / all };
  });
}

function record(scene: string, [castellan, ...baselines]: readonly Row[]): void {
  for (const { name, perSecond } of baselines) {
    if (castellan === undefined || name === 'castellan') continue;
    const ratio = castellan.perSecond / perSecond;
    const goal = goals[name];
    process.stdout.write(`${ratio.toFixed(2)} times ${name}, goal ${goal}: ${ratio >= goal ? 'met' : 'MISSED'}\n`);
    recordFigure({
      name: `requests of a processor second, ${scene}, beside ${name}`,
      unit: 'per s',
      value: castellan.perSecond,
      baseline: perSecond,
      goal: goal * perSecond,
    });
  }
}

async function measureMoving(systems: readonly DashboardSystem[], { natsUrl }: DashboardSystem): Promise<void> {
  const bus = await connectDurable({
    url: natsUrl,
    namespace: 'castellan',
    service: 'bench',
    log: createLogger({ service: 'bench', level: 'warn' }),
  });
  const pace = { blockSeconds, sinceMs: Date.now() };
  for (const system of systems) system.setPace(pace);
  const endChanges = publishChanges(bus, pace);
  record('moving', await measure(`a block every ${blockSeconds} s`, systems));
  endChanges();
  for (const system of systems) system.setPace(standing);
  await bus.nats.close();
}

const systems = await startSystems(values.systems.split(','));
try {
  const [castellan] = systems;
  if (castellan === undefined) throw new Error('No system was started.');
  const sizes = await checkSame(systems);
  process.stdout.write(
    `${people} people, ${vaultCount} vaults, ${(asked.length * people * 1000) / pollMs} requests a second at each system; bytes: list ${sizes.list}, detail ${sizes.detail}, overview ${sizes.overview}\n`,
  );
  if (scenes.includes('still')) record('still', await measure('nothing changes', systems));
  if (scenes.includes('moving')) await measureMoving(systems, castellan);
} finally {
  connections.destroy();
  for (const system of systems) await system.stop();
}
