import { PlainTable } from '../design/plain-table.tsx';
import { Notice } from '../design/states.tsx';
import { formatBpsShare, formatShare, NONE } from '../format/figures.ts';
import { assetsExact, assetsSigned, assetsText } from '../vault/money.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import { type Aim, isOverCap, projected, shareOf, wholeOf, whyNot } from './aims.ts';

type Props = { vault: Shown['vault']; aims: readonly Aim[] };

/** What targets would move between the sources if they were met now, and which caps are exceeded now. */
export function TargetsEffect({ vault, aims }: Props) {
  const whole = wholeOf(vault.total_assets, aims);
  const effect = projected(aims, whole);
  if (effect === undefined)
    return <p className="text-13 text-brass">{whyNot(whole, 'What the targets would move is')}</p>;
  const { byId, missing } = effect;
  const over = aims.filter((aim) => isOverCap(aim, whole));
  const shareText = (assets: bigint | null) => {
    const share = shareOf(assets, whole);
    return share === null ? NONE : formatShare(share);
  };
  return (
    <section aria-label="Projected effect" className="flex flex-col gap-2">
      {over.length === 0 ? null : (
        <Notice tone="warn" title="Above a cap now">
          {over
            .map(({ name, assets, capBps }) => `${name}: ${shareText(assets)}, cap ${formatBpsShare(capBps ?? 0)}`)
            .join('; ')}
        </Notice>
      )}
      <h4 className="text-13 font-semibold">If every target were met at the present prices</h4>
      <PlainTable
        isInset
        label="Projected effect"
        head={['Source', 'Now', 'After', 'Moves']}
        rows={aims.map(({ id, name, assets }) => {
          const { moved = 0n, after = null } = byId.get(id) ?? {};
          return {
            id,
            cells: [
              name,
              shareText(assets),
              shareText(after),
              moved === 0n ? (
                'nothing'
              ) : (
                <span key="moved" title={assetsExact(vault, `${moved}`)}>
                  {assetsSigned(vault, `${moved}`)}
                </span>
              ),
            ],
          };
        })}
      />
      {missing === 0n ? null : (
        <p className="text-13 text-brass">
          {`${assetsText(vault, `${missing}`)} are missing to meet every target${aims.some(({ targetBps }) => targetBps === null) ? ': they are in sources without one' : ''}.`}
        </p>
      )}
    </section>
  );
}
