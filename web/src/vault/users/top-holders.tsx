import type { AnalyticsResult } from '../../data/use-analytics.ts';
import { AddressTag } from '../../design/address-tag.tsx';
import { Card } from '../../design/card.tsx';
import { Empty, RowSkeletons } from '../../design/states.tsx';
import { formatAmount } from '../../format/amount.ts';
import { formatCount, formatShare, formatSignedShare, formatSignedUsd, formatUsdFull } from '../../format/figures.ts';
import { ExportButton } from '../../lists/export-button.tsx';
import { More } from '../../lists/more.tsx';
import { type RowsColumn, RowsTable } from '../../lists/rows-table.tsx';
import { When } from '../../lists/when.tsx';
import { type MoneyUnit, useView } from '../../period/use-view.ts';
import { ReadFailure } from '../../receipts/read-failure.tsx';
import type { Pages } from '../../receipts/use-pages.ts';
import { assetsExact, assetsSigned, dollarsAt, moneyText, tokens } from '../money.ts';
import type { Shown } from '../vault-gate.tsx';

export type Holder = AnalyticsResult<'analyticsTopHolders'>['holders'][number];
type Props = { shown: Shown; pages: Pages<'analyticsTopHolders'> };

/** The largest holders, and how much of what can be paid at once each would take. */
export function TopHolders({ shown, pages: { list, head } }: Props) {
  const { unit } = useView(shown.vault);
  const first = head.result.data;
  const rows = list.data?.pages.flatMap((page) => page.holders) ?? [];
  return (
    <Card isFlush>
      <div className="flex flex-wrap items-center justify-between gap-3 border-b p-4">
        <h3 className="text-14 font-semibold">Largest holders</h3>
        <ExportButton
          label="Download all holders as CSV"
          vault={shown.vault}
          dataset="users"
          range={{}}
          isDisabled={rows.length === 0}
        />
      </div>
      {first === undefined ? (
        list.isError ? (
          <div className="p-4">
            <ReadFailure of={head} what="The largest holders" />
          </div>
        ) : (
          <RowSkeletons rows={5} />
        )
      ) : rows.length === 0 ? (
        <Empty title="Nobody holds the vault yet">Holders appear with the first deposit.</Empty>
      ) : (
        <>
          <RowsTable
            label="Largest holders"
            columns={columnsOf(shown, unit, first.as_of, priceOf(shown.vault, rows))}
            rows={rows}
            rowId={({ wallet_address: wallet }) => wallet}
            isOld={list.isPlaceholderData}
          />
          <More list={list} shown={rows.length} total={first.total} what={first.total === 1 ? 'holder' : 'holders'} />
        </>
      )}
    </Card>
  );
}

/** The price that all values are counted with, from the largest; where nobody has assets, that of the page. */
function priceOf({ asset }: Shown['vault'], rows: readonly Holder[]): number | null {
  const largest = rows.find(({ assets }) => assets !== '0');
  if (largest === undefined) return asset.price_usd;
  return largest.usd === null ? null : largest.usd / tokens(largest.assets, asset.decimals);
}

function columnsOf({ vault, chain }: Shown, unit: MoneyUnit, asOf: string, price: number | null): RowsColumn<Holder>[] {
  return [
    { id: 'rank', header: '#', align: 'right', cell: ({ rank }) => formatCount(rank) },
    {
      id: 'wallet',
      header: 'Holder',
      cell: ({ wallet_address: wallet }) => (
        <AddressTag value={wallet} what="holder" explorerUrl={chain.explorer_url} />
      ),
    },
    {
      id: 'value',
      header: 'Value',
      align: 'right',
      cell: ({ assets, usd, shares, pending_shares: pending }) => (
        <span title={`${assetsExact(vault, assets)}${usd === null ? '' : ` · ${formatUsdFull(usd)}`}`}>
          <span className="block whitespace-nowrap">{moneyText(vault, unit, assets, usd)}</span>
          <span className="block text-12 whitespace-nowrap text-muted">
            {`${formatAmount(shares, vault.vault_share_decimals)} ${vault.symbol}`}
          </span>
          {pending === '0' ? null : (
            <span className="block text-12 text-brass sm:whitespace-nowrap">
              {`${formatAmount(pending, vault.vault_share_decimals)} wait for redemption`}
            </span>
          )}
        </span>
      ),
    },
    {
      id: 'share',
      header: 'Of supply',
      align: 'right',
      cell: ({ share, instant_liquidity_use: use }) => (
        <>
          <span className="block">{formatShare(share)}</span>
          <LiquidityUse use={use} />
        </>
      ),
    },
    {
      id: 'flow',
      header: 'Net flow 30 d',
      align: 'right',
      cell: (holder) => <NetFlow holder={holder} vault={vault} unit={unit} price={price} />,
      className: 'hidden md:table-cell',
    },
    {
      id: 'gain',
      header: 'Gain, result, XIRR',
      align: 'right',
      cell: (holder) => <Gain holder={holder} vault={vault} unit={unit} />,
      className: 'hidden md:table-cell',
    },
    {
      id: 'since',
      header: 'Since, last action',
      cell: ({ first_seen: since, last_active: last }) => (
        <>
          <span className="block">
            <When at={since} asOf={asOf} />
          </span>
          <span className="block text-12 text-muted">
            {last === null ? 'only transfers so far' : <When at={last} asOf={asOf} />}
          </span>
        </>
      ),
      className: 'hidden lg:table-cell',
    },
  ];
}

/** What this holder would take of all that can be paid at once. */
function LiquidityUse({ use }: { use: number | null }) {
  if (use === null) return <span className="block text-12 text-muted">liquidity not known</span>;
  return (
    <span className={`block text-12 sm:whitespace-nowrap ${use > 1 ? 'text-danger' : 'text-muted'}`}>
      {`${formatShare(use)} of instant liquidity`}
    </span>
  );
}

type CellProps = { holder: Holder; vault: Shown['vault']; unit: MoneyUnit };

/** In dollars at the price of the values, as the gain beside it is; of one who holds nothing more too. */
function NetFlow({ holder: { net_flow_30d: flow }, vault, unit, price }: CellProps & { price: number | null }) {
  const dollars = dollarsAt(vault, flow, price);
  return (
    <span title={assetsExact(vault, flow)} className="whitespace-nowrap">
      {unit === 'usd' && dollars !== null ? formatSignedUsd(dollars) : assetsSigned(vault, flow)}
    </span>
  );
}

function Gain({ holder, vault, unit }: CellProps) {
  const { pnl_assets: gain, pnl_usd: dollars, result_usd: result, xirr } = holder;
  const text = unit === 'usd' && dollars !== null ? formatSignedUsd(dollars) : assetsSigned(vault, gain);
  return (
    <span title={assetsExact(vault, gain)}>
      <span className={`block whitespace-nowrap ${text.startsWith('−') ? 'text-danger' : ''}`}>{text}</span>
      {result === null ? null : (
        <span className="block text-12 whitespace-nowrap text-muted">{`${formatSignedUsd(result)} on cost`}</span>
      )}
      {xirr === null ? null : (
        <span className="block text-12 whitespace-nowrap text-muted">{`${formatSignedShare(xirr)} XIRR`}</span>
      )}
    </span>
  );
}
