import { ArrowDown, ArrowUp } from 'lucide-react';
import { AddressTag } from '../../design/address-tag.tsx';
import { Card } from '../../design/card.tsx';
import { Choice } from '../../design/choice.tsx';
import { Empty, RowSkeletons } from '../../design/states.tsx';
import { formatPps, ppsPlaces } from '../../format/amount.ts';
import { formatBpsShare, NONE } from '../../format/figures.ts';
import { ExportButton } from '../../lists/export-button.tsx';
import { More } from '../../lists/more.tsx';
import { type RowsColumn, RowsTable } from '../../lists/rows-table.tsx';
import { When } from '../../lists/when.tsx';
import { type MoneyUnit, useView } from '../../period/use-view.ts';
import type { Pages } from '../../receipts/use-pages.ts';
import { assetsExact, assetsText, moneyText } from '../money.ts';
import type { Shown } from '../vault-gate.tsx';
import { type FeeEntry, type FeeKind, feeKinds, kindWords, markMove } from './fee-labels.ts';

type Props = {
  shown: Shown;
  pages: Pages<'analyticsFees'>;
  kind: FeeKind | 'all';
  onKind: (kind: FeeKind | 'all') => void;
};

const choices = [
  { value: 'all' as const, label: 'Every kind' },
  ...feeKinds.map((kind) => ({ value: kind, label: kindWords[kind] })),
];

/** Every fee taken and every move of the mark, newest first, each with its transaction. */
export function FeeLedger({ shown, pages: { list, head }, kind, onKind }: Props) {
  const { vault } = shown;
  const { unit } = useView(vault);
  const first = head.result.data;
  const rows = list.data?.pages.flatMap((page) => page.fees) ?? [];
  return (
    <Card isFlush>
      <div className="flex flex-wrap items-end justify-between gap-3 border-b p-4">
        <h3 className="text-14 font-semibold">Fee ledger</h3>
        <span className="flex flex-wrap items-end gap-2">
          <Choice label="Kind of entry" hideLabel value={kind} options={choices} onChange={onKind} className="w-52" />
          <ExportButton
            label="Download the fee ledger as CSV"
            vault={vault}
            dataset="fees"
            range={{}}
            {...(kind === 'all' ? {} : { only: { kind } })}
            isDisabled={rows.length === 0}
          />
        </span>
      </div>
      {first === undefined ? (
        list.isError ? (
          <Empty title="The ledger could not be read">The message above says why.</Empty>
        ) : (
          <RowSkeletons rows={5} />
        )
      ) : rows.length === 0 ? (
        <Empty title={kind === 'all' ? 'No fee was taken yet' : 'No entry of this kind'}>
          {kind === 'all'
            ? 'The ledger begins with the first deposit that pays an entry fee or the first skim of a performance fee.'
            : 'Choose another kind to see the others.'}
        </Empty>
      ) : (
        <>
          <RowsTable
            label="Fee ledger"
            columns={columnsOf(shown, unit, rows, first.as_of)}
            rows={rows}
            rowId={({ tx_hash, log_index }) => `${tx_hash}:${log_index}`}
            isOld={list.isPlaceholderData}
          />
          <More list={list} shown={rows.length} total={first.total} what={first.total === 1 ? 'entry' : 'entries'} />
        </>
      )}
    </Card>
  );
}

function columnsOf(
  { vault, chain }: Shown,
  unit: MoneyUnit,
  rows: readonly FeeEntry[],
  asOf: string,
): RowsColumn<FeeEntry>[] {
  const places = ppsPlaces(
    rows.flatMap(({ hwm_before, hwm_after }) => [hwm_before, hwm_after]),
    vault.pps_precision,
  );
  const price = (raw: string) => formatPps(raw, vault.pps_precision, places);
  return [
    { id: 'kind', header: 'What', cell: (entry) => <Kind entry={entry} asOf={asOf} /> },
    {
      id: 'total',
      header: 'Amount',
      align: 'right',
      cell: (entry) => <Amount entry={entry} vault={vault} unit={unit} />,
    },
    {
      id: 'mark',
      header: 'High-water mark',
      align: 'right',
      cell: (entry) => <MarkMove entry={entry} price={price} />,
    },
    {
      id: 'actor',
      header: 'By',
      cell: ({ actor }) =>
        actor === null ? NONE : <AddressTag value={actor} what="who sent it" explorerUrl={chain.explorer_url} />,
      className: 'hidden xl:table-cell',
    },
    {
      id: 'tx',
      header: 'Transaction',
      cell: ({ tx_hash }) => (
        <AddressTag value={tx_hash} what="transaction" explorerUrl={chain.explorer_url} kind="tx" />
      ),
    },
  ];
}

function Kind({ entry, asOf }: { entry: FeeEntry; asOf: string }) {
  const { performance_fee_bps: performance, management_fee_bps: management, recipient } = entry;
  const isConfig = performance !== null && management !== null;
  return (
    <>
      <span className="block font-medium sm:whitespace-nowrap">{kindWords[entry.kind]}</span>
      <span className="block text-12 text-muted">
        <When at={entry.t} asOf={asOf} />
      </span>
      {isConfig ? (
        <span className="block text-12 text-muted">
          {`performance ${formatBpsShare(performance)}, entry ${formatBpsShare(management)}`}
        </span>
      ) : null}
      {recipient !== null && entry.kind === 'recipient_changed' ? (
        <AddressTag value={recipient} what="new recipient" />
      ) : null}
    </>
  );
}

function Amount({ entry, vault, unit }: { entry: FeeEntry; vault: Shown['vault']; unit: MoneyUnit }) {
  const { total, usd, protocol_share: protocol, recipient_share: recipient } = entry;
  if (total === null) return <span title="This entry moves no money">{NONE}</span>;
  return (
    <span title={assetsExact(vault, total)}>
      <span className="block whitespace-nowrap">{moneyText(vault, unit, total, usd)}</span>
      {entry.kind !== 'performance' || protocol === null || recipient === null ? null : (
        <span className="block text-12 whitespace-nowrap text-muted">
          <span className="block">{`${assetsText(vault, recipient)} recipient`}</span>
          <span className="block">{`${assetsText(vault, protocol)} protocol`}</span>
        </span>
      )}
    </span>
  );
}

function MarkMove({ entry, price }: { entry: FeeEntry; price: (raw: string) => string }) {
  const { hwm_before: before, hwm_after: after } = entry;
  const move = markMove(entry);
  if (after === null) return <span title="The mark is not touched by this">{NONE}</span>;
  if (move === undefined || before === null) return <span className="text-muted">{price(after)}</span>;
  const Icon = move === 'up' ? ArrowUp : ArrowDown;
  return (
    <span
      title={`${price(before)} → ${price(after)}`}
      className="inline-flex items-center justify-end gap-x-1 whitespace-nowrap"
    >
      {/* A phone has no space for both; the arrow says which way it moved. */}
      <span className="text-muted max-sm:sr-only">{price(before)}</span>
      <Icon size={13} aria-hidden="true" className={move === 'up' ? 'text-muted' : 'text-brass'} />
      <span className="sr-only">{move === 'up' ? 'raised to' : 'lowered to'}</span>
      {price(after)}
    </span>
  );
}
