import type { MandatePromise } from '@castellan/contracts';
import type { VaultHistory } from '../history.ts';
import { holdingAt } from '../ledgers/holder-ledger.ts';
import { totalOf } from '../metrics/allocation.ts';
import type { Observation } from '../observation.ts';
import { DAY, within } from '../timeline.ts';

/** What a promise is about at one observation, in its unit; `subject`: the address that it is of, lower case. */
export type Measured = { value: number; subject: string | null };
/** Undefined where it could not be read, or before there is anything to measure. */
export type Measure = (history: VaultHistory, seen: Observation) => Measured | undefined;

const WHOLE_BPS = 10_000n;

/** Basis points, rounded up, so that nothing above a limit is rounded down to it. */
const upBps = (part: bigint, whole: bigint): number => Number((part * WHOLE_BPS + whole - 1n) / whole);
/** Rounded down, so that nothing below a limit is rounded up to it. */
const downBps = (part: bigint, whole: bigint): number => Number((part * WHOLE_BPS) / whole);

const bare = (value: number): Measured => ({ value, subject: null });

/** The largest of some values by the addresses that they are of; undefined for none. */
function largest(of: Iterable<readonly [string, bigint]>): { subject: string; value: bigint } | undefined {
  let found: { subject: string; value: bigint } | undefined;
  for (const [subject, value] of of) if (!found || value > found.value) found = { subject, value };
  return found;
}

/** Assets of the sources that count, over all assets; undefined when one could not be valued or there are none at all. */
function held(seen: Observation, counts: (source: string) => boolean) {
  const total = totalOf(seen);
  if (total === null || total === 0n) return undefined;
  const sources = seen.sources.filter(({ address }) => counts(address));
  return { total, sources: sources.map(({ address, assets }) => [address, assets as bigint] as const) };
}

/** Of the sources that are counted, the one with most. */
const sourceShare =
  (source: string | undefined): Measure =>
  (_history, seen) => {
    const found = held(seen, (address) => source === undefined || address === source);
    if (!found) return undefined;
    const most = largest(found.sources);
    return most
      ? { value: upBps(most.value, found.total), subject: most.subject }
      : { value: 0, subject: source ?? null };
  };

const layerShare =
  (sources: ReadonlySet<string>): Measure =>
  (_history, seen) => {
    const found = held(seen, (address) => sources.has(address));
    return (
      found &&
      bare(
        upBps(
          found.sources.reduce((sum, [, assets]) => sum + assets, 0n),
          found.total,
        ),
      )
    );
  };

const idleShare: Measure = (_history, seen) => {
  const found = held(seen, () => false);
  return found && bare(downBps(seen.idle, found.total));
};

const drawdown: Measure = ({ prices }, { time, block }) => {
  const standing = prices.standingAt(time, block);
  const peak = standing?.peak?.netNumerator;
  const net = standing?.point.netNumerator;
  return peak && net !== null && net !== undefined ? bare(upBps(peak - net, peak)) : undefined;
};

const largestHolder: Measure = ({ holders }, { time, block }) => {
  const shares = holders
    .people(block)
    .map((holder) => [holder.address, holdingAt(holder, time, block)?.shares ?? 0n] as const);
  const total = shares.reduce((sum, [, held]) => sum + held, 0n);
  const most = largest(shares);
  return most && total > 0n ? { value: upBps(most.value, total), subject: most.subject } : undefined;
};

/** Unknown while the vault is younger than the stretch: a few updates in a first hour break no promise about a day. */
const priceUpdates =
  (seconds: number): Measure =>
  ({ prices, identity }, { time, block }) => {
    if (time - identity.time < seconds) return undefined;
    const { start, end } = prices.reportStretch(time - seconds, time, block);
    return bare(end - start);
  };

const othersThan = (found: readonly string[], allowed: ReadonlySet<string>): Measured => {
  const others = found.filter((address) => !allowed.has(address));
  return { value: others.length, subject: others[0] ?? null };
};

const hooks =
  (allowed: ReadonlySet<string>): Measure =>
  ({ hooksExecuted }, { time, block }) =>
    othersThan(
      within(hooksExecuted, time - DAY, time, block).map(({ hook }) => hook),
      allowed,
    );

const managers =
  (role: 'primary_manager' | 'secondary_manager', allowed: ReadonlySet<string>): Measure =>
  (_history, { primaryManager, secondaryManagers }) =>
    othersThan(role === 'primary_manager' ? [primaryManager] : secondaryManagers, allowed);

const lower = (addresses: readonly string[]): ReadonlySet<string> =>
  new Set(addresses.map((address) => address.toLowerCase()));

/** How a promise is measured. */
export function measureOf(promise: MandatePromise): Measure {
  switch (promise.kind) {
    case 'source_share':
      return sourceShare(promise.source?.toLowerCase());
    case 'layer_share':
      return layerShare(lower(promise.sources));
    case 'idle_share':
      return idleShare;
    case 'drawdown':
      return drawdown;
    case 'largest_holder':
      return largestHolder;
    case 'performance_fee':
      return (_history, seen) => bare(Number(seen.performanceFeeBps));
    case 'entry_fee':
      return (_history, seen) => bare(Number(seen.entryFeeBps));
    case 'price_age':
      return (_history, seen) => bare(Math.max(0, seen.time - seen.lastUpdate));
    case 'price_updates':
      return priceUpdates(promise.in_seconds);
    case 'hooks':
      return hooks(lower(promise.allowed));
    case 'managers':
      return managers(promise.role, lower(promise.allowed));
  }
}
