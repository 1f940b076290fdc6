import { Pill } from '../design/pill.tsx';
import { formatBpsShare, formatShare, NONE } from '../format/figures.ts';
import { type RowsColumn, RowsTable } from '../lists/rows-table.tsx';
import { assetsExact, assetsSigned } from '../vault/money.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import { type Aim, isOverCap, lackOf, shareOf, type Whole, wholeOf, whyNot } from './aims.ts';
import { ShareBar } from './share-bar.tsx';

type Props = { vault: Shown['vault']; aims: readonly Aim[] };

/** What each source holds beside what it is to hold, and may hold at most. */
export function TargetsTable({ vault, aims }: Props) {
  const whole = wholeOf(vault.total_assets, aims);
  const reason = whyNot(whole, 'Shares are');
  return (
    <>
      <RowsTable label="Actual against targets" columns={columnsOf(vault, whole)} rows={aims} rowId={({ id }) => id} />
      {reason === null ? null : <p className="border-t px-4 py-2 text-13 text-brass">{reason}</p>}
    </>
  );
}

const columnsOf = (vault: Props['vault'], whole: Whole): RowsColumn<Aim>[] => [
  {
    id: 'source',
    header: 'Source',
    cell: (aim) => (
      <span className="flex flex-col gap-1">
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
          {aim.name}
          <State aim={aim} whole={whole} />
        </span>
        <ShareBar
          name={aim.name}
          share={shareOf(aim.assets, whole)}
          targetBps={aim.targetBps}
          capBps={aim.capBps}
          isOver={isOverCap(aim, whole)}
        />
      </span>
    ),
    className: 'w-1/2',
  },
  {
    id: 'actual',
    header: 'Actual',
    align: 'right',
    cell: ({ assets }) => shareText(shareOf(assets, whole)),
    className: 'max-sm:px-1.5',
  },
  {
    id: 'target',
    header: 'Target',
    align: 'right',
    cell: ({ targetBps }) => bpsText(targetBps),
    className: 'max-sm:px-1.5',
  },
  {
    id: 'cap',
    header: 'Cap',
    align: 'right',
    cell: ({ capBps, mandateCapBps }) => (
      <>
        {bpsText(capBps)}
        {capBps !== null && capBps === mandateCapBps ? <span className="block text-12 text-muted">mandate</span> : null}
      </>
    ),
  },
  {
    id: 'lack',
    header: 'To target',
    align: 'right',
    cell: (aim) => {
      const lack = lackOf(aim, whole);
      return lack === null ? (
        NONE
      ) : (
        <span className="whitespace-nowrap" title={assetsExact(vault, `${lack}`)}>
          {assetsSigned(vault, `${lack}`)}
        </span>
      );
    },
    className: 'hidden md:table-cell',
  },
];

const bpsText = (bps: number | null): string => (bps === null ? NONE : formatBpsShare(bps));
const shareText = (share: number | null): string => (share === null ? NONE : formatShare(share));

/** In words, as colour alone would not say it. */
function State({ aim, whole }: { aim: Aim; whole: Whole }) {
  if (aim.assets === null) return <Pill tone="warn">Not readable</Pill>;
  if (isOverCap(aim, whole)) return <Pill tone="critical">Above cap</Pill>;
  return null;
}
