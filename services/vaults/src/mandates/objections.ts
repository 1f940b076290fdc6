import type { MandateDocument, MandatePromise, PreparedArgs, PreparedKind, VaultDetail } from '@castellan/contracts';

/** A promise that a call would break, in words. */
export type Objection = { promise_id: string; refuses: boolean; detail: string };

type Planned<K extends PreparedKind> = { args: PreparedArgs<K>; vault: Pick<VaultDetail, 'pending_fee_config'> };
type Breaks<K extends PreparedKind> = (promise: MandatePromise, planned: Planned<K>) => string | undefined;

const percent = (bps: number): string => `${(bps / 100).toFixed(2)}%`;

function feesBeyond(promise: MandatePromise, performance: number, entry: number): string | undefined {
  if (promise.kind !== 'performance_fee' && promise.kind !== 'entry_fee') return undefined;
  const [name, fee] = promise.kind === 'performance_fee' ? ['performance', performance] : ['entry', entry];
  if (fee <= promise.at_most_bps) return undefined;
  return `The ${name} fee would be ${percent(fee)}; the mandate promises at most ${percent(promise.at_most_bps)}.`;
}

/**
 * What of a change shows before it is mined that it breaks a promise. A change that is not here is never refused: among them are the
 * pause, the removal of a manager, the cancelling of a proposal and the deposit of upkeep.
 */
const breaks: { readonly [K in PreparedKind]?: Breaks<K> } = {
  propose_fees: (promise, { args }) => feesBeyond(promise, args.performance_fee_bps, args.management_fee_bps),
  execute_fees: (promise, { vault: { pending_fee_config: pending } }) =>
    pending ? feesBeyond(promise, pending.performance_fee_bps, pending.management_fee_bps) : undefined,
  add_secondary_manager: (promise, { args: { manager_address: manager } }) => {
    if (promise.kind !== 'managers' || promise.role !== 'secondary_manager') return undefined;
    const isAllowed = promise.allowed.some((address) => address.toLowerCase() === manager.toLowerCase());
    return isAllowed ? undefined : `The mandate does not name ${manager} among the secondary managers.`;
  },
};

/** Whether a change of this kind can break a promise at all. */
export const mayBreak = (kind: PreparedKind): boolean => breaks[kind] !== undefined;

/** Every promise that a change would break. */
export function objectionsTo<K extends PreparedKind>(
  { promises }: Pick<MandateDocument, 'promises'>,
  kind: K,
  planned: Planned<K>,
): Objection[] {
  const broken: Breaks<K> | undefined = breaks[kind];
  if (!broken) return [];
  return promises.flatMap((promise) => {
    const detail = broken(promise, planned);
    return detail === undefined ? [] : [{ promise_id: promise.id, refuses: promise.on_breach === 'refuse', detail }];
  });
}
