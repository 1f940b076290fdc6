import type { MandateDocument, MandatePromise } from '@castellan/contracts';
import type { Objection } from './objections.ts';

/** What is known of the vault at the block that a strategy fired on: assets in base units, null for a source that could not be valued. */
type Facts = {
  readonly free: string;
  readonly tvl: string;
  readonly sources: readonly { readonly address: string; readonly amount: string | null }[];
};

/** What a strategy is about to do. */
export type Execution = {
  readonly action: 'DEPOSIT' | 'WITHDRAWAL';
  /** The yield source. */
  readonly source: string;
  /** Base units: of the asset for a deposit, shares of the source for a withdrawal. */
  readonly amount: bigint;
  readonly hook: string;
  readonly facts: Facts;
};

const WHOLE_BPS = 10_000n;
const percent = (bps: bigint | number): string => `${(Number(bps) / 100).toFixed(2)} %`;
const same = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase();

/** Assets in sources; null where one of them cannot be valued. */
function assetsIn(sources: Facts['sources'], isMeant: (address: string) => boolean): bigint | null {
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

type Deposit = Execution & { readonly total: bigint };

function sharesAfter(promise: MandatePromise, { source, amount, facts, total }: Deposit): string | undefined {
  if (promise.kind !== 'source_share' && promise.kind !== 'layer_share') return undefined;
  const named = promise.kind === 'layer_share' ? promise.sources : [promise.source ?? source];
  if (!named.some((address) => same(address, source))) return undefined;
  const held = assetsIn(facts.sources, (address) => named.some((each) => same(each, address)));
  if (held === null) return undefined;
  const bps = shareUp(held + amount, total);
  if (bps <= promise.at_most_bps) return undefined;
  const what = promise.kind === 'layer_share' ? `${promise.layer} ${promise.name}` : source;
  return `${what} would hold ${percent(bps)} of the assets; the mandate promises at most ${percent(promise.at_most_bps)}.`;
}

function idleAfter(promise: MandatePromise, { amount, facts, total }: Deposit): string | undefined {
  if (promise.kind !== 'idle_share') return undefined;
  const left = BigInt(facts.free) - amount;
  const bps = left <= 0n ? 0n : (left * WHOLE_BPS) / total;
  if (bps >= promise.at_least_bps) return undefined;
  return `${percent(bps)} of the assets would stay idle; the mandate promises at least ${percent(promise.at_least_bps)}.`;
}

const hookOf = (promise: MandatePromise, { hook }: Execution): string | undefined =>
  promise.kind === 'hooks' && !promise.allowed.some((address) => same(address, hook))
    ? `The mandate does not allow the hook ${hook}.`
    : undefined;

/**
 * Every promise that an execution would break. What takes assets out of a source makes no share larger, so only its hook is compared;
 * what cannot be valued is not judged. Emergency exits are not asked about: they move assets to safety whatever was promised.
 */
export function objectionsToExecution(
  { promises }: Pick<MandateDocument, 'promises'>,
  execution: Execution,
): Objection[] {
  const total = BigInt(execution.facts.tvl);
  const isDeposit = execution.action === 'DEPOSIT' && total > 0n;
  return promises.flatMap((promise) => {
    const deposit = { ...execution, total };
    const detail =
      hookOf(promise, execution) ??
      (isDeposit ? (sharesAfter(promise, deposit) ?? idleAfter(promise, deposit)) : undefined);
    return detail === undefined ? [] : [{ promise_id: promise.id, refuses: promise.on_breach === 'refuse', detail }];
  });
}
