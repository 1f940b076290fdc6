import type { Vault } from '../../data/queries.ts';
import { Card } from '../../design/card.tsx';
import { Pill } from '../../design/pill.tsx';
import { PlainTable } from '../../design/plain-table.tsx';
import { formatBpsShare, formatShare, NONE } from '../../format/figures.ts';
import { type Aim, isOverCap, shareOf, type Whole, wholeOf, whyNot } from '../../targets/aims.ts';
import { nameAt } from '../types.ts';
import type { Result } from './request.ts';

type Rows = NonNullable<Result['allocation']>;

const amountOf = (raw: string | null): bigint | null => (raw === null ? null : BigInt(raw));

const aimsOf = (vault: Vault, rows: Rows, which: 'assets' | 'assets_simulated'): Aim[] =>
  rows.map(({ source_address, target_bps, cap_bps, ...row }) => ({
    id: source_address ?? 'idle',
    name: source_address === null ? 'Idle' : nameAt(vault, source_address),
    assets: amountOf(row[which]),
    targetBps: target_bps,
    capBps: cap_bps,
    mandateCapBps: null,
  }));

/** Where the assets would be at the end, beside targets and caps. */
export function AllocationAfter({ vault, result: { allocation, points } }: { vault: Vault; result: Result }) {
  if (allocation === undefined || allocation.length === 0) return null;
  const was = aimsOf(vault, allocation, 'assets');
  const would = aimsOf(vault, allocation, 'assets_simulated');
  const end = points.at(-1);
  const wasWhole = wholeOf(end?.tvl ?? null, was);
  const whole = wholeOf(end?.tvl_simulated ?? null, would);
  const reason = whyNot(whole, 'Shares are') ?? whyNot(wasWhole, 'Shares before are');
  return (
    <section aria-label="Allocation at the end" className="flex flex-col gap-2">
      <h3 className="text-14 font-semibold">Allocation at the end</h3>
      <Card isFlush>
        <PlainTable
          label="Allocation at the end"
          head={['Source', 'Was', 'Would be', 'Target', 'Cap']}
          rows={would.map((aim, index) => ({
            id: aim.id,
            cells: [
              aim.name,
              shareText(was[index]?.assets ?? null, wasWhole),
              <span key="would" className="inline-flex flex-col items-end gap-1">
                {shareText(aim.assets, whole)}
                {isOverCap(aim, whole) ? <Pill tone="critical">Above cap</Pill> : null}
              </span>,
              aim.targetBps === null ? NONE : formatBpsShare(aim.targetBps),
              aim.capBps === null ? NONE : formatBpsShare(aim.capBps),
            ],
          }))}
        />
        {reason === null ? null : <p className="border-t px-4 py-2 text-13 text-brass">{reason}</p>}
      </Card>
    </section>
  );
}

function shareText(assets: bigint | null, whole: Whole): string {
  const share = shareOf(assets, whole);
  return share === null ? NONE : formatShare(share);
}
