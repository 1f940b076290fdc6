import { Card } from '../../design/card.tsx';
import { PlainTable } from '../../design/plain-table.tsx';
import { RowSkeletons } from '../../design/states.tsx';
import { formatShare, formatSignedShare, NONE } from '../../format/figures.ts';
import type { Read } from '../../receipts/metric.tsx';
import { ReceiptValue } from '../../receipts/receipt-value.tsx';

const windows = [
  ['h24', '24 hours'],
  ['d7', '7 days'],
  ['d30', '30 days'],
  ['d90', '90 days'],
  ['since_inception', 'Since inception'],
] as const;

const shown = (value: number | null, show = formatShare) => (value === null ? null : show(value));

/** Returns over fixed windows beside what they come to in a year, net and gross. A day is never annualised. */
export function ReturnsTable({ of }: { of: Read<'analyticsPerformance'> }) {
  const { data } = of.result;
  return (
    <Card isFlush className="flex flex-col">
      <h3 className="px-4 pt-4 text-14 font-semibold">Returns by window</h3>
      <p className="px-4 pb-2 text-13 text-muted">Net of fees; gross APY counts the fees back in.</p>
      {data === undefined ? (
        of.result.isError ? null : (
          <RowSkeletons rows={5} />
        )
      ) : (
        <PlainTable
          label="Returns by window"
          head={['Window', 'Return', 'Net APY', 'Gross APY', 'Fee drag']}
          rows={windows.map(([key, name]) => ({
            id: key,
            cells: [
              name,
              <ReceiptValue key="return" of={of} path={`period_return.${key}`} label={`return over ${name}`}>
                {shown(data.period_return[key], formatSignedShare)}
              </ReceiptValue>,
              key === 'h24' ? (
                <span key="net" title="A day is not annualised">
                  {NONE}
                </span>
              ) : (
                <ReceiptValue key="net" of={of} path={`apy.${key}`} label={`net APY over ${name}`}>
                  {shown(data.apy[key])}
                </ReceiptValue>
              ),
              key === 'h24' ? (
                <span key="gross" title="A day is not annualised">
                  {NONE}
                </span>
              ) : (
                <ReceiptValue key="gross" of={of} path={`gross_apy.${key}`} label={`gross APY over ${name}`}>
                  {shown(data.gross_apy[key])}
                </ReceiptValue>
              ),
              key === 'h24' ? (
                <span key="drag" title="A day is not annualised">
                  {NONE}
                </span>
              ) : (
                <ReceiptValue key="drag" of={of} path={`fee_drag.${key}`} label={`fee drag over ${name}`}>
                  {shown(data.fee_drag[key])}
                </ReceiptValue>
              ),
            ],
          }))}
        />
      )}
    </Card>
  );
}
