import { Card } from '../../design/card.tsx';
import { PlainTable } from '../../design/plain-table.tsx';
import { RowSkeletons } from '../../design/states.tsx';
import { formatSignedShare, formatSignedUsd } from '../../format/figures.ts';
import type { Read } from '../../receipts/metric.tsx';
import { ReceiptValue } from '../../receipts/receipt-value.tsx';

const windows = [
  ['h24', '24 hours'],
  ['d7', '7 days'],
  ['d30', '30 days'],
] as const;
const parts = [
  ['flow', 'Deposits less withdrawals'],
  ['yield', 'Yield'],
  ['fees', 'Performance fees taken'],
  ['price', 'Price of the asset'],
  ['total', 'Change in all'],
] as const;

/** Where a change of TVL came from; the four parts add up to it. */
export function ChangeSplit({ of }: { of: Read<'analyticsPerformance'> }) {
  const { data } = of.result;
  return (
    <Card isFlush className="flex flex-col">
      <h3 className="px-3 pt-4 text-14 font-semibold sm:px-4">What changed the TVL</h3>
      <p className="px-3 pb-2 text-13 text-muted sm:px-4">
        In US dollars whichever unit is chosen; the parts are priced at the mean of both ends and add up to the change.
      </p>
      {data === undefined ? (
        of.result.isError ? null : (
          <RowSkeletons rows={5} />
        )
      ) : (
        <PlainTable
          label="What changed the TVL"
          head={['Part', ...windows.map(([, name]) => name)]}
          rows={[
            ...parts.map(([part, name]) => ({
              id: part,
              cells: [
                name,
                ...windows.map(([key, span]) => {
                  const value = data.tvl_change_split[key][part];
                  return (
                    <ReceiptValue key={key} of={of} path={`tvl_change_split.${key}.${part}`} label={`${name}, ${span}`}>
                      {value === null ? null : formatSignedUsd(value)}
                    </ReceiptValue>
                  );
                }),
              ],
            })),
            {
              id: 'asset',
              cells: [
                'Change in asset units',
                ...windows.map(([key, span]) => {
                  const value = data.tvl_change[key];
                  return (
                    <ReceiptValue key={key} of={of} path={`tvl_change.${key}`} label={`change in asset units, ${span}`}>
                      {value === null ? null : formatSignedShare(value)}
                    </ReceiptValue>
                  );
                }),
              ],
            },
          ]}
        />
      )}
    </Card>
  );
}
