import { type RefObject, useEffect, useRef } from 'react';
import { AddressTag } from '../../design/address-tag.tsx';
import { Card } from '../../design/card.tsx';
import { Empty, RowSkeletons } from '../../design/states.tsx';
import { formatAmount, formatExact, formatPps } from '../../format/amount.ts';
import { formatSignedBps, formatUsdFull, NONE } from '../../format/figures.ts';
import { useColumns } from '../../lists/columns.tsx';
import { isReversed } from '../../lists/days.ts';
import { ExportButton } from '../../lists/export-button.tsx';
import { More } from '../../lists/more.tsx';
import { type RowsColumn, RowsTable } from '../../lists/rows-table.tsx';
import { When } from '../../lists/when.tsx';
import { anchors } from '../../navigation/anchors.ts';
import { useArrival } from '../../navigation/use-arrival.ts';
import type { Span } from '../../period/period.ts';
import { type MoneyUnit, useView } from '../../period/use-view.ts';
import { ReadFailure } from '../../receipts/read-failure.tsx';
import type { Pages } from '../../receipts/use-pages.ts';
import { assetsExact, moneyText } from '../money.ts';
import type { Shown } from '../vault-gate.tsx';
import { exportOnly, hasDays, type TransactionFilter } from './filter.ts';
import { TransactionFilters } from './transaction-filters.tsx';
import { payerWords, type Transaction, typeWords } from './transaction-labels.ts';

type Props = {
  shown: Shown;
  pages: Pages<'analyticsTransactions'>;
  filter: TransactionFilter;
  range: Span;
};

/** Brings the list into view once it is there, for who was led to it rather than to its section. */
function useListArrival(heading: RefObject<HTMLElement | null>, isReady: boolean) {
  const { anchor, key } = useArrival();
  const isWanted = anchor === anchors.transactions && isReady;
  // biome-ignore lint/correctness/useExhaustiveDependencies: who is led here again arrives again
  useEffect(() => {
    if (!isWanted) return;
    heading.current?.scrollIntoView({ block: 'center' });
    heading.current?.focus({ preventScroll: true });
  }, [heading, isWanted, key]);
}

/** Everything that happened, newest first, narrowed by what the URL says. */
export function Transactions({ shown, pages: { list, head }, filter, range }: Props) {
  const { vault } = shown;
  const { unit, words } = useView(vault);
  const first = head.result.data;
  const heading = useRef<HTMLHeadingElement>(null);
  useListArrival(heading, first !== undefined);
  const { shown: columns, chooser } = useColumns(
    'castellan_transaction_columns',
    columnsOf(shown, unit, first?.as_of ?? vault.chain_time),
  );
  const rows = list.data?.pages.flatMap((page) => page.transactions) ?? [];
  return (
    <Card isFlush>
      <div className="flex flex-wrap items-center justify-between gap-3 px-4 pt-4">
        <div>
          <h3 ref={heading} tabIndex={-1} className="text-14 font-semibold outline-none">
            Transactions
          </h3>
          <p className="text-13 text-muted">
            {`${rangeWords(filter, words)}. A transaction that does several things has an entry for each.`}
          </p>
        </div>
        <span className="flex items-center gap-2">
          {chooser}
          <ExportButton
            label="Download the filtered transactions as CSV"
            vault={vault}
            dataset="transactions"
            range={range}
            only={exportOnly(filter)}
            isDisabled={rows.length === 0}
          />
        </span>
      </div>
      <TransactionFilters filter={filter} />
      {first === undefined ? (
        list.isError ? (
          <div className="p-4">
            <ReadFailure of={head} what="Transactions" />
          </div>
        ) : (
          <RowSkeletons rows={8} />
        )
      ) : rows.length === 0 ? (
        <Empty title="Nothing matches">{emptyWords(filter)}</Empty>
      ) : (
        <>
          <RowsTable
            label="Transactions"
            columns={columns}
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

function rangeWords(filter: TransactionFilter, words: string): string {
  if (hasDays(filter)) return 'On the days chosen here, whatever the period of the page';
  return filter.hash === '' ? `Newest first, ${words}` : 'One transaction, whatever the period of the page';
}

function emptyWords(filter: TransactionFilter): string {
  if (isReversed(filter)) return 'The first day is after the last.';
  return filter.hash === ''
    ? 'Choose another kind, wallet or longer period to see more.'
    : 'The list has no entry of this transaction; one that was just mined takes a moment.';
}

function columnsOf({ vault, chain }: Shown, unit: MoneyUnit, asOf: string): RowsColumn<Transaction>[] {
  return [
    {
      id: 'type',
      header: 'What',
      cell: ({ type, t }) => (
        <>
          <span className="block font-medium sm:whitespace-nowrap">{typeWords[type]}</span>
          <span className="block text-12 text-muted">
            <When at={t} asOf={asOf} />
          </span>
        </>
      ),
    },
    {
      id: 'amount',
      header: 'Amount',
      align: 'right',
      cell: (row) => <Amount row={row} vault={vault} unit={unit} />,
    },
    {
      id: 'wallet',
      header: 'Wallet',
      cell: ({ wallet_address: wallet }) =>
        wallet === null ? NONE : <AddressTag value={wallet} what="wallet" explorerUrl={chain.explorer_url} />,
    },
    {
      id: 'pps',
      header: 'Price per share',
      align: 'right',
      cell: ({ pps, slippage_bps: slippage }) => (
        <>
          <span className="block">{pps === null ? NONE : formatPps(pps, vault.pps_precision)}</span>
          {slippage === null ? null : (
            <span className="block text-12 whitespace-nowrap text-muted">{`slippage ${formatSignedBps(slippage)}`}</span>
          )}
        </>
      ),
      className: 'hidden lg:table-cell',
    },
    {
      id: 'gas',
      header: 'Gas',
      align: 'right',
      cell: (row) => <Gas row={row} symbol={chain.native_symbol} />,
      className: 'hidden md:table-cell',
    },
    {
      id: 'tx',
      header: 'Transaction',
      cell: ({ tx_hash: tx }) => (
        <AddressTag value={tx} what="transaction" explorerUrl={chain.explorer_url} kind="tx" />
      ),
    },
  ];
}

function Amount({ row, vault, unit }: { row: Transaction; vault: Shown['vault']; unit: MoneyUnit }) {
  const { assets, shares, usd } = row;
  const sharesText = (raw: string) => `${formatAmount(raw, vault.vault_share_decimals)} ${vault.symbol}`;
  if (assets === null && shares === null) return NONE;
  const exact = [
    ...(assets === null ? [] : [assetsExact(vault, assets)]),
    ...(shares === null ? [] : [`${formatExact(shares, vault.vault_share_decimals)} ${vault.symbol}`]),
    ...(usd === null ? [] : [formatUsdFull(usd)]),
  ].join(' · ');
  return (
    <span title={exact} className="whitespace-nowrap">
      {assets === null ? null : <span className="block">{moneyText(vault, unit, assets, usd)}</span>}
      {shares === null ? null : (
        <span className={assets === null ? 'block' : 'block text-12 text-muted'}>{sharesText(shares)}</span>
      )}
    </span>
  );
}

function Gas({ row: { gas_used: used, gas_cost: cost, payer }, symbol }: { row: Transaction; symbol: string }) {
  if (used === null || cost === null) return NONE;
  return (
    <span title={`${formatExact(used, 0)} gas, ${formatExact(cost, 18)} ${symbol} for the whole transaction`}>
      <span className="block whitespace-nowrap">{`${formatAmount(cost, 18)} ${symbol}`}</span>
      {payer === null ? null : <span className="block text-12 text-muted">{payerWords[payer].toLowerCase()}</span>}
    </span>
  );
}
