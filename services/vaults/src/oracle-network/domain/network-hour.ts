import { addSpans, apartPpb, noSpans, type Spans, spansOf, spreadPpb } from './spans.ts';
import type { MarkDocument, RoundDocument, TransactionDocument } from './validator-network.ts';

/** An hour in milliseconds; hours are those of UTC. */
export const HOUR_MS = 3_600_000;

/** A node of a configuration. `key` is its signer in lower case: that stays when its place changes. */
export type Member = {
  key: string;
  index: number;
  node_id: string | null;
  signer: string;
  transmitter: string;
};

/** What was sent on one chain; `fee` and `gas` as decimal strings, of those whose receipt is known. */
export type SentHour = {
  chain_id: number;
  transactions: number;
  stored: number;
  failed: number;
  not_needed: number;
  with_receipt: number;
  gas: string;
  fee: string;
};

type Part = { observed: number; signed: number };

/** One node within the hour; `late` and `dropped`: what its leader did not use. */
export type NodeHour = Member &
  Part & {
    rounds: number;
    reports: number;
    led: number;
    late: number;
    dropped: number;
    lag_ms: Spans;
    deviation_ppb: Spans;
    sent: SentHour[];
  };

/** One vault within the hour; stored times in milliseconds. */
export type VaultHour = {
  /** `<chain_id>:<strategy>`, lower case. */
  key: string;
  prices: number;
  observers: Spans;
  signers: Spans;
  spread_ppb: Spans;
  round_ms: Spans;
  /** Of the rounds that priced it, by the node's key. */
  nodes: (Part & { key: string })[];
  stored: number;
  refused: number;
  not_needed: number;
  delay_ms: Spans;
  first_stored: number | null;
  last_stored: number | null;
  longest_gap_ms: number | null;
  late: number;
  sent: SentHour[];
};

/** An hour of the oracle network, as rounds, transactions and prices of it add up. */
export type NetworkHour = {
  rounds: number;
  reports: number;
  lost: number;
  round_ms: Spans;
  nodes: NodeHour[];
  vaults: VaultHour[];
};

/** A price that was sent; times in milliseconds. */
export type SentPrice = { key: string; status: string; at: number; reportedFor: number };

/** What an hour is added up of. */
export type HourFacts = {
  /** Of the hour, in milliseconds: what began before it is of another. */
  from: number;
  rounds: readonly RoundDocument[];
  /** Rounds that began within the hour, or soon before it. */
  marks: readonly MarkDocument[];
  /** Ids of rounds that ended, within the hour or soon after it. */
  finished: ReadonlySet<string>;
  /** That ended within the hour. */
  transactions: readonly TransactionDocument[];
  prices: readonly SentPrice[];
  membersOf: (digest: string) => readonly Member[];
  /** Milliseconds between two stored prices of a strategy that are no delay; null while its rules are not known. */
  paceOf: (key: string) => number | null;
};

const byKey = <T extends { key: string }>(items: readonly T[]): Map<string, T> =>
  new Map(items.map((item) => [item.key, item]));

/** Items of the same key become one; `join` puts two together. */
function joined<T extends { key: string }>(all: readonly T[], join: (left: T, right: T) => T): T[] {
  const found = new Map<string, T>();
  for (const item of all) {
    const before = found.get(item.key);
    found.set(item.key, before ? join(before, item) : item);
  }
  return [...found.values()];
}

/** Sums by chain. */
export const addSent = (all: readonly SentHour[]): SentHour[] =>
  joined(
    all.map((sent) => ({ ...sent, key: String(sent.chain_id) })),
    (left, right) => ({
      ...left,
      transactions: left.transactions + right.transactions,
      stored: left.stored + right.stored,
      failed: left.failed + right.failed,
      not_needed: left.not_needed + right.not_needed,
      with_receipt: left.with_receipt + right.with_receipt,
      gas: String(BigInt(left.gas) + BigInt(right.gas)),
      fee: String(BigInt(left.fee) + BigInt(right.fee)),
    }),
  ).map(({ key: _key, ...sent }) => sent);

const sentOf = ({ chain_id, state, gas_used, fee }: TransactionDocument): SentHour => ({
  chain_id,
  transactions: 1,
  stored: state === 'stored' ? 1 : 0,
  failed: state === 'failed' ? 1 : 0,
  not_needed: state === 'not_needed' ? 1 : 0,
  with_receipt: fee === undefined ? 0 : 1,
  gas: gas_used ?? '0',
  fee: fee ?? '0',
});

/** From the leader's beginning to the first node that knew the end; null where the beginning was not recorded. */
function durationOf(round: RoundDocument, mark: MarkDocument | undefined): number | null {
  const ended = Object.values(round.reports ?? {}).map((at) => at.getTime());
  if (!mark || ended.length === 0) return null;
  const took = Math.min(...ended) - mark.started_at.getTime();
  // Clocks of two machines: what ended before it began says nothing.
  return took < 0 ? null : took;
}

/** How much later than the first node this one knew the end of a round; null where it did not say. */
function lagOf({ reports = {} }: RoundDocument, index: number): number | null {
  const own = reports[String(index)]?.getTime();
  return own === undefined ? null : own - Math.min(...Object.values(reports).map((at) => at.getTime()));
}

const known = (values: readonly (number | null)[]): number[] =>
  values.filter((value): value is number => value !== null);

function deviationsOf({ prices }: RoundDocument, index: number): number[] {
  return known(
    prices.flatMap(({ pps, observed = [] }) =>
      observed
        .filter(({ observer }) => observer === index)
        .map((own) => (pps ? apartPpb(BigInt(own.pps), BigInt(pps), BigInt(pps)) : null)),
    ),
  );
}

function nodeOf(member: Member, rounds: readonly RoundDocument[], marks: readonly MarkDocument[]): NodeHour {
  const dropped = marks.flatMap((mark) => mark.dropped ?? []).filter(({ observer }) => observer === member.index);
  const late = dropped.filter(({ reason }) => reason === 'late').length;
  const { index } = member;
  return {
    ...member,
    rounds: rounds.length,
    observed: rounds.filter(({ observers }) => observers.includes(index)).length,
    reports: rounds.filter(({ outcome }) => outcome === 'report').length,
    signed: rounds.filter(({ signers }) => signers.includes(index)).length,
    led: rounds.filter(({ leader }) => leader === index).length,
    late,
    dropped: dropped.length - late,
    lag_ms: spansOf(known(rounds.map((round) => lagOf(round, index)))),
    deviation_ppb: spansOf(rounds.flatMap((round) => deviationsOf(round, index))),
    sent: [],
  };
}

const digestOf = (id: string): string => id.split(':')[0] ?? '';

function nodesOf({ from, rounds, marks: all, transactions, membersOf }: HourFacts): NodeHour[] {
  const marks = all.filter(({ started_at }) => started_at.getTime() >= from);
  const digests = new Set([
    ...rounds.map(({ digest }) => digest),
    ...marks.map(({ _id }) => digestOf(_id)),
    ...transactions.map(({ digest }) => digest),
  ]);
  const nodes = [...digests].flatMap((digest) => {
    const own = rounds.filter((round) => round.digest === digest);
    const ownMarks = marks.filter(({ _id }) => digestOf(_id) === digest);
    const sent = transactions.filter((transaction) => transaction.digest === digest);
    return membersOf(digest).map((member) => ({
      ...nodeOf(member, own, ownMarks),
      sent: addSent(
        sent.filter(({ transmitter }) => transmitter.toLowerCase() === member.transmitter.toLowerCase()).map(sentOf),
      ),
    }));
  });
  return joined(nodes, addNodes);
}

const addNodes = (left: NodeHour, right: NodeHour): NodeHour => ({
  // The later one says how it is called now.
  ...right,
  node_id: right.node_id ?? left.node_id,
  rounds: left.rounds + right.rounds,
  observed: left.observed + right.observed,
  reports: left.reports + right.reports,
  signed: left.signed + right.signed,
  led: left.led + right.led,
  late: left.late + right.late,
  dropped: left.dropped + right.dropped,
  lag_ms: addSpans(left.lag_ms, right.lag_ms),
  deviation_ppb: addSpans(left.deviation_ppb, right.deviation_ppb),
  sent: addSent([...left.sent, ...right.sent]),
});

const spreadOf = ({ prices }: RoundDocument, key: string): number | null => {
  const price = prices.find((one) => `${one.chain_id}:${one.strategy_address.toLowerCase()}` === key);
  if (!price?.pps) return null;
  return spreadPpb(
    (price.observed ?? []).map(({ pps }) => BigInt(pps)),
    BigInt(price.pps),
  );
};

function partsOf(rounds: readonly RoundDocument[], membersOf: HourFacts['membersOf']): VaultHour['nodes'] {
  const parts = rounds.flatMap(({ digest, observers, signers }) =>
    membersOf(digest).map(({ key, index }) => ({
      key,
      observed: observers.includes(index) ? 1 : 0,
      signed: signers.includes(index) ? 1 : 0,
    })),
  );
  return joined(parts, addParts);
}

const addParts = (left: VaultHour['nodes'][number], right: VaultHour['nodes'][number]) => ({
  key: left.key,
  observed: left.observed + right.observed,
  signed: left.signed + right.signed,
});

/** Times between stored prices: the longest, and how many are longer than the pace. */
function gapsOf(stored: readonly number[], paceMs: number | null) {
  const gaps = stored.slice(1).map((at, place) => at - (stored[place] ?? at));
  return {
    first_stored: stored[0] ?? null,
    last_stored: stored.at(-1) ?? null,
    longest_gap_ms: gaps.length === 0 ? null : Math.max(...gaps),
    late: paceMs === null ? 0 : gaps.filter((gap) => gap > paceMs).length,
  };
}

function vaultOf(key: string, facts: HourFacts, durations: ReadonlyMap<string, number | null>): VaultHour {
  const rounds = facts.rounds.filter(({ strategies }) => strategies.includes(key));
  const prices = facts.prices.filter((price) => price.key === key);
  const stored = prices.filter(({ status }) => status === 'success').sort((a, b) => a.at - b.at);
  const notNeeded = prices.filter(({ status }) => status === 'superseded' || status === 'skipped').length;
  const sent = facts.transactions.filter(({ chain_id, strategies }) =>
    strategies.some((strategy) => `${chain_id}:${strategy.toLowerCase()}` === key),
  );
  return {
    key,
    prices: rounds.length,
    observers: spansOf(rounds.map(({ observers }) => observers.length)),
    signers: spansOf(rounds.map(({ signers }) => signers.length)),
    spread_ppb: spansOf(known(rounds.map((round) => spreadOf(round, key)))),
    round_ms: spansOf(known(rounds.map(({ _id }) => durations.get(_id) ?? null))),
    nodes: partsOf(rounds, facts.membersOf),
    stored: stored.length,
    refused: prices.length - stored.length - notNeeded,
    not_needed: notNeeded,
    // A chain whose clock is ahead of the node's: what is stored before its time says nothing.
    delay_ms: spansOf(stored.map(({ at, reportedFor }) => at - reportedFor).filter((delay) => delay >= 0)),
    ...gapsOf(
      stored.map(({ at }) => at),
      facts.paceOf(key),
    ),
    sent: addSent(sent.map(sentOf)),
  };
}

/** What the rounds of an hour, or of a part of it, come to. */
export function foldHour(facts: HourFacts): NetworkHour {
  const { from, rounds, marks, finished } = facts;
  const marked = new Map(marks.map((mark) => [mark._id, mark]));
  const durations = new Map(rounds.map((round) => [round._id, durationOf(round, marked.get(round._id))]));
  const keys = new Set([
    ...rounds.flatMap(({ strategies }) => strategies),
    ...facts.prices.map(({ key }) => key),
    ...facts.transactions.flatMap(({ chain_id, strategies }) =>
      strategies.map((strategy) => `${chain_id}:${strategy.toLowerCase()}`),
    ),
  ]);
  return {
    rounds: rounds.length,
    reports: rounds.filter(({ outcome }) => outcome === 'report').length,
    lost: marks.filter(({ _id, started_at }) => started_at.getTime() >= from && !finished.has(_id)).length,
    round_ms: spansOf(known([...durations.values()])),
    nodes: nodesOf(facts),
    vaults: [...keys].sort().map((key) => vaultOf(key, facts, durations)),
  };
}

const later = (left: number | null, right: number | null): number | null =>
  left === null ? right : right === null ? left : Math.max(left, right);

/** Two stretches of one vault, the earlier first: the time between them is a gap, too. */
const addVaults =
  (paceOf: HourFacts['paceOf']) =>
  (left: VaultHour, right: VaultHour): VaultHour => {
    const between =
      left.last_stored === null || right.first_stored === null ? null : right.first_stored - left.last_stored;
    const pace = paceOf(left.key);
    return {
      key: left.key,
      prices: left.prices + right.prices,
      observers: addSpans(left.observers, right.observers),
      signers: addSpans(left.signers, right.signers),
      spread_ppb: addSpans(left.spread_ppb, right.spread_ppb),
      round_ms: addSpans(left.round_ms, right.round_ms),
      nodes: joined([...left.nodes, ...right.nodes], addParts),
      stored: left.stored + right.stored,
      refused: left.refused + right.refused,
      not_needed: left.not_needed + right.not_needed,
      delay_ms: addSpans(left.delay_ms, right.delay_ms),
      first_stored: left.first_stored ?? right.first_stored,
      last_stored: right.last_stored ?? left.last_stored,
      longest_gap_ms: later(later(left.longest_gap_ms, right.longest_gap_ms), between),
      late: left.late + right.late + (between !== null && pace !== null && between > pace ? 1 : 0),
      sent: addSent([...left.sent, ...right.sent]),
    };
  };

/** Hours as one, in the order of time. */
export const addHours = (hours: readonly NetworkHour[], paceOf: HourFacts['paceOf']): NetworkHour => ({
  rounds: hours.reduce((sum, { rounds }) => sum + rounds, 0),
  reports: hours.reduce((sum, { reports }) => sum + reports, 0),
  lost: hours.reduce((sum, { lost }) => sum + lost, 0),
  round_ms: hours.map((hour) => hour.round_ms).reduce(addSpans, noSpans),
  nodes: joined(
    hours.flatMap(({ nodes }) => nodes),
    addNodes,
  ),
  vaults: joined(
    hours.flatMap(({ vaults }) => vaults),
    addVaults(paceOf),
  ),
});

/** The part of a node in the rounds that priced a vault. */
export function partIn(vault: VaultHour | undefined, key: string): Part & { rounds: number } {
  const part = vault && byKey(vault.nodes).get(key);
  return { rounds: vault?.prices ?? 0, observed: part?.observed ?? 0, signed: part?.signed ?? 0 };
}
