import { type Aimed, assetsAt, effectOf, isBeyond } from '@castellan/strategy';
import type { Api } from '../client/api.ts';
import type { Vault } from '../data/queries.ts';

export type Targets = Awaited<ReturnType<Api['allocationTargets']>>;
type SourceTarget = Targets['sources'][number];

/** A source, or idle, with what it holds and what is set for it. */
export type Aim = {
  /** The address; `idle` for what is in no source. */
  id: string;
  name: string;
  assets: bigint | null;
  targetBps: number | null;
  /** The stricter of the own cap and that of the mandate. */
  capBps: number | null;
  mandateCapBps: number | null;
};

const IDLE = 'idle';
const same = (left: string, right: string) => left.toLowerCase() === right.toLowerCase();
const lower = (left: number | null, right: number | null): number | null =>
  left === null ? right : right === null ? left : Math.min(left, right);

const amountOf = (raw: string | null): bigint | null => (raw === null ? null : BigInt(raw));

/** What is set for the sources, over what they hold now: idle first, targets never above the cap that is in force. */
export function aimsOf(vault: Pick<Vault, 'allocation'>, sources: readonly SourceTarget[]): Aim[] {
  const idle = vault.allocation.find(({ kind }) => kind === 'idle');
  const aims = sources.map(({ source_address: id, name, target_bps, cap_bps, mandate_cap_bps }): Aim => {
    const held = vault.allocation.find(({ source_address }) => same(source_address, id));
    const capBps = lower(cap_bps, mandate_cap_bps);
    const targetBps = target_bps === null ? null : lower(target_bps, capBps);
    return { id, name, assets: amountOf(held?.assets ?? null), targetBps, capBps, mandateCapBps: mandate_cap_bps };
  });
  const rest = { id: IDLE, name: idle?.name ?? 'Idle', capBps: null, mandateCapBps: null };
  return [
    {
      ...rest,
      assets: idle === undefined ? 0n : amountOf(idle.assets),
      targetBps: idleBps(aims.map((aim) => aim.targetBps)),
    },
    ...aims,
  ];
}

const WHOLE_BPS = 10_000;

/** What targets leave: to idle, and to the sources that have none. */
export const restBps = (targets: readonly (number | null)[]): number =>
  targets.reduce<number>((rest, bps) => rest - (bps ?? 0), WHOLE_BPS);

/** What targets leave to idle; null while a source has none. */
const idleBps = (targets: readonly (number | null)[]): number | null =>
  targets.length === 0 || targets.includes(null) ? null : restBps(targets);

/** All assets of a vault as the chain counts them, and what of it cannot be read: no share is known then. */
export type Whole = { readonly total: bigint | null; readonly unread: readonly string[] };

export const wholeOf = (total: string | null, aims: readonly Aim[]): Whole => ({
  total: amountOf(total),
  unread: aims.filter(({ assets }) => assets === null).map(({ name }) => name),
});

/** Why something is not shown; null where all can be read. */
export const whyNot = ({ unread }: Whole, what: string): string | null =>
  unread.length === 0 ? null : `${what} not shown, as the assets of ${unread.join(', ')} cannot be read now.`;

/** A part of the whole for drawing and reading; null where it is not known. */
export const shareOf = (assets: bigint | null, { total, unread }: Whole): number | null =>
  assets === null || unread.length > 0 || total === null || total === 0n
    ? null
    : Number((assets * 1_000_000n) / total) / 1_000_000;

export const isOverCap = ({ assets, capBps }: Pick<Aim, 'assets' | 'capBps'>, { total }: Whole): boolean =>
  assets !== null && capBps !== null && total !== null && isBeyond(assets, total, capBps);

/** What it lacks to its target, negative beyond it, as strategies read it; null where that is not known. */
export const lackOf = ({ assets, targetBps }: Aim, { total }: Whole): bigint | null =>
  assets === null || targetBps === null || total === null ? null : assetsAt(total, targetBps) - assets;

/** What would move if every target were met at the present prices; undefined where something cannot be read. */
export function projected(aims: readonly Aim[], { total, unread }: Whole) {
  const idle = aims.find(({ id }) => id === IDLE)?.assets ?? null;
  if (idle === null || total === null || unread.length > 0) return undefined;
  const sources: Aimed[] = aims
    .filter(({ id }) => id !== IDLE)
    .map(({ id, assets, targetBps }) => ({ address: id, assets, targetBps }));
  const { moves, idleMoved, idleAfter, missing } = effectOf({ idle, sources, total });
  const byId = new Map(moves.map(({ address, moved, after }) => [address, { moved, after }]));
  byId.set(IDLE, { moved: idleMoved, after: idleAfter });
  return { byId, missing };
}
