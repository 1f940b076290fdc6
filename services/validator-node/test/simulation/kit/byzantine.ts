import type { AttributedObservation, Plugin, ProtocolEvent, Transport } from '../../../src/ports.ts';
import { decodeMessage, encodeMessage, type Message } from '../../../src/protocol/messages.ts';
import type { Prng } from './prng.ts';
import { type Coalition, createPuppet } from './puppet.ts';
import { signedPrices } from './toy-plugin.ts';
import { decodeObservation, decodeReport, encodeObservation, encodeReport } from './toy-prices.ts';

/** What a faulty node does; drawn from the seed. Numbers are the adversarial cases of the test plan. */
export type Habits = {
  /** 1: says nothing as a leader, or stops; 4: hides finals; 2, 3, 5, 7: a script of its own. */
  leads: 'honestly' | 'silently' | 'until_tired' | 'hiding_finals' | 'by_script';
  /** 6: acts as a leader when it is none. */
  poses: boolean;
  /** 8: chance that a byte of a message it sends is wrong. */
  corrupts: number;
  /** 8: vouches for its reports to the oracles, with signatures that are no good to the contract. */
  forges: boolean;
  /** 10 */
  shouts: boolean;
  /** 11 */
  lies: boolean;
  /** 13: brings what others signed to the chain first, or a part of it. */
  frontRuns: boolean;
  /** 22 */
  floods: boolean;
  /** 23: repeats what it heard, from everybody, as its own. */
  repeats: boolean;
  /** 26: computes another report from the same observations. */
  miscounts: boolean;
};

export const drawHabits = (random: Prng): Habits => ({
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

export type Evil = {
  transport: Transport;
  plugin: Plugin;
  observer: (event: ProtocolEvent) => void;
};

const capturedMost = 40;

/** Makes a faulty node out of an honest one: it goes through the motions, and what it says is changed on the way out. */
export function corrupt(coalition: Coalition, me: number, habits: Habits, honest: Evil): Evil {
  const { random, scheduler, n, limits, network } = coalition;
  const puppet = createPuppet(coalition, me);
  const captured: Uint8Array[] = [];
  let epoch = 1;
  let leads = false;
  let led = 0;
  const peers = Array.from({ length: n }, (_, i) => i).filter((i) => i !== me);

  const spoil = (bytes: Uint8Array): Uint8Array => {
    if (!random.chance(habits.corrupts)) return bytes;
    const copy = bytes.slice();
    const at = random.int(0, copy.length - 1);
    copy[at] = (copy[at] ?? 0) ^ (1 << random.int(0, 7));
    return copy;
  };
  const asLeader = (message: Message): boolean =>
    message.kind === 'observe_req' || message.kind === 'report_req' || message.kind === 'final';
  const receivers = (message: Message): number[] => {
    if (!asLeader(message)) return peers;
    if (habits.leads === 'silently' || habits.leads === 'by_script') return [];
    if (habits.leads === 'until_tired' && message.kind === 'observe_req') led += 1;
    if (habits.leads === 'until_tired' && led > 2) return [];
    return habits.leads === 'hiding_finals' && message.kind === 'final' ? [random.pick(peers)] : peers;
  };

  const mischief = () => {
    scheduler.after(random.int(30, 110), mischief);
    if (habits.leads === 'by_script' && leads) puppet.act(epoch);
    else if (habits.poses && random.chance(0.3)) puppet.act(epoch + random.int(0, 1));
    const say = (bytes: Uint8Array) => network.send(me, random.pick(peers), bytes);
    if (habits.shouts && random.chance(0.2))
      say(encodeMessage({ kind: 'wish', epoch: epoch + random.int(1, 2 ** 31) }));
    if (habits.repeats && captured.length > 0 && random.chance(0.3)) say(spoil(random.pick(captured)));
    if (habits.floods && random.chance(0.1)) flood(random.pick(peers));
  };
  const flood = (to: number) => {
    const garbage = () => random.bytes(random.int(0, 80));
    const oversized = () => new Uint8Array(10_000);
    const bent = () => (captured.length > 0 ? spoil(random.pick(captured)) : garbage());
    network.burst(
      me,
      to,
      Array.from({ length: 60 }, () => random.pick([garbage, oversized, bent])()),
    );
  };
  const hear = (from: number, bytes: Uint8Array) => {
    if (captured.length < capturedMost) captured.push(bytes);
    else captured[random.int(0, capturedMost - 1)] = bytes;
    try {
      const message = decodeMessage(bytes, limits);
      puppet.hear(from, message);
      if (habits.frontRuns && message.kind === 'final')
        coalition.chain.update(random.sample(signedPrices(message), 0.7));
    } catch {
      // Another faulty node's garbage.
      return;
    }
  };

  return {
    transport: {
      start: (handler) => {
        honest.transport.start((from, bytes) => {
          hear(from, bytes);
          handler(from, bytes);
        });
        mischief();
      },
      send: (to, bytes) => honest.transport.send(to, spoil(bytes)),
      broadcast: (bytes) => {
        for (const to of receivers(decodeMessage(bytes, limits))) honest.transport.send(to, spoil(bytes));
      },
      close: honest.transport.close,
    },
    plugin: {
      ...honest.plugin,
      observation: async (context, query) => {
        const observation = await honest.plugin.observation(context, query);
        return habits.lies ? lie(coalition, observation) : observation;
      },
      sign: async (context, report, maySign) => {
        const signature = await honest.plugin.sign(context, report, maySign);
        return signature && habits.forges ? signature.map((byte) => byte ^ 255) : signature;
      },
      verify: async (report, signature, signer) =>
        (habits.forges && signer === me) || (await honest.plugin.verify(report, signature, signer)),
      report: (query, observations: readonly AttributedObservation[]) => {
        const report = honest.plugin.report(query, observations);
        if (!report || !habits.miscounts) return report;
        return encodeReport(decodeReport(report).map((price) => ({ ...price, pps: price.pps + 1n })));
      },
    },
    observer: (event) => {
      if (event.type !== 'epoch_changed' && event.type !== 'started') return;
      ({ epoch } = event);
      leads = event.leader === me;
      led = 0;
    },
  };
}

/** Values that a median must withstand: nothing, far too much, a little too much, another nonce, another time. */
export function lie({ random, strategies }: Coalition, observation: Uint8Array): Uint8Array {
  const entries = decodeObservation(observation, strategies) ?? [];
  return encodeObservation(
    entries.map((entry) => {
      const { pps, nonce, timestamp } = entry;
      const prices = [1n, 2n ** 62n, (pps * 103n) / 100n, (pps * 97n) / 100n, 0n];
      return {
        ...entry,
        pps: random.pick(prices),
        nonce: random.pick([nonce, nonce + 1n, nonce + 1_000n, 0n]),
        timestamp: random.pick([timestamp, timestamp + 3n, timestamp + 10n ** 9n, 1n]),
        lastUpdate: random.pick([entry.lastUpdate, 0n, timestamp]),
      };
    }),
  );
}
