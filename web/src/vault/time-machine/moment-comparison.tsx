import { useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useApp } from '../../client/services.ts';
import { keys, mandateQuery } from '../../data/queries.ts';
import { type AnalyticsId, type AnalyticsResult, readAnalytics } from '../../data/use-analytics.ts';
import { Card } from '../../design/card.tsx';
import { PlainTable } from '../../design/plain-table.tsx';
import { Empty, Failure, RowSkeletons } from '../../design/states.tsx';
import { Switch } from '../../design/switch.tsx';
import { formatUtc } from '../../format/time.ts';
import { useKeptAfterSession, useViewer } from '../../session/use-session.ts';
import type { Shown } from '../vault-gate.tsx';
import { comparedGroups, comparedRows, type MomentReads, mandateWords } from './comparison.ts';
import { observedWords } from './observed-words.ts';
import { isNone } from './use-marks.ts';

/** The reads of a moment with the least of each that answers it. */
const asked = [
  ['overview', 'analyticsOverview', {}],
  ['pps', 'analyticsPps', { period: '24h', points: '2' }],
  ['risk', 'analyticsRisk', {}],
  ['state', 'analyticsState', {}],
  ['allocation', 'analyticsAllocation', { period: 'all', points: '2' }],
  ['operations', 'analyticsOperations', { period: '24h' }],
] as const satisfies readonly (readonly [keyof MomentReads, AnalyticsId, object])[];

/** Everything of one moment that is compared; `now` for the present. */
function useMomentReads(shown: Shown, moment: string) {
  const { api, staleMs } = useApp();
  const { chain_id, vault_address } = shown.vault;
  const isNow = moment === 'now';
  const reads = useQueries({
    queries: asked.map(([, id, query]) => ({
      queryKey: [...keys.analytics(chain_id, vault_address, moment), id, query] as readonly unknown[],
      queryFn: (): Promise<AnalyticsResult<AnalyticsId>> =>
        readAnalytics(api, id as AnalyticsId, shown, isNow ? query : { ...query, at: moment }),
      staleTime: isNow ? staleMs(id) : Number.POSITIVE_INFINITY,
    })),
  });
  const found = Object.fromEntries(asked.map(([name], index) => [name, reads[index]?.data])) as Omit<
    MomentReads,
    'mandate'
  >;
  const failed = reads.find(({ error }) => error !== null);
  return {
    reads: found,
    isLoading: reads.some(({ isPending }) => isPending),
    error: failed?.error ?? null,
    retry: () => {
      for (const { error, refetch } of reads) if (error !== null) void refetch();
    },
  };
}

/** The mandate as the page reads it; none where there is none, or it is not for the reader. */
function useMandate({ vault }: Shown) {
  const { api } = useApp();
  const read = useQuery({ ...mandateQuery(api, useViewer(), vault), enabled: useKeptAfterSession() });
  return { ...read, error: isNone(read.error) ? null : read.error };
}

export const momentWords = (moment: string): string => (moment === 'now' ? 'Now' : formatUtc(moment));

type Props = { shown: Shown; moments: readonly [string, string] };

/** Two moments of the vault side by side; first of all what differs. */
export function MomentComparison({ shown, moments: [first, second] }: Props) {
  const [isWhole, setIsWhole] = useState(false);
  const one = useMomentReads(shown, first);
  const other = useMomentReads(shown, second);
  const mandate = useMandate(shown);
  const error = one.error ?? other.error ?? mandate.error;
  const retry = () => {
    one.retry();
    other.retry();
    if (mandate.error !== null) void mandate.refetch();
  };
  const mandateAt = (moment: string) => (mandate.data === undefined ? undefined : mandateWords(mandate.data, moment));
  const rows = comparedRows(shown.vault, [
    { ...one.reads, mandate: mandateAt(first) },
    { ...other.reads, mandate: mandateAt(second) },
  ]);
  const listed = isWhole ? rows : rows.filter(({ differs }) => differs);
  const isLoading = one.isLoading || other.isLoading || mandate.isLoading;
  return (
    <Card isFlush className="flex flex-col">
      <div className="flex flex-wrap items-center justify-between gap-2 px-3 pt-4 pb-2 sm:px-4">
        <h3 className="text-14 font-semibold">{`What differs between ${momentWords(first)} and ${momentWords(second)}`}</h3>
        <Switch label="Also what is the same" isSelected={isWhole} onChange={setIsWhole} />
      </div>
      <ul className="flex flex-col px-3 pb-2 text-12 sm:px-4 text-muted">
        {[
          { moment: first, state: one.reads.state },
          { moment: second, state: other.reads.state },
        ].map(({ moment, state }) => (
          <li key={moment}>{`${momentWords(moment)}: ${state === undefined ? '…' : observedWords(state)}`}</li>
        ))}
      </ul>
      {error === null ? null : (
        <div className="px-3 pb-3 sm:px-4">
          <Failure error={error} title="A part of this comparison could not be read" retry={retry} />
        </div>
      )}
      {comparedGroups.map((group) => {
        const ofGroup = listed.filter((row) => row.group === group);
        return ofGroup.length === 0 ? null : (
          <PlainTable
            key={group}
            label={`${group} at both moments`}
            head={[group, momentWords(first), momentWords(second), 'Change']}
            rows={ofGroup.map(({ name, values, change }) => ({
              id: name,
              cells: [name, values[0], values[1], change ?? ''],
            }))}
          />
        );
      })}
      {isLoading ? <RowSkeletons rows={2} /> : null}
      {!isLoading && error === null && listed.length === 0 ? (
        <Empty title="Nothing differs">
          Settings, roles, allocation, risk and figures are the same at both moments.
        </Empty>
      ) : null}
    </Card>
  );
}
