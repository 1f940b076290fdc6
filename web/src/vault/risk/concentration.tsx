import { Card } from '../../design/card.tsx';
import { PlainTable } from '../../design/plain-table.tsx';
import { Empty, RowSkeletons } from '../../design/states.tsx';
import { formatHhi, formatShare } from '../../format/figures.ts';
import { ReadFailure } from '../../receipts/read-failure.tsx';
import { ReceiptValue } from '../../receipts/receipt-value.tsx';
import { useRead } from '../../receipts/use-read.ts';
import { sourceName } from '../allocation-over-time.tsx';
import { assetsText } from '../money.ts';
import type { Shown } from '../vault-gate.tsx';

/** Where the assets are, and how much each place adds to the concentration. */
export function Concentration({ shown }: { shown: Shown }) {
  const { vault } = shown;
  const read = useRead(shown, 'analyticsConcentration');
  const { data, isError } = read.result;
  if (data === undefined && isError) return <ReadFailure of={read} what="The concentration" />;
  return (
    <Card isFlush className="flex flex-col">
      <h3 className="px-3 pt-4 text-14 font-semibold sm:px-4">Concentration by source</h3>
      <p className="min-h-5 px-3 pb-2 text-13 text-muted sm:px-4">
        {data === undefined
          ? ''
          : data.largest === null
            ? 'No reading of the sources found assets by this moment.'
            : `${sourceName(vault, data.largest.source_address)} holds the most, ${formatShare(data.largest.share)}.`}
      </p>
      {data === undefined ? (
        <RowSkeletons rows={4} />
      ) : data.sources.length === 0 ? (
        <Empty title="Nothing is allocated yet">Sources appear here with the first reading that finds assets.</Empty>
      ) : (
        <PlainTable
          label="Concentration by source"
          head={['Source', 'Assets', 'Share', 'HHI points']}
          rows={data.sources.map(({ source_address: id, kind, assets, share, contribution }, index) => {
            const name = sourceName(vault, id, kind);
            return {
              id,
              cells: [
                name,
                <ReceiptValue key="assets" of={read} path={`sources.${index}.assets`} label={`assets of ${name}`}>
                  {assets === null ? null : assetsText(vault, assets)}
                </ReceiptValue>,
                <ReceiptValue key="share" of={read} path={`sources.${index}.share`} label={`share of ${name}`}>
                  {share === null ? null : formatShare(share)}
                </ReceiptValue>,
                <ReceiptValue
                  key="part"
                  of={read}
                  path={`sources.${index}.contribution`}
                  label={`HHI points of ${name}`}
                >
                  {contribution === null ? null : formatHhi(contribution)}
                </ReceiptValue>,
              ],
            };
          })}
        />
      )}
    </Card>
  );
}
