import { clsx } from 'clsx';
import { TriangleAlert } from 'lucide-react';
import { Link } from 'react-router';
import { chainById } from '../client/config.ts';
import { useApp } from '../client/services.ts';
import { Card } from '../design/card.tsx';
import { ScrollRegion } from '../design/scroll-region.tsx';
import { NONE } from '../format/figures.ts';
import { Term } from '../glossary/term.tsx';
import { vaultPath } from '../navigation/paths.ts';
import { qualityWords } from '../receipts/receipt-text.ts';
import { vaultKey } from './chosen.ts';
import type { Comparison } from './comparison.ts';
import { type MetricRow, metricRows } from './metrics.ts';
import { SeriesSwatch } from './series-style.tsx';

type Vault = Comparison['table'][number];
type Props = { comparison: Comparison; isOld: boolean };

/** One figure a row, one vault a column. A missing value says why. */
export function CompareTable({ comparison, isOld }: Props) {
  const { config } = useApp();
  return (
    <Card isFlush className={clsx(isOld && 'opacity-70 grayscale')}>
      <ScrollRegion label="Comparison, scrollable" className="scroll-cue relative overflow-x-auto">
        <table aria-label="Comparison" className="w-full border-collapse text-left">
          <thead>
            <tr>
              <th
                scope="col"
                className="sticky left-0 z-10 border-b bg-surface px-3 py-3 align-bottom label-caps sm:min-w-36 sm:px-4"
              >
                Figure
              </th>
              {comparison.table.map((vault, index) => (
                <th
                  key={vaultKey(vault)}
                  scope="col"
                  className="min-w-18 border-b px-1.5 py-3 text-right align-bottom text-13 sm:min-w-32 sm:px-4 sm:text-14"
                >
                  <span className="inline-flex items-center gap-1 sm:gap-2">
                    <SeriesSwatch index={index} />
                    <Link
                      to={vaultPath(
                        chainById(config, vault.chain_id)?.slug ?? String(vault.chain_id),
                        vault.vault_address,
                      )}
                      className="font-medium hover:text-accent"
                    >
                      {vault.name}
                    </Link>
                  </span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {metricRows.map((row) => (
              <tr key={row.id} className="border-b last:border-b-0">
                <th
                  scope="row"
                  className="sticky left-0 z-10 bg-surface px-3 py-2 align-baseline text-13 font-normal sm:px-4 sm:text-14"
                >
                  <span className="block font-medium">
                    <Term>{row.name}</Term>
                  </span>
                  <span className="block text-12 text-muted max-sm:sr-only">{row.hint}</span>
                </th>
                {comparison.table.map((vault) => (
                  <td
                    key={vaultKey(vault)}
                    className="px-1.5 py-2 text-right align-baseline text-13 whitespace-nowrap sm:px-4 sm:text-14"
                  >
                    <Value row={row} vault={vault} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </Card>
  );
}

function Value({ row, vault }: { row: MetricRow; vault: Vault }) {
  const value = vault.metrics[row.id] ?? null;
  const reason = qualityWords(vault.quality[row.id]);
  if (value === null) {
    return (
      <>
        <span className="block">{NONE}</span>
        <span className="block text-12 whitespace-normal text-muted">{reason ?? 'No data yet'}</span>
      </>
    );
  }
  return (
    <>
      <span className="block font-medium" title={row.exact?.(value)}>
        {row.show(value)}
      </span>
      {reason === undefined ? null : (
        <span className="inline-flex items-center gap-1 text-12 whitespace-normal text-brass sm:whitespace-nowrap">
          <TriangleAlert size={12} aria-hidden="true" className="shrink-0" />
          {reason}
        </span>
      )}
    </>
  );
}
