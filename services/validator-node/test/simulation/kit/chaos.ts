import type { Host } from './host.ts';
import type { Network, Weather } from './network.ts';
import type { Prng } from './prng.ts';
import type { Scheduler } from './scheduler.ts';

export type Chaos = {
  until: number;
  weather: Weather;
  crash: number;
  fail: number;
  partitions: boolean;
  crashes: boolean;
};

export const drawChaos = (random: Prng): Chaos => ({
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

export const good: Weather = { delay: [1, 20], loss: 0, duplicate: 0, replay: 0 };

/** 16, 17: halves that do not hear each other, nodes nobody hears, links that work one way. */
export function storm(chaos: Chaos, random: Prng, n: number, network: Network, scheduler: Scheduler): void {
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
export function powerCuts(chaos: Chaos, random: Prng, hosts: readonly Host[], scheduler: Scheduler): void {
  const turn = () => {
    if (scheduler.now() >= chaos.until) return;
    for (const host of random.chance(0.1) ? hosts : [random.pick(hosts)]) host.crash();
    scheduler.after(random.int(100, 3000), turn);
  };
  scheduler.after(random.int(100, 3000), turn);
}
