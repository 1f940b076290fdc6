import type { MandateDocument, MandatePromise } from '@castellan/contracts';
import { type CountedFacts, totalsOf } from '../vault/domain/total-assets.ts';
import type { Objection } from './objections.ts';

/** What a strategy is about to do: assets go from idle or out of one source, into another or back to idle. */
export type Execution = {
  /** The yield source that gets assets; null when they become idle. */
  readonly into: string | null;
  /** The yield source that they come from; null for idle assets. */
  readonly outOf: string | null;
  /** What moves, in base units of the asset: of shares what the source's oracle says they are worth. */
  readonly assets: bigint;
  readonly hooks: readonly string[];
  readonly facts: CountedFacts;
};

const WHOLE_BPS = 10_000n;
const percent = (bps: bigint | number): string => `${(Number(bps) / 100).toFixed(2)} %`;
const same = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase();

/** Assets in sources; null where one of them cannot be valued. */
function assetsIn(sources: CountedFacts['sources'], isMeant: (address: string) => boolean): bigint | null {
  let total = 0n;
  for (const { address, amount } of sources) {
    if (!isMeant(address)) continue;
    if (amount === null) return null;
    total += BigInt(amount);
  }
  return total;
}

/** A share of all assets in basis points, rounded towards the breach. */
const shareUp = (part: bigint, whole: bigint): bigint => (part * WHOLE_BPS + whole - 1n) / whole;

/** An execution that brings assets into a source, and all assets of the vault: the least and the most that they are. */
type Deposit = Omit<Execution, 'into'> & { readonly into: string; readonly least: bigint; readonly most: bigint };

function sharesAfter(promise: MandatePromise, { into, outOf, assets, facts, least }: Deposit): string | undefined {
  if (promise.kind !== 'source_share' && promise.kind !== 'layer_share') return undefined;
  const named = promise.kind === 'layer_share' ? promise.sources : [promise.source ?? into];
  const isNamed = (address: string) => named.some((each) => same(each, address));
  // What stays within the sources of a promise makes their share no larger.
  if (!isNamed(into) || (outOf !== null && isNamed(outOf))) return undefined;
  const held = assetsIn(facts.sources, isNamed);
  if (held === null) return undefined;
  const bps = shareUp(held + assets, least);
  if (bps <= promise.at_most_bps) return undefined;
  const what = promise.kind === 'layer_share' ? `${promise.layer} ${promise.name}` : into;
  return `${what} would hold ${percent(bps)} of the assets; the mandate promises at most ${percent(promise.at_most_bps)}.`;
}

function idleAfter(promise: MandatePromise, { outOf, assets, facts, most }: Deposit): string | undefined {
  if (promise.kind !== 'idle_share' || outOf !== null) return undefined;
  const left = BigInt(facts.free) - assets;
  const bps = left <= 0n ? 0n : (left * WHOLE_BPS) / most;
  if (bps >= promise.at_least_bps) return undefined;
  return `${percent(bps)} of the assets would stay idle; the mandate promises at least ${percent(promise.at_least_bps)}.`;
}

function hookOf(promise: MandatePromise, { hooks }: Execution): string | undefined {
  if (promise.kind !== 'hooks') return undefined;
  const strange = hooks.find((hook) => !promise.allowed.some((address) => same(address, hook)));
  return strange === undefined ? undefined : `The mandate does not allow the hook ${strange}.`;
}

/**
 * Every promise that an execution would break. What takes assets out of a source makes no share larger, so only its hook is compared;
 * what goes from one source into another leaves idle assets as they are; what cannot be valued is not judged. Emergency exits are not
 * asked about: they move assets to safety whatever was promised.
 */
export function objectionsToExecution(
  { promises }: Pick<MandateDocument, 'promises'>,
  execution: Execution,
): Objection[] {
  const totals = totalsOf(execution.facts);
  const { into } = execution;
  const deposit = into === null || totals.least === 0n ? undefined : { ...execution, into, ...totals };
  return promises.flatMap((promise) => {
    const detail =
      hookOf(promise, execution) ?? (deposit && (sharesAfter(promise, deposit) ?? idleAfter(promise, deposit)));
    return detail === undefined ? [] : [{ promise_id: promise.id, refuses: promise.on_breach === 'refuse', detail }];
  });
}
