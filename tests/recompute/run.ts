import type { Asked } from './answer-parts.ts';
import type { Answer, Api } from './api.ts';
import { type ChainRecord, recordAt } from './chain-record.ts';
import { compare, type Difference, emptyVerdict, type Verdict } from './coverage.ts';
import { expectations } from './expectations.ts';
import type { Moment } from './moments.ts';
import { observationsOf, termsNow } from './prices.ts';
import { broken } from './properties.ts';
import { wrongReceipts } from './receipts.ts';
import { type Read, readsOf } from './routes.ts';
import type { Rpc } from './rpc.ts';
import { type State, stateAt } from './state.ts';
import { secondsOf } from './time.ts';
import { upkeepBalance } from './upkeep.ts';

/** A difference, and where it was found. */
export type Finding = Difference & { read: string; vault: string; block: bigint };

export type Tally = { compared: number; unruled: Map<string, number>; receipts: number; findings: Finding[] };
export type Report = Map<string, Tally>;

export const tallyOf = (report: Report, read: string): Tally => {
  const found = report.get(read) ?? { compared: 0, unruled: new Map(), receipts: 0, findings: [] };
  report.set(read, found);
  return found;
};

export function addTo(
  tally: Tally,
  verdict: Verdict,
  more: readonly Difference[],
  at: Omit<Finding, keyof Difference>,
) {
  tally.compared += verdict.compared;
  for (const [path, count] of verdict.unruled) tally.unruled.set(path, (tally.unruled.get(path) ?? 0) + count);
  tally.findings.push(...[...verdict.differences, ...more].map((difference) => ({ ...difference, ...at })));
}

export type Checking = {
  api: Api;
  rpc: Rpc;
  /** Everything about each vault up to the newest block, read once. */
  records: ReadonlyMap<string, ChainRecord>;
  timeOf(block: bigint): bigint;
  blockAt(time: bigint): bigint;
  /** Whether the printed formulas are evaluated as well. */
  receipts: boolean;
};

const analytics = (vault: string, path: string) => `vaults/31337/${vault}/analytics/${path}`;

/** State at the block of an observation that the product shows; null when the node has forgotten it. */
async function observedAt(checking: Checking, record: ChainRecord, t: string): Promise<State | null> {
  const time = secondsOf(t);
  const block = checking.blockAt(time);
  return stateAt(checking.rpc, record, block, time).catch(() => null);
}

/** What logs say is known up to the moment itself, later than the observation. */
const afterLogs = (record: ChainRecord, state: State): State => ({
  ...state,
  pps: termsNow(record).pps,
  lastUpdate: observationsOf(record).at(-1)?.time ?? state.lastUpdate,
  upkeep: upkeepBalance(record),
});

/** State of the newest observation before the moment, and of the first and the middle one of all before it. */
async function observedStates(
  checking: Checking,
  record: ChainRecord,
  allocation: Answer,
): Promise<Pick<Asked, 'state' | 'states'>> {
  const times = (allocation.points as { t: string }[]).map(({ t }) => t);
  const newest = times.at(-1);
  if (newest === undefined) return { state: null };
  const states = new Map<string, State>();
  for (const t of new Set([newest, times[0] as string, times[times.length >> 1] as string])) {
    const state = await observedAt(checking, record, t);
    if (state) states.set(t, state);
  }
  const last = states.get(newest);
  return { state: last ? afterLogs(record, last) : 'forgotten', states };
}

/** What is left when the parts that are checked by their properties are taken away. */
const figuresOf = ({ quality: _, receipts: __, ...figures }: Answer): Answer => figures;

/** Asks every read of one moment and holds each answer against the chain. */
export async function checkMoment(checking: Checking, moment: Moment, report: Report): Promise<void> {
  const { vault, block, index } = moment;
  const whole = checking.records.get(vault);
  if (!whole) throw new Error(`No record of ${vault}.`);
  const record = recordAt(whole, block, checking.timeOf(block));
  const ask = ({ path, query }: Read) =>
    checking.api.get(analytics(vault, path), {
      block: `${block}`,
      ...query,
      ...(checking.receipts ? { receipt: 'true' } : {}),
    });
  const allocation = await checking.api.get(analytics(vault, 'allocation'), {
    block: `${block}`,
    period: 'all',
    points: '2000',
  });
  const observed = await observedStates(checking, record, allocation);
  for (const read of readsOf(index)) {
    const answer = await ask(read);
    const expected = expectations[read.path]?.({ record, query: read.query, answer, ...observed });
    if (!expected) throw new Error(`Nothing is expected of ${read.path}.`);
    const verdict = compare(figuresOf(answer), expected, emptyVerdict());
    const tally = tallyOf(report, read.path);
    const receipts = wrongReceipts(answer);
    tally.receipts += receipts.evaluated;
    for (const [formula, count] of receipts.unknown)
      tally.unruled.set(formula, (tally.unruled.get(formula) ?? 0) + count);
    addTo(tally, verdict, [...broken(answer), ...receipts.differences], {
      read: `${read.path}?${new URLSearchParams(read.query)}`,
      vault,
      block,
    });
  }
}
