import { Card } from '../../design/card.tsx';
import { Skeleton } from '../../design/states.tsx';
import { formatAmount, formatExact } from '../../format/amount.ts';
import { formatBps, formatCount, formatUsd, formatUsdFull, NONE } from '../../format/figures.ts';
import { type RowsColumn, RowsTable } from '../../lists/rows-table.tsx';
import { useView } from '../../period/use-view.ts';
import { ReceiptValue } from '../../receipts/receipt-value.tsx';
import type { PartProps } from './part.ts';
import { type Operations, type PayerName, payerNames, payerWords } from './transaction-labels.ts';

/** Wei have 18 decimals whatever the coin of the chain is called. */
const WEI_DECIMALS = 18;

type Row = { name: PayerName } & Operations['gas']['by_payer'][PayerName];

/** What transactions cost, and who paid: sums that mix payers say nothing to any of them. */
export function GasTable({ shown: { vault, chain }, operations }: PartProps) {
  const { words } = useView(vault);
  const { data, isError, isPlaceholderData } = operations.result;
  if (data === undefined) return isError ? null : <Skeleton className="h-64 w-full" />;
  const { gas } = data;
  const symbol = chain.native_symbol;
  const rows = payerNames.map((name): Row => ({ name, ...gas.by_payer[name] }));
  const native = (raw: string | null) => (raw === null ? null : `${formatAmount(raw, WEI_DECIMALS)} ${symbol}`);
  return (
    <Card isFlush>
      <div className="border-b p-4">
        <h3 className="text-14 font-semibold">Gas by who paid it</h3>
        <p className="text-13 text-muted">
          {[
            `${native(gas.total)}${gas.usd === null ? '' : ` (${formatUsd(gas.usd)})`} ${words}`,
            ...(gas.tvl_bps_per_year === null ? [] : [`${formatBps(gas.tvl_bps_per_year)} of the assets a year`]),
          ].join(', ')}
        </p>
      </div>
      <RowsTable
        label="Gas by payer"
        columns={columnsOf(symbol)}
        rows={rows}
        rowId={({ name }) => name}
        isOld={isPlaceholderData || isError}
      />
      <dl className="flex flex-wrap gap-x-6 gap-y-1 border-t px-4 py-2 text-13">
        {(['average', 'p50', 'p95'] as const).map((name) => (
          <div key={name} className="flex items-center gap-1">
            <dt className="text-muted">{quantileWords[name]}</dt>
            <dd>
              <ReceiptValue of={operations} path={`gas.${name}`} label={`gas, ${quantileWords[name]}`}>
                {native(gas[name])}
              </ReceiptValue>
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

const quantileWords = { average: 'Average', p50: 'Half cost less than', p95: '95% cost less than' } as const;

const columnsOf = (symbol: string): RowsColumn<Row>[] => [
  { id: 'payer', header: 'Paid by', cell: ({ name }) => payerWords[name] },
  { id: 'count', header: 'Transactions', align: 'right', cell: ({ transactions }) => formatCount(transactions) },
  {
    id: 'gas',
    header: 'Gas used',
    align: 'right',
    cell: ({ gas_used: used }) => <span title={formatExact(used, 0)}>{formatAmount(used, 0)}</span>,
    className: 'hidden sm:table-cell',
  },
  {
    id: 'cost',
    header: 'Cost',
    align: 'right',
    cell: ({ total }) => (
      <span title={`${formatExact(total, WEI_DECIMALS)} ${symbol}`} className="whitespace-nowrap">
        {`${formatAmount(total, WEI_DECIMALS)} ${symbol}`}
      </span>
    ),
  },
  {
    id: 'usd',
    header: 'Cost then',
    align: 'right',
    className: 'whitespace-nowrap',
    cell: ({ usd }) =>
      usd === null ? (
        <span title="The coin had no dollar price then">{NONE}</span>
      ) : (
        <span title={formatUsdFull(usd)}>{formatUsd(usd)}</span>
      ),
  },
];
