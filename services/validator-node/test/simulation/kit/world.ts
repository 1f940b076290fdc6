import type { NetworkConfig, Plugin, ProtocolStore } from '../../../src/ports.ts';
import { checkConfig } from '../../../src/protocol/check-config.ts';
import { corrupt, type Evil, type Habits } from './byzantine.ts';
import { createFakeChain } from './fake-chain.ts';
import { createHost, type Host } from './host.ts';
import { createNetwork, type Weather } from './network.ts';
import { networkConfig } from './network-config.ts';
import { type Prng, prng } from './prng.ts';
import type { Coalition } from './puppet.ts';
import { createScheduler } from './scheduler.ts';
import { toyKeys } from './toy-crypto.ts';
import { createToyPlugin, toyLimits } from './toy-plugin.ts';
import { createWatch, type Watch } from './watch.ts';

/** Breaks a rule in every honest node, to see that the watch notices. */
export type Mutation = {
  store?: (store: ProtocolStore) => ProtocolStore;
  config?: (config: NetworkConfig) => NetworkConfig;
  parts?: (parts: Evil) => Evil;
};

export type Outcome = {
  seed: number;
  violations: readonly string[];
  /** What the seed made of itself, for the reader of a failure. */
  about: string;
  counts: Watch['counts'] & { stored: number; steps: number };
};

const drawHabits = (random: Prng): Habits => ({
  leads: random.pick(['honestly', 'silently', 'until_tired', 'hiding_finals', 'by_script', 'by_script', 'by_script']),
  poses: random.chance(0.2),
  corrupts: random.pick([0, 0, 0.05, 0.5]),
  shouts: random.chance(0.3),
  lies: random.chance(0.5),
  frontRuns: random.chance(0.3),
  forges: random.chance(0.2),
  floods: random.chance(0.15),
  repeats: random.chance(0.3),
  miscounts: random.chance(0.2),
});

type Chaos = { until: number; weather: Weather; crash: number; fail: number; partitions: boolean; crashes: boolean };

const drawChaos = (random: Prng): Chaos => ({
  until: random.int(3000, 10_000),
  weather: {
    delay: [random.int(1, 10), random.pick([20, 60, 200, 600])],
    loss: random.pick([0, 0.02, 0.1, 0.3]),
    duplicate: random.pick([0, 0.1]),
    replay: random.pick([0, 0.05]),
  },
  crash: random.pick([0, 0.01, 0.05]),
  fail: random.pick([0, 0, 0.03]),
  partitions: random.chance(0.4),
  crashes: random.chance(0.6),
});

const good: Weather = { delay: [1, 20], loss: 0, duplicate: 0, replay: 0 };

/** Longest time from good weather to a report: every faulty leader in a row, each with all its rounds, and what honest ones take. */
function livenessBound({ timing: t, f }: NetworkConfig): number {
  const change = t.deltaProgress + t.deltaResend + 500;
  const faultyInARow = 2 * f;
  return faultyInARow * ((t.rMax + 1) * t.deltaProgress + change) + 4 * change;
}

/** Runs one network from one seed: some bad weather, then good, and a report must come. */
export async function simulate(seed: number, mutation: Mutation = {}): Promise<Outcome> {
  const random = prng(seed);
  const n = random.pick([4, 4, 4, 4, 4, 5, 7, 7, 1]);
  const f = Math.floor((n - 1) / 3);
  const keys = toyKeys(n);
  const config = networkConfig(n, f, keys, random.fork('seed').bytes(16));
  const problems = checkConfig(config).errors;
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const strategies = random.int(1, 3);
  const minInterval = random.pick([5n, 5n, 5n, 14n]);
  const limits = { oracles: n, ...toyLimits };
  const scheduler = createScheduler();
  const watch = createWatch(config, keys, limits, strategies);
  const network = createNetwork(scheduler, random.fork('network'), (_from, message) => watch.sent(message));
  const chain = createFakeChain({
    now: () => scheduler.now(),
    random: random.fork('chain'),
    keys,
    strategies,
    minInterval,
    n,
    quorum: config.quorum,
    onStored: watch.stored,
    onNonce: watch.nonceUsed,
  });
  const chaos = drawChaos(random.fork('chaos'));
  const members = Array.from({ length: n }, (_, i) => i)
    .filter(() => random.chance(0.7))
    .slice(0, random.chance(0.85) ? f : 0);
  const habits = new Map(members.map((member) => [member, drawHabits(random.fork('habits'))]));
  let healed = false;
  const progress = { reports: 0, stored: 0 };
  const coalition: Coalition = {
    members,
    ...{ digest: config.digest, n, f, quorum: config.quorum, rMax: config.timing.rMax },
    ...{ strategies, minInterval, limits, random: random.fork('coalition'), scheduler, network, chain, keys },
    cutPower: (node) => {
      if (!healed && chaos.crashes) hosts[node]?.crash(random.int(5, 50));
    },
  };
  const used = mutation.config?.(config) ?? config;

  const hosts = config.oracles.map((_, index): Host => {
    const own = random.fork('host');
    const evil = habits.get(index);
    const options = { me: index, minInterval, f: used.f, chain, keys, random: own, isCalm: () => healed };
    const watched = (plugin: Plugin): Plugin => (evil ? plugin : watchPlugin(plugin, index, watch));
    return createHost({
      ...{ index, config: used, scheduler, network, chain, random: own, verifyOffchain: keys.verifyOffchain },
      keyring: keys.keyring(index),
      plugin: (pause) => watched(createToyPlugin({ ...options, pause })),
      faults: () => (healed ? { crash: 0, fail: 0 } : chaos),
      downtime: () => (healed ? 100 : own.pick([20, 100, 400, 2000])),
      observer: (event) => {
        if (evil) return;
        watch.event(index, event);
        if (healed && event.type === 'round_completed' && event.outcome === 'report') progress.reports += 1;
      },
      ...(evil
        ? { change: (parts: Evil) => corrupt(coalition, index, evil, parts) }
        : mutation.parts && { change: mutation.parts }),
      ...(!evil && mutation.store && { changeStore: mutation.store }),
    });
  });

  for (const host of hosts) scheduler.after(random.int(0, 800), host.boot);
  network.setWeather(chaos.weather);
  if (chaos.partitions) storm(chaos, random.fork('partitions'), n, network, scheduler);
  if (chaos.crashes) powerCuts(chaos, random.fork('cuts'), hosts, scheduler);
  const check = () => {
    for (const [index, host] of hosts.entries()) {
      const view = habits.has(index) ? undefined : host.oracle()?.inspect();
      if (view) watch.holds(index, view);
    }
    return watch.violations.length > 0;
  };
  const failed = await scheduler.run({ until: check, before: chaos.until });
  healed = true;
  network.setWeather(good);
  network.setCut(() => false);
  const storedBefore = chain.stored.length;
  const bound = chaos.until + livenessBound(config);
  const done = () => check() || (progress.reports > 0 && chain.stored.length > storedBefore);
  if (!failed && !(await scheduler.run({ until: done, before: bound })))
    watch.violate(`no report by ${bound} ms: ${progress.reports} final, ${chain.stored.length - storedBefore} stored`);
  const who = [...habits].map(([member, habit]) => `${member}: ${JSON.stringify(habit)}`).join('\n  ');
  return {
    seed,
    violations: watch.violations,
    about: `n ${n}, f ${f}, ${JSON.stringify(chaos)}, at ${scheduler.now()} ms\n  ${who}`,
    counts: { ...watch.counts, stored: chain.stored.length, steps: scheduler.steps() },
  };
}

function watchPlugin(plugin: Plugin, index: number, watch: Watch): Plugin {
  return {
    ...plugin,
    observation: async (context, query) => {
      const observation = await plugin.observation(context, query);
      watch.observed(context, observation);
      return observation;
    },
    sign: async (context, report) => {
      const signature = await plugin.sign(context, report);
      if (signature) watch.signed(index, context, report);
      return signature;
    },
    shouldAccept: async (context, attested) => {
      watch.finalized(index, context, attested);
      return plugin.shouldAccept(context, attested);
    },
  };
}

type Net = ReturnType<typeof createNetwork>;
type Time = ReturnType<typeof createScheduler>;

/** 16, 17: halves that do not hear each other, nodes nobody hears, links that work one way. */
function storm(chaos: Chaos, random: Prng, n: number, network: Net, scheduler: Time): void {
  const turn = () => {
    if (scheduler.now() >= chaos.until) return;
    const side = Array.from({ length: n }, () => random.chance(0.5));
    const alone = random.int(0, n - 1);
    network.setCut(
      random.pick<(from: number, to: number) => boolean>([
        () => false,
        (from, to) => side[from] !== side[to],
        (from, to) => from === alone || to === alone,
        (from) => from === alone,
        (from, to) => from === alone && to === (alone + 1) % n,
      ]),
    );
    scheduler.after(random.int(200, 4000), turn);
  };
  turn();
}

/** 15: nodes that go down and come back, all of them at once now and then. */
function powerCuts(chaos: Chaos, random: Prng, hosts: readonly Host[], scheduler: Time): void {
  const turn = () => {
    if (scheduler.now() >= chaos.until) return;
    for (const host of random.chance(0.1) ? hosts : [random.pick(hosts)]) host.crash();
    scheduler.after(random.int(100, 3000), turn);
  };
  scheduler.after(random.int(100, 3000), turn);
}
