import type { HourFacts, Member } from './hour-facts.ts';
import { joined } from './joined.ts';
import { addBalances, addSent, type BalanceHour, balanceOf, isSentBy, type SentHour, sentOf } from './sent-hour.ts';
import { addSpans, apartPpb, known, noSpans, type Spans, spansOf } from './spans.ts';
import type { MarkDocument, RoundDocument } from './validator-network.ts';
import { addVaults, type Part, type VaultHour, vaultOf } from './vault-hour.ts';

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
    /** Of its account after the last transaction on each chain; hours of a former version do not say. */
    balances?: BalanceHour[];
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
    return membersOf(digest).map((member) => {
      const bySelf = sent.filter((transaction) => isSentBy(member, transaction));
      return {
        ...nodeOf(member, own, ownMarks),
        sent: addSent(bySelf.map(sentOf)),
        balances: addBalances(bySelf.flatMap(balanceOf)),
      };
    });
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
  balances: addBalances([...(left.balances ?? []), ...(right.balances ?? [])]),
});

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
    vaults: [...keys].sort().map((key) => vaultOf(key, facts, durations, marked)),
  };
}

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
