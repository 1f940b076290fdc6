import { Card } from '../../design/card.tsx';
import { PlainTable } from '../../design/plain-table.tsx';
import { RowSkeletons } from '../../design/states.tsx';
import { formatPoints, formatShare, formatSignedShare, NONE } from '../../format/figures.ts';
import { whyNot } from '../../period/period.ts';
import { useView } from '../../period/use-view.ts';
import type { Read } from '../../receipts/metric.tsx';
import { ReceiptValue } from '../../receipts/receipt-value.tsx';
import type { Shown } from '../vault-gate.tsx';

const windows = [
  ['h24', '24 hours', '24h'],
  ['d7', '7 days', '7d'],
  ['d30', '30 days', '30d'],
  ['d90', '90 days', '90d'],
  ['since_inception', 'Since inception', 'all'],
] as const;

type Props = { shown: Shown; of: Read<'analyticsPerformance'> };

/** Returns over fixed windows beside what they come to in a year, net and gross. A day is never annualised. */
export function ReturnsTable({ shown, of }: Props) {
  const { ageSeconds } = useView(shown.vault);
  const { data } = of.result;
  return (
    <Card isFlush className="flex flex-col">
      <h3 className="px-3 pt-4 text-14 font-semibold sm:px-4">Returns by window</h3>
      <p className="px-3 pb-2 text-13 text-muted sm:px-4">Net of fees; gross APY counts the fees back in.</p>
      {data === undefined ? (
        of.result.isError ? null : (
          <RowSkeletons rows={5} />
        )
      ) : (
        <PlainTable
          label="Returns by window"
          head={['Window', 'Return', 'Net APY', 'Gross APY', 'Fee drag']}
          rows={windows.map(([key, name, period]) => {
            const reason = whyNot(period, ageSeconds);
            const figure = (value: number | null, path: string, label: string, show: (value: number) => string) => (
              <ReceiptValue key={path} of={of} path={`${path}.${key}`} label={`${label} over ${name}`}>
                {value === null ? null : show(value)}
              </ReceiptValue>
            );
            // Over a window longer than its life a vault returned what it did since inception, which has a row of its own.
            if (reason !== undefined)
              return {
                id: key,
                cells: [<Young key="window" name={name} reason={reason} />, ...noneBecause(reason, 4)],
              };
            const first = [name, figure(data.period_return[key], 'period_return', 'return', formatSignedShare)];
            if (key === 'h24') return { id: key, cells: [...first, ...noneBecause('A day is not annualised', 3)] };
            return {
              id: key,
              cells: [
                ...first,
                figure(data.apy[key], 'apy', 'net APY', formatShare),
                figure(data.gross_apy[key], 'gross_apy', 'gross APY', formatShare),
                figure(data.fee_drag[key], 'fee_drag', 'fee drag', formatPoints),
              ],
            };
          })}
        />
      )}
    </Card>
  );
}

const Young = ({ name, reason }: { name: string; reason: string }) => (
  <>
    {name}
    <span className="block font-normal text-muted">{reason}</span>
  </>
);

const noneBecause = (reason: string, count: number) =>
  ['return', 'net', 'gross', 'drag'].slice(-count).map((column) => (
    <span key={column} title={reason}>
      {NONE}
    </span>
  ));
