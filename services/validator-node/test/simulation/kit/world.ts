import type { NetworkConfig, Plugin, ProtocolEvent, ProtocolStore, Timing } from '../../../src/ports.ts';
import { corrupt, drawHabits, type Evil } from './byzantine.ts';
import { drawChaos, good, powerCuts, storm } from './chaos.ts';
import { createFakeChain } from './fake-chain.ts';
import { createHost, type Host } from './host.ts';
import { createNetwork } from './network.ts';
import { networkConfig } from './network-config.ts';
import { prng } from './prng.ts';
import type { Coalition } from './puppet.ts';
import { createScheduler } from './scheduler.ts';
import { type ToyKeys, toyKeys } from './toy-crypto.ts';
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
  counts: Watch['counts'] & { stored: number; steps: number; healedAfter: number };
};

/** Longest time from good weather to a report: every faulty leader in a row, each with all its rounds, and what honest ones take. */
function livenessBound({ timing: t, f }: NetworkConfig): number {
  const change = t.deltaProgress + t.deltaResend + 500;
  const faultyInARow = 2 * f;
  return faultyInARow * ((t.rMax + 1) * t.deltaProgress + change) + 4 * change;
}

type TimingOf = (n: number) => Timing;

/** What a seed decides before anything runs. */
function draw(seed: number, keysOf: (n: number) => ToyKeys, timingOf?: TimingOf) {
  const random = prng(seed);
  const n = random.pick([4, 4, 4, 4, 4, 5, 7, 7, 1]);
  const f = Math.floor((n - 1) / 3);
  const keys = keysOf(n);
  const config = networkConfig(n, f, keys, random.fork('seed').bytes(16), timingOf?.(n));
  const strategies = random.int(1, 3);
  const minInterval = random.pick([5n, 5n, 5n, 14n]);
  const chaos = drawChaos(random.fork('chaos'));
  const members = Array.from({ length: n }, (_, i) => i)
    .filter(() => random.chance(0.7))
    .slice(0, random.chance(0.85) ? f : 0);
  const habits = new Map(members.map((member) => [member, drawHabits(random.fork('habits'))]));
  const who = [...habits].map(([member, habit]) => `${member}: ${JSON.stringify(habit)}`).join('\n  ');
  const about = `n ${n}, f ${f}, ${JSON.stringify(chaos)}\n  ${who}`;
  return { random, n, f, keys, config, strategies, minInterval, chaos, members, habits, about };
}

function createWorld(seed: number, mutation: Mutation, keysOf: (n: number) => ToyKeys, timingOf?: TimingOf) {
  const drawn = draw(seed, keysOf, timingOf);
  const { random, n, f, keys, config, strategies, minInterval, chaos, members, habits } = drawn;
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
  const state = { healed: false, startedBefore: new Set<string>(), reports: 0 };
  const coalition: Coalition = {
    members,
    digest: config.digest,
    n,
    f,
    quorum: config.quorum,
    rMax: config.timing.rMax,
    strategies,
    minInterval,
    limits,
    random: random.fork('coalition'),
    scheduler,
    network,
    chain,
    keys,
    cutPower: (node) => {
      if (!state.healed && chaos.crashes) hosts[node]?.crash(random.int(5, 50));
    },
  };
  const used = mutation.config?.(config) ?? config;
  const follow = (event: ProtocolEvent) => {
    if (event.type === 'round_started' && !state.healed) state.startedBefore.add(`${event.epoch}/${event.round}`);
    if (event.type !== 'round_completed' || event.outcome === 'skip') return;
    if (state.healed && !state.startedBefore.has(`${event.epoch}/${event.round}`)) state.reports += 1;
  };
  const hosts = config.oracles.map((_, index): Host => {
    const own = random.fork('host');
    const evil = habits.get(index);
    const options = { me: index, minInterval, f: used.f, chain, keys, random: own, isCalm: () => state.healed };
    const shared = {
      index,
      config: used,
      scheduler,
      network,
      chain,
      random: own,
      verifyOffchain: keys.verifyOffchain,
      keyring: keys.keyring(index),
      faults: () => (state.healed ? { crash: 0, fail: 0 } : chaos),
      downtime: () => (state.healed ? 100 : own.pick([20, 100, 400, 2000])),
    };
    if (evil)
      return createHost({
        ...shared,
        plugin: (pause) => createToyPlugin({ ...options, pause }),
        observer: () => undefined,
        change: (parts) => corrupt(coalition, index, evil, parts),
      });
    return createHost({
      ...shared,
      plugin: (pause) => watchPlugin(createToyPlugin({ ...options, pause }), index, watch),
      observer: (event) => {
        watch.event(index, event);
        follow(event);
      },
      ...(mutation.parts && { change: mutation.parts }),
      ...(mutation.store && { changeStore: mutation.store }),
    });
  });
  return { ...drawn, scheduler, watch, network, chain, state, hosts };
}

/**
 * Runs one network from one seed: some bad weather, then good, and a report must come.
 * @param timingOf - Of a network of so many oracles; the `sim` preset when left out.
 */
export async function simulate(
  seed: number,
  mutation: Mutation = {},
  keysOf: (n: number) => ToyKeys = toyKeys,
  timingOf?: TimingOf,
): Promise<Outcome> {
  const world = createWorld(seed, mutation, keysOf, timingOf);
  const { random, n, config, chaos, habits, about, scheduler, watch, network, chain, state, hosts } = world;
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
  state.healed = true;
  network.setWeather(good);
  network.setCut(() => false);
  const storedBefore = chain.stored.length;
  const bound = chaos.until + livenessBound(config);
  const done = () => check() || (state.reports > 0 && chain.stored.length > storedBefore);
  if (!failed && !(await scheduler.run({ until: done, before: bound })))
    watch.violate(`no report by ${bound} ms: ${state.reports} final, ${chain.stored.length - storedBefore} stored`);
  return {
    seed,
    violations: watch.violations,
    about,
    counts: {
      ...watch.counts,
      stored: chain.stored.length,
      steps: scheduler.steps(),
      healedAfter: scheduler.now() - chaos.until,
    },
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
    sign: async (context, report, maySign) => {
      const signature = await plugin.sign(context, report, maySign);
      if (signature) watch.signed(index, context, report, signature);
      return signature;
    },
    shouldAccept: async (context, attested) => {
      watch.finalized(index, context, attested);
      return plugin.shouldAccept(context, attested);
    },
  };
}
