import type { Prng } from './prng.ts';
import type { Scheduler } from './scheduler.ts';

type Handler = (from: number, message: Uint8Array) => void;

export type Weather = {
  delay: readonly [number, number];
  loss: number;
  duplicate: number;
  /** Chance that some old message of anybody comes again. */
  replay: number;
};

export type Network = {
  attach(node: number, handler: Handler): () => void;
  send(from: number, to: number, message: Uint8Array): void;
  /** At once and unseen by the weather: many in one moment. */
  burst(from: number, to: number, messages: readonly Uint8Array[]): void;
  setWeather(weather: Weather): void;
  /** Nothing gets from a to b while this holds; a link is cut one way. */
  setCut(isCut: (from: number, to: number) => boolean): void;
  delivered(): number;
};

const capturedMost = 300;

export function createNetwork(
  scheduler: Scheduler,
  random: Prng,
  onSent: (from: number, message: Uint8Array) => void,
): Network {
  const handlers = new Map<number, Handler>();
  const captured: { from: number; to: number; message: Uint8Array }[] = [];
  let weather: Weather = { delay: [1, 20], loss: 0, duplicate: 0, replay: 0 };
  let cut: (from: number, to: number) => boolean = () => false;
  let delivered = 0;

  const deliver = (from: number, to: number, message: Uint8Array) => {
    scheduler.after(random.int(...weather.delay), () => {
      if (cut(from, to)) return;
      delivered += 1;
      handlers.get(to)?.(from, message);
    });
  };
  return {
    attach: (node, handler) => {
      handlers.set(node, handler);
      return () => {
        if (handlers.get(node) === handler) handlers.delete(node);
      };
    },
    send: (from, to, message) => {
      onSent(from, message);
      if (captured.length < capturedMost) captured.push({ from, to, message });
      else captured[random.int(0, capturedMost - 1)] = { from, to, message };
      if (random.chance(weather.replay)) {
        const old = random.pick(captured);
        deliver(old.from, random.chance(0.5) ? old.to : to, old.message);
      }
      if (random.chance(weather.loss)) return;
      deliver(from, to, message);
      if (random.chance(weather.duplicate)) deliver(from, to, message);
    },
    burst: (from, to, messages) => {
      for (const message of messages) handlers.get(to)?.(from, message);
    },
    setWeather: (next) => {
      weather = next;
    },
    setCut: (next) => {
      cut = next;
    },
    delivered: () => delivered,
  };
}
