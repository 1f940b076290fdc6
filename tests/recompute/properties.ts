import type { Answer } from './api.ts';
import type { Difference } from './coverage.ts';

const isTree = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function leaves(value: unknown, path = ''): [string, unknown][] {
  if (!isTree(value)) return [[path, value]];
  return Object.entries(value).flatMap(([key, part]) => leaves(part, path ? `${path}.${key}` : key));
}

/** Rows of lists say what happened: a field that an event does not have is null and no figure. */
const noFigures = [
  /^(fees|transactions)\.\d+\./,
  /^episodes\.\d+\.recovered$/,
  /^(next_cursor|period|sharpe_note|level)$/,
  /^slippage\.max_tx_hash$/,
  /^holders\.\d+\.last_active$/,
];

/** A null has an entry in `quality`, of itself or of the part that it is in. */
function unexplainedNulls(answer: Answer): Difference[] {
  const { quality, receipts: _, ...figures } = answer as { quality: Record<string, unknown>; receipts?: unknown };
  const known = Object.keys(quality);
  const isExplained = (path: string) =>
    known.some((entry) => entry === path || entry.startsWith(`${path}.`) || path.startsWith(`${entry}.`));
  return leaves(figures)
    .filter(([path, value]) => value === null && !noFigures.some((pattern) => pattern.test(path)) && !isExplained(path))
    .map(([path]) => ({ path: `quality of ${path}`, actual: 'none', expected: 'an entry for the null' }));
}

/** Whatever is named insufficient is null. */
function insufficientValues(answer: Answer): Difference[] {
  const values = new Map(leaves(answer));
  return Object.entries(answer.quality as Record<string, { status: string }>)
    .filter(([path, { status }]) => status === 'insufficient' && (values.get(path) ?? null) !== null)
    .map(([path]) => ({ path: `quality of ${path}`, actual: values.get(path), expected: null }));
}

type Bridge = { start: number; new_kept: number; reactivated: number; churned: number; end: number };

const identity = ({ start, new_kept, reactivated, churned, end }: Bridge) =>
  start + new_kept + reactivated - churned === end;

type Split = Record<'flow' | 'yield' | 'fees' | 'price' | 'total', number | null>;

/** The parts are doubles that were rounded by themselves: they add up within the last digits of the largest. */
const addsUp = ({ flow, yield: earned, price, fees, total }: Split): boolean => {
  const parts = [flow, earned, price, fees];
  if (total === null || parts.includes(null)) return total === null && parts.every((part) => part === null);
  const sum = parts.reduce<number>((whole, part) => whole + (part ?? 0), 0);
  return Math.abs(sum - total) <= 1e-14 * Math.max(...parts.map((part) => Math.abs(part ?? 0)), Math.abs(total), 1) * 4;
};

function identities(answer: Answer): Difference[] {
  const wrong = (path: string): Difference => ({ path, actual: 'parts that do not add up', expected: 'an identity' });
  const bridges = Object.entries((answer.bridge ?? {}) as Record<string, Bridge>);
  const splits = Object.entries((answer.tvl_change_split ?? {}) as Record<string, Split>);
  return [
    ...bridges.filter(([, bridge]) => !identity(bridge)).map(([window]) => wrong(`bridge.${window}`)),
    ...splits.filter(([, split]) => !addsUp(split)).map(([window]) => wrong(`tvl_change_split.${window}`)),
  ];
}

type Run = { demand: string; paid_now: string | null; paid_by: { assets: string }[]; shortfall: string };

function runAddsUp(answer: Answer): Difference[] {
  if (!('paid_by' in answer) || answer.paid_now === null) return [];
  const { demand, paid_now, paid_by, shortfall } = answer as unknown as Run;
  const paid = paid_by.reduce((total, { assets }) => total + BigInt(assets), BigInt(paid_now ?? 0));
  const rest = BigInt(demand) - paid - BigInt(shortfall);
  return rest === 0n ? [] : [{ path: 'demand', actual: `${rest} is left`, expected: '0' }];
}

type Leg = { assets: string | null; usd: number | null };
type ValueBridge = Record<'start' | 'end' | 'flow' | 'yield' | 'fees' | 'price' | 'total', Leg> & {
  yield_by: Record<'reporting_lag' | 'not_observed' | 'residual', Leg> & { sources: Leg[] };
};

/** The legs of the bridge are the change, and what earned the yield is the yield, to the last unit. */
function bridgeAddsUp(answer: Answer): Difference[] {
  if (!('yield_by' in answer)) return [];
  const { start, end, flow, yield: earned, fees, price, total, yield_by: by } = answer as unknown as ValueBridge;
  const units = (legs: readonly Leg[]) => legs.reduce((sum, { assets }) => sum + BigInt(assets ?? 0), 0n);
  const dollars = { flow: flow.usd, yield: earned.usd, fees: fees.usd, price: price.usd, total: total.usd };
  const holds: [string, boolean][] = [
    ['end.assets', units([start, flow, earned, fees]) === units([end])],
    ['yield.assets', units([...by.sources, by.reporting_lag, by.not_observed, by.residual]) === units([earned])],
    ['total.usd', addsUp(dollars)],
  ];
  return holds
    .filter(([, isTrue]) => !isTrue)
    .map(([path]) => ({ path, actual: 'parts that do not add up', expected: 'an identity' }));
}

/** What holds of every answer, whatever its figures. */
export const broken = (answer: Answer): Difference[] => [
  ...unexplainedNulls(answer),
  ...insufficientValues(answer),
  ...identities(answer),
  ...runAddsUp(answer),
  ...bridgeAddsUp(answer),
];
