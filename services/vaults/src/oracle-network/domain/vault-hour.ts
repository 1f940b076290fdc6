import type { HourFacts } from './hour-facts.ts';
import { joined } from './joined.ts';
import { addSent, isSentBy, type SentHour, sentOf } from './sent-hour.ts';
import { addSpans, known, type Spans, spansOf, spreadPpb } from './spans.ts';
import type { MarkDocument, RoundDocument, TransactionDocument } from './validator-network.ts';

/** How often a node took part. */
export type Part = { observed: number; signed: number };

/** What one node did for one vault alone: observations that its leader did not use, and what it sent with a price of it. */
export type OwnPart = { key: string; late: number; dropped: number; sent: SentHour[] };

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
  /** Nodes that have any; hours of a former version do not say. */
  own?: OwnPart[];
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

const addOwn = (left: OwnPart, right: OwnPart): OwnPart => ({
  key: left.key,
  late: left.late + right.late,
  dropped: left.dropped + right.dropped,
  sent: addSent([...left.sent, ...right.sent]),
});

/** @param rounds - Those that priced the vault. @param transactions - Those that carried a price of it. */
function ownOf(
  rounds: readonly RoundDocument[],
  transactions: readonly TransactionDocument[],
  marked: ReadonlyMap<string, MarkDocument>,
  membersOf: HourFacts['membersOf'],
): OwnPart[] {
  const dropped = rounds.flatMap(({ _id, digest }) =>
    (marked.get(_id)?.dropped ?? []).flatMap(({ observer, reason }) =>
      membersOf(digest)
        .filter(({ index }) => index === observer)
        .map(({ key }) => ({ key, late: reason === 'late' ? 1 : 0, dropped: reason === 'late' ? 0 : 1, sent: [] })),
    ),
  );
  const sent = transactions.flatMap((transaction) =>
    membersOf(transaction.digest)
      .filter((member) => isSentBy(member, transaction))
      .map(({ key }) => ({ key, late: 0, dropped: 0, sent: [sentOf(transaction)] })),
  );
  return joined([...dropped, ...sent], addOwn);
}

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

/** One vault of an hour. @param durations - Milliseconds that each round took, by its id. @param marked - Marks by the round's id. */
export function vaultOf(
  key: string,
  facts: HourFacts,
  durations: ReadonlyMap<string, number | null>,
  marked: ReadonlyMap<string, MarkDocument>,
): VaultHour {
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
    own: ownOf(rounds, sent, marked, facts.membersOf),
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

const later = (left: number | null, right: number | null): number | null =>
  left === null ? right : right === null ? left : Math.max(left, right);

/** Two stretches of one vault, the earlier first: the time between them is a gap, too. */
export const addVaults =
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
      ...(left.own && right.own && { own: joined([...left.own, ...right.own], addOwn) }),
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

/** The part of a node in the rounds that priced a vault. */
export function partIn(vault: VaultHour | undefined, key: string): Part & { rounds: number } {
  const part = vault?.nodes.find((node) => node.key === key);
  return { rounds: vault?.prices ?? 0, observed: part?.observed ?? 0, signed: part?.signed ?? 0 };
}

/** What nodes did for a vault alone: of one node, or of all. Null where that was not recorded. */
export function ownIn(vault: VaultHour | undefined, key: string | undefined): Omit<OwnPart, 'key'> | null {
  if (vault && !vault.own) return null;
  const own = (vault?.own ?? []).filter((part) => key === undefined || part.key === key);
  return own.reduce<OwnPart>(addOwn, { key: '', late: 0, dropped: 0, sent: [] });
}
