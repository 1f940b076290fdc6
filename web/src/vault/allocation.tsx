import { lazy, Suspense, useMemo, useState } from 'react';
import { Link } from 'react-router';
import type { Vault } from '../data/queries.ts';
import { AddressTag } from '../design/address-tag.tsx';
import { Card } from '../design/card.tsx';
import { Pill } from '../design/pill.tsx';
import { PlainTable } from '../design/plain-table.tsx';
import { Empty } from '../design/states.tsx';
import { DataTable, type Sorting, type TableColumn } from '../design/table.tsx';
import { compareDecimals, formatAmount, formatExact } from '../format/amount.ts';
import { formatShare, formatUsd, formatUsdFull, NONE } from '../format/figures.ts';
import { formatUtc } from '../format/time.ts';
import { useMoment } from '../moment/use-moment.ts';
import { yieldSourcesPath } from '../navigation/paths.ts';
import { useView } from '../period/use-view.ts';
import type { Read } from '../receipts/metric.tsx';
import { useRead } from '../receipts/use-read.ts';
import { AllocationOverTime, sourceName } from './allocation-over-time.tsx';
import { colourOf, Donut } from './donut.tsx';
import { assetsText } from './money.ts';
import { slicesOf } from './slices.ts';
import type { Shown } from './vault-gate.tsx';

type Item = Vault['allocation'][number];

const TargetsPanel = lazy(() => import('../targets/targets-panel.tsx'));
/** What is kept for it while its code loads. */
const noPanel = <div className="h-84" />;

/** Where the assets are, and where they were. */
export default function Allocation({ shown }: { shown: Shown }) {
  const { vault, chain } = shown;
  const { span } = useView(vault);
  const { at } = useMoment();
  const read = useRead(shown, 'analyticsAllocation', { ...span, points: '200' });
  return (
    <>
      {at === undefined ? (
        <AllocationNow vault={vault} explorerUrl={chain.explorer_url} />
      ) : (
        <AllocationThen vault={vault} read={read} />
      )}
      {at === undefined && vault.my_role !== null ? (
        <Suspense fallback={noPanel}>
          <TargetsPanel
            shown={shown}
            action={() => (
              <Link to={yieldSourcesPath(chain.slug, vault.vault_address)} className="link text-13 print:hidden">
                Set on the page Yield sources
              </Link>
            )}
          />
        </Suspense>
      ) : null}
      <AllocationOverTime vault={vault} read={read} />
    </>
  );
}

/** The last reading before a past moment. */
function AllocationThen({ vault, read }: { vault: Vault; read: Read<'analyticsAllocation'> }) {
  const last = read.result.data?.points.at(-1);
  if (last === undefined) return null;
  const kinds = new Map(read.result.data?.sources.map(({ source_address, kind }) => [source_address, kind]));
  const items = last.sources.map((item) => ({
    ...item,
    name: sourceName(vault, item.source_address, kinds.get(item.source_address)),
  }));
  return (
    <div className="grid grid-cols-1 gap-3 xl:grid-cols-[280px_minmax(0,1fr)]">
      <Card className="flex flex-col items-center justify-center">
        <Donut slices={slicesOf(items)} total={undefined} />
      </Card>
      <Card isFlush>
        <PlainTable
          label="Allocation by source"
          head={['Source', 'Assets', 'Share']}
          rows={items.map(({ source_address: id, name, assets, share }) => ({
            id,
            cells: [
              name,
              assets === null ? `${NONE} not readable` : assetsText(vault, assets),
              share === null ? NONE : formatShare(share),
            ],
          }))}
        />
        <p className="px-4 py-2 text-12 text-muted">{`Read at ${formatUtc(last.t)}`}</p>
      </Card>
    </div>
  );
}

function AllocationNow({ vault, explorerUrl }: { vault: Vault; explorerUrl: string | null | undefined }) {
  const [sorting, setSorting] = useState<Sorting>({ id: 'assets', desc: true });
  const slices = useMemo(() => slicesOf(vault.allocation), [vault.allocation]);
  const columns = useMemo(() => columnsOf(vault, explorerUrl), [vault, explorerUrl]);
  if (vault.allocation.length === 0) {
    return (
      <Card>
        <Empty title="Nothing is allocated yet">Sources appear here once the primary manager adds them.</Empty>
      </Card>
    );
  }
  return (
    <div className="grid grid-cols-1 gap-3 xl:grid-cols-[280px_minmax(0,1fr)]">
      <Card className="flex flex-col items-center justify-center">
        <Donut slices={slices} total={vault.tvl_usd === null ? undefined : formatUsd(vault.tvl_usd)} />
      </Card>
      <Card isFlush>
        <DataTable
          label="Allocation by source"
          columns={columns}
          rows={vault.allocation}
          rowId={(item) => item.source_address}
          sorting={sorting}
          onSort={setSorting}
        />
      </Card>
    </div>
  );
}

function columnsOf(vault: Vault, explorerUrl: string | null | undefined): TableColumn<Item>[] {
  const order = slicesOf(vault.allocation).map(({ id }) => id);
  return [
    {
      id: 'name',
      header: 'Source',
      sort: { compare: (left, right) => left.name.localeCompare(right.name) },
      cell: (item) => (
        <span className="flex items-start gap-2">
          <span
            aria-hidden="true"
            className="mt-1.5 size-2.5 shrink-0 rounded-sm"
            style={{ background: colourOf(order.indexOf(item.source_address)) }}
          />
          <span className="min-w-0">
            <span className="block font-medium">{item.name}</span>
            <AddressTag value={item.source_address} what={`${item.name} address`} explorerUrl={explorerUrl} />
          </span>
        </span>
      ),
    },
    {
      id: 'assets',
      header: 'Assets',
      sort: {
        compare: (left, right) => compareDecimals(left.assets ?? '0', right.assets ?? '0'),
        isMissing: ({ assets }) => assets === null,
        largestFirst: true,
      },
      cell: (item) => <Assets vault={vault} item={item} />,
      // The last one that a phone shows.
      meta: { align: 'right', className: 'max-sm:pr-4' },
    },
    {
      id: 'share',
      header: 'Share',
      sort: {
        compare: (left, right) => (left.share ?? 0) - (right.share ?? 0),
        isMissing: ({ share }) => share === null,
        largestFirst: true,
      },
      cell: (item) => <Share share={item.share} />,
      meta: { align: 'right', className: 'hidden sm:table-cell' },
    },
    {
      id: 'oracle',
      header: 'Oracle',
      cell: (item) =>
        item.oracle_address === null ? (
          <span className="whitespace-nowrap text-muted" title="Idle assets are counted one to one">
            {NONE} not needed
          </span>
        ) : (
          <AddressTag value={item.oracle_address} what={`${item.name} oracle`} explorerUrl={explorerUrl} />
        ),
      meta: { className: 'hidden md:table-cell' },
    },
    {
      id: 'status',
      header: 'Status',
      sort: { compare: (left, right) => statusOf(left).word.localeCompare(statusOf(right).word) },
      cell: (item) => <Pill tone={statusOf(item).tone}>{statusOf(item).word}</Pill>,
      meta: { className: 'hidden sm:table-cell' },
    },
  ];
}

function statusOf(item: Item): { word: string; tone: 'ok' | 'plain' | 'info' } {
  if (item.kind === 'idle') return { word: 'Idle', tone: 'info' };
  return item.is_active ? { word: 'Active', tone: 'ok' } : { word: 'Inactive', tone: 'plain' };
}

function Assets({ vault, item }: { vault: Vault; item: Item }) {
  if (item.assets === null) return <span title="The source could not be read at this block">{NONE} not readable</span>;
  return (
    <>
      <span
        className="block whitespace-nowrap"
        title={`${formatExact(item.assets, vault.asset.decimals)} ${vault.asset.symbol}`}
      >
        {`${formatAmount(item.assets, vault.asset.decimals)} ${vault.asset.symbol}`}
      </span>
      <span className="block text-12 text-muted" title={item.usd === null ? undefined : formatUsdFull(item.usd)}>
        {item.usd === null ? 'no dollar price' : formatUsd(item.usd)}
        {item.share === null ? null : <span className="sm:hidden">{` · ${formatShare(item.share)}`}</span>}
      </span>
    </>
  );
}

function Share({ share }: { share: number | null }) {
  if (share === null) return <span title="A source could not be read at this block">{NONE}</span>;
  return (
    <span className="inline-flex flex-col items-end gap-1">
      {formatShare(share)}
      <span aria-hidden="true" className="block h-1 w-20 overflow-hidden rounded-full bg-raised">
        <span className="block h-full rounded-full bg-accent" style={{ width: `${Math.min(1, share) * 100}%` }} />
      </span>
    </span>
  );
}
