import type { Hex } from 'viem';
import {
  encodeMessage,
  type Message,
  type MessageLimits,
  type SignedObservation,
} from '../../../src/protocol/messages.ts';
import { attestationMessage, inputsHash, observationMessage } from '../../../src/protocol/signing.ts';
import type { FakeChain } from './fake-chain.ts';
import type { Network } from './network.ts';
import type { Prng } from './prng.ts';
import type { Scheduler } from './scheduler.ts';
import type { ToyKeys } from './toy-crypto.ts';
import { signReport, without } from './toy-plugin.ts';
import { encodeObservation, toyReport } from './toy-prices.ts';

/** What all faulty nodes of a network share: also their keys. */
export type Coalition = {
  members: readonly number[];
  digest: Hex;
  n: number;
  f: number;
  quorum: number;
  rMax: number;
  strategies: number;
  minInterval: bigint;
  limits: MessageLimits;
  random: Prng;
  scheduler: Scheduler;
  network: Network;
  chain: FakeChain;
  keys: ToyKeys;
  /** A node goes down for a moment, just when it suits them; while the weather is bad. */
  cutPower(node: number): void;
};

type Asked = { epoch: number; round: number; query: Uint8Array; collected: Map<number, SignedObservation> };
type Requested = {
  epoch: number;
  round: number;
  inputs: Uint8Array;
  observers: readonly number[];
  report: Uint8Array;
  signatures: Map<number, { signature: Uint8Array; attestation: Uint8Array }>;
};

export type Puppet = { act(epoch: number): void; hear(from: number, message: Message): void };

const remembered = 6;
const byObserver = (a: SignedObservation, b: SignedObservation) => a.observer - b.observer;

/** A leader that asks, requests and announces as it likes: differently to each, twice, out of turn, with what suits it. */
export function createPuppet(coalition: Coalition, me: number): Puppet {
  const { members, digest, n, f, quorum, rMax, strategies, minInterval, random, network, chain, keys } = coalition;
  const peers = Array.from({ length: n }, (_, i) => i).filter((i) => i !== me);
  let asked: Asked[] = [];
  let requested: Requested[] = [];
  let round = 0;
  let current = 0;
  let next: 'ask' | 'request' | 'announce' = 'ask';
  /** Of a patient leader: it goes step by step, and asks each round several times, of nodes that just lost their memory. */
  let patient = false;
  let repeating = 0;
  let patience = 0;
  const send = (to: number, message: Message) => network.send(me, to, encodeMessage(message));

  const ownObservation = (at: Asked, member: number): SignedObservation => {
    const time = chain.time();
    const bend = random.pick([100n, 103n, 97n, 99n, 101n]);
    const observation = encodeObservation(
      Array.from({ length: strategies }, (_, strategy) => ({
        strategy,
        pps: (chain.pps(strategy, time) * bend) / 100n,
        nonce: chain.stateAt(strategy, time).nonce,
        timestamp: time - BigInt(random.int(0, 3)),
        lastUpdate: 0n,
      })),
    );
    const message = observationMessage({ ...at, digest }, at.query, observation);
    return { observer: member, observation, signature: keys.signNow(member, message) };
  };

  const ask = (epoch: number) => {
    const again = repeating > 0 || (!patient && round > 0 && random.chance(0.15));
    repeating = Math.max(0, repeating - 1);
    if (!again) round += !patient && random.chance(0.05) ? random.int(2, 6) : 1;
    const variants = Array.from({ length: patient ? 1 : random.int(1, 2) }, () => random.bytes(random.int(0, 2)));
    for (const query of variants) asked.push({ epoch, round, query, collected: new Map() });
    asked = asked.slice(-remembered);
    for (const to of random.sample(peers, patient ? 1 : 0.95))
      send(to, { kind: 'observe_req', epoch, round: Math.min(round, 255), query: random.pick(variants) });
  };

  /** Some of what it has, in order; a lie of its own first. */
  const choose = (at: Asked): SignedObservation[] => {
    const own = members.map((member) => ownObservation(at, member));
    const heard = [...at.collected.values()].filter(({ observer }) => !members.includes(observer));
    const least = Math.max(0, random.chance(0.3) ? 2 * f - own.length : 2 * f + 1 - own.length);
    const dropped = random.int(0, Math.max(0, heard.length - least));
    const kept = heard.map((entry) => ({ entry, order: random.u32() })).sort((a, b) => a.order - b.order);
    const chosen = [...own, ...kept.slice(dropped).map(({ entry }) => entry)];
    return chosen.sort(byObserver);
  };
  /** 7: observers twice or out of range, or lies that others never sent. */
  const stuff = (at: Asked, observations: SignedObservation[]): SignedObservation[] => {
    const [first] = observations;
    if (!first || !random.chance(0.25)) return observations;
    if (random.chance(0.3))
      return [...observations, random.pick([first, { ...first, observer: n + 1 }])].sort(byObserver);
    const forged = (observer: number) => ({ ...ownObservation(at, members[0] ?? me), observer });
    return observations.map((entry) => (random.chance(0.5) ? forged(entry.observer) : entry));
  };

  const request = () => {
    const latest = asked.at(-1);
    const groups = asked.filter((at) => at.round === latest?.round && at.epoch === latest.epoch);
    if (groups.length === 0) return;
    const offers = Array.from({ length: random.int(1, 3) }, () => {
      const at = random.pick(groups);
      const observations = stuff(at, choose(at));
      remember(at, observations);
      return { at, observations };
    });
    for (const to of peers) {
      const { at, observations } = random.pick(offers);
      const { epoch, query } = at;
      send(to, { kind: 'report_req', epoch, round: Math.min(at.round, 255), query, observations });
    }
  };

  const remember = ({ epoch, round: of, query }: Asked, observations: readonly SignedObservation[]) => {
    const report = toyReport({ f, strategies, minInterval }, observations);
    if (!report) return;
    const inputs = inputsHash(query, observations);
    const observers = observations.map(({ observer }) => observer);
    const outcome = { inputs, observers, report };
    const signatures = new Map(
      members.map((member) => {
        // Half of the time it signs no second price, so that an honest one must be waited for.
        const whole = signReport(keys, member, report);
        const signature = random.chance(0.5) ? without(whole, (entry) => entry !== 1) : whole;
        const message = attestationMessage({ digest, epoch, round: of }, outcome, signature);
        return [member, { signature, attestation: keys.signNow(member, message) }] as const;
      }),
    );
    requested = [...requested, { epoch, round: of, inputs, observers, report, signatures }].slice(-remembered);
  };

  /** With the good name of those who did not sign. */
  const padded = (real: Requested['signatures']): Requested['signatures'] => {
    const [any] = real.values();
    return new Map(any ? [...peers.map((peer) => [peer, any] as const), ...real] : real);
  };

  const announce = () => {
    for (const { signatures: real, ...outcome } of requested) {
      const all = random.chance(0.1) ? padded(real) : real;
      if (all.size < quorum) continue;
      const most = random.pick([quorum, quorum, all.size]);
      const isHiding = random.chance(0.2);
      const hidden = () => {
        const kept = Array.from({ length: strategies }, () => random.chance(0.7));
        return (entry: number) => kept[entry] === true;
      };
      const signatures = [...all]
        .map(([signer, { signature, attestation }]) => ({
          signer,
          attestation,
          // As if some had refused a price.
          signature: isHiding ? without(signature, hidden()) : signature,
        }))
        .sort((a, b) => a.signer - b.signer)
        .slice(0, most);
      const kind = random.chance(0.8) ? ('final' as const) : ('final_echo' as const);
      // An old outcome as that of this round, now and then.
      const now = random.chance(0.2) ? { epoch: current, round: Math.max(1, Math.min(round, 255)) } : {};
      for (const to of random.sample(peers, 0.5)) send(to, { kind, ...outcome, ...now, signatures });
    }
    if (!patient && !random.chance(0.5)) return;
    // A node that has just signed wakes up and is asked for the same round again.
    for (const node of random.sample(peers, 0.7)) coalition.cutPower(node);
    if (repeating === 0 && random.chance(0.8)) repeating = 2;
  };

  /** Whether what it asked for has come. */
  const isReady = (): boolean => {
    const enough = 2 * f + 1 - members.length;
    if (next === 'request') return asked.some((at) => at.round === round && at.collected.size >= enough);
    if (next === 'announce') return requested.some((at) => at.round === round && at.signatures.size >= quorum);
    return true;
  };

  return {
    act: (epoch) => {
      if (epoch !== current) {
        current = epoch;
        round = 0;
        repeating = 0;
        patient = random.chance(0.5);
        next = 'ask';
      }
      if (patience > 0 && !isReady()) {
        patience -= 1;
        return;
      }
      patience = random.int(0, patient ? 20 : 5);
      if (next === 'ask') ask(epoch);
      else if (next === 'request') request();
      else announce();
      const follow = { ask: 'request', request: 'announce', announce: 'ask' } as const;
      if (round <= rMax + 1 || random.chance(0.2))
        next = patient || random.chance(0.75) ? follow[next] : random.pick(['ask', 'request', 'announce'] as const);
    },
    hear: (from, message) => {
      if (message.kind === 'observe')
        for (const at of asked) {
          if (at.epoch !== message.epoch || at.round !== message.round) continue;
          const said = observationMessage({ ...at, digest }, at.query, message.observation);
          if (!keys.verifyOffchain(message.signature, said, keys.publicKeys[from] as Uint8Array)) continue;
          at.collected.set(from, { observer: from, observation: message.observation, signature: message.signature });
        }
      if (message.kind === 'report' && message.signed)
        for (const at of requested) {
          if (at.epoch !== message.epoch || at.round !== message.round) continue;
          const { signature, attestation } = message.signed;
          const said = attestationMessage({ ...at, digest }, at, signature);
          if (keys.verifyOffchain(attestation, said, keys.publicKeys[from] as Uint8Array))
            at.signatures.set(from, { signature, attestation });
        }
    },
  };
}
