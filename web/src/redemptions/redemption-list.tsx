import type { ReactNode } from 'react';
import type { AnalyticsResult } from '../data/use-analytics.ts';
import { AddressTag } from '../design/address-tag.tsx';
import { Card } from '../design/card.tsx';
import { Pill, type Tone } from '../design/pill.tsx';
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

export type Redemption = AnalyticsResult<'analyticsRedemptions'>['redemptions'][number];
export type RedemptionPages = Pages<'analyticsRedemptions'>;

const states: Record<Redemption['state'], { tone: Tone; word: string; meaning: string }> = {
  payable: { tone: 'ok', word: 'Can be paid now', meaning: 'Idle assets reach it in its turn.' },
  needs_withdrawal: {
    tone: 'info',
    word: 'Needs a withdrawal',
    meaning: 'Yield sources must pay the vault first.',
  },
  short: { tone: 'warn', word: 'Short', meaning: 'Idle assets and what sources pay at once do not reach it.' },
  blocked: {
    tone: 'warn',
    word: 'Blocked',
    meaning:
      'The price is below what the wallet accepts: it waits until the price recovers or the wallet allows more slippage.',
  },
  cancelling: { tone: 'plain', word: 'Cancelled', meaning: 'The wallet wants its shares back.' },
  unknown: { tone: 'plain', word: 'Not known', meaning: 'Nothing has been observed of the vault yet.' },
};

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
      {first === undefined ? (
        list.isError ? (
          <div className="p-4">
            <ReadFailure of={head} what="The redemption queue" />
          </div>
        ) : (
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
          <More list={list} shown={rows.length} total={first.total} what="wallets that wait" />
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

const sourceName = (vault: Shown['vault'], address: string): string =>
  vault.allocation.flatMap((slice) =>
    slice.kind === 'source' && slice.source_address.toLowerCase() === address.toLowerCase() ? [slice.name] : [],
  )[0] ?? 'a yield source';

/** Where the assets for one would come from, were everybody paid in turn now. */
export function PaidFrom({ row, vault }: { row: Redemption; vault: Shown['vault'] }) {
  const { tone, word, meaning } = states[row.state];
  const { from_idle: idle, from_sources: sources, missing, state } = row;
  const parts = [
    ...(idle === null || idle === '0' || state === 'payable' ? [] : [`${assetsText(vault, idle)} idle`]),
    ...sources.map(
      ({ source_address: source, assets }) => `${assetsText(vault, assets)} from ${sourceName(vault, source)}`,
    ),
    ...(missing === null || missing === '0' ? [] : [`${assetsText(vault, missing)} missing`]),
  ];
  return (
    <>
      <Pill tone={tone} title={meaning}>
        {word}
      </Pill>
      {parts.map((part) => (
        <span key={part} className="block text-12 text-muted">
          {part}
        </span>
      ))}
    </>
  );
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
