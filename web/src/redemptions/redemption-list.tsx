import type { ReactNode } from 'react';
import { AddressTag } from '../design/address-tag.tsx';
import { Card } from '../design/card.tsx';
import { Empty, RowSkeletons } from '../design/states.tsx';
import { formatAmount } from '../format/amount.ts';
import { formatCount, formatCounted, formatUsdFull, NONE } from '../format/figures.ts';
import { formatDuration } from '../format/time.ts';
import { ExportButton } from '../lists/export-button.tsx';
import { More } from '../lists/more.tsx';
import { type RowsColumn, RowsTable } from '../lists/rows-table.tsx';
import { When } from '../lists/when.tsx';
import { ReadFailure } from '../receipts/read-failure.tsx';
import type { Pages } from '../receipts/use-pages.ts';
import { assetsExact, assetsText } from '../vault/money.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import { PaidFrom, type Redemption } from './paid-from.tsx';

export type RedemptionPages = Pages<'analyticsRedemptions'>;

type Props = {
  shown: Shown;
  pages: RedemptionPages;
  /** For who may pay: a column before the others, and what is above the table. */
  choose?: RowsColumn<Redemption> | undefined;
  bar?: ReactNode;
};

/** Who waits for a redemption, the oldest first, and what each would be paid from. */
export function RedemptionList({ shown, pages: { list, head }, choose, bar }: Props) {
  const { vault } = shown;
  const first = head.result.data;
  const rows = list.data?.pages.flatMap((page) => page.redemptions) ?? [];
  return (
    <Card isFlush>
      <div className="flex flex-wrap items-center justify-between gap-3 border-b p-4">
        <div>
          <h3 className="text-14 font-semibold">Who waits</h3>
          <p className="text-13 text-muted">
            The oldest first. All that a wallet asked for is paid at once, at the price of that moment.
          </p>
        </div>
        <ExportButton
          label="Download the redemption queue as CSV"
          vault={vault}
          dataset="redemptions"
          range={{}}
          isDisabled={rows.length === 0}
        />
      </div>
      {head.result.isError && !list.isFetchNextPageError ? (
        <div className="p-4">
          <ReadFailure of={head} what="The redemption queue" />
        </div>
      ) : null}
      {first === undefined ? (
        head.result.isError ? null : (
          <RowSkeletons rows={4} />
        )
      ) : rows.length === 0 ? (
        <Empty title="Nobody waits">Requests to redeem appear here until they are paid or given back.</Empty>
      ) : (
        <>
          {bar}
          <RowsTable
            label="Redemption queue"
            columns={[...(choose === undefined ? [] : [choose]), ...columnsOf(shown, first.as_of)]}
            rows={rows}
            rowId={({ wallet_address: wallet }) => wallet}
            isOld={list.isPlaceholderData}
          />
          <More
            list={list}
            shown={rows.length}
            total={first.total}
            what={first.total === 1 ? 'wallet that waits' : 'wallets that wait'}
          />
        </>
      )}
    </Card>
  );
}

function columnsOf(shown: Shown, asOf: string): RowsColumn<Redemption>[] {
  const { vault, chain } = shown;
  return [
    {
      id: 'rank',
      header: '#',
      align: 'right',
      cell: ({ rank }) => formatCount(rank),
      className: 'hidden sm:table-cell',
    },
    {
      id: 'wallet',
      header: 'Wallet',
      cell: (row) => (
        <>
          <AddressTag value={row.wallet_address} what="wallet" explorerUrl={chain.explorer_url} />
          <span className="block text-12 text-muted">
            <When at={row.requested_at} asOf={asOf} />
            {row.requests === 1 ? null : `, ${formatCounted(row.requests, 'request')}`}
          </span>
          <span className="block text-12 text-muted md:hidden">
            {'Expected: '}
            {row.expected_at === null ? 'not known' : <Expected at={row.expected_at} asOf={asOf} />}
            <span className="sm:hidden">{`, place ${formatCount(row.rank)}`}</span>
          </span>
          <span className="mt-1 block md:hidden">
            <PaidFrom row={row} vault={vault} />
          </span>
        </>
      ),
    },
    {
      id: 'assets',
      header: 'About',
      align: 'right',
      cell: ({ assets, usd, shares }) => (
        <span title={`${assetsExact(vault, assets)}${usd === null ? '' : ` · ${formatUsdFull(usd)}`}`}>
          <span className="block whitespace-nowrap">{assetsText(vault, assets)}</span>
          <span className="block text-12 whitespace-nowrap text-muted">
            {`${formatAmount(shares, vault.vault_share_decimals)} ${vault.symbol}`}
          </span>
        </span>
      ),
    },
    {
      id: 'paid',
      header: 'Paid from',
      cell: (row) => <PaidFrom row={row} vault={vault} />,
      className: 'hidden md:table-cell',
    },
    {
      id: 'expected',
      header: 'Expected',
      cell: ({ expected_at: at }) => <Expected at={at} asOf={asOf} />,
      className: 'hidden md:table-cell',
    },
    {
      id: 'tx',
      header: 'Request',
      cell: ({ tx_hash: tx }) => (
        <AddressTag value={tx} what="transaction" explorerUrl={chain.explorer_url} kind="tx" />
      ),
      className: 'hidden lg:table-cell',
    },
  ];
}

/** By how long it took of late; the contract promises nothing. */
function Expected({ at, asOf }: { at: string | null; asOf: string }) {
  if (at === null) return <span title="There is nothing to expect it by">{NONE}</span>;
  const seconds = (Date.parse(at) - Date.parse(asOf)) / 1_000;
  return (
    <time dateTime={at} className={seconds < 0 ? 'text-brass' : undefined}>
      {seconds < 0 ? `${formatDuration(-seconds)} overdue` : `within ${formatDuration(seconds)}`}
    </time>
  );
}
