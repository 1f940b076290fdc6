import { feedKinds, feedSeverities } from '@castellan/contracts';
import type { ReactNode } from 'react';
import { Card } from '../design/card.tsx';
import { Choice } from '../design/choice.tsx';
import { Empty, Failure, RowSkeletons } from '../design/states.tsx';
import { isReversed } from '../lists/days.ts';
import { More } from '../lists/more.tsx';
import { NotUpdated } from '../live/not-updated.tsx';
import type { Shown } from '../vault/vault-gate.tsx';
import { type Item, type Kind, kindWords, type Severity, severityWords } from './feed-labels.ts';
import { FeedList } from './feed-list.tsx';
import { type FeedFilter, isEmpty } from './filter.ts';
import { useFeed } from './use-feed.ts';

const kinds = [
  { value: '' as const, label: 'Every kind' },
  ...feedKinds.map((value) => ({ value, label: kindWords[value] })),
];
const severities = [
  { value: '' as const, label: 'Every severity' },
  ...feedSeverities.map((value) => ({ value, label: severityWords[value].word })),
];

type ChoiceProps<T> = { value: T; onChange: (value: T) => void };

export const KindChoice = (props: ChoiceProps<Kind | ''>) => (
  <Choice label="Kind" options={kinds} {...props} className="w-full sm:w-48" />
);
export const SeverityChoice = (props: ChoiceProps<Severity | ''>) => (
  <Choice label="Severity" options={severities} {...props} className="w-full sm:w-40" />
);

type Props = {
  shown: Shown;
  filter: FeedFilter;
  pageSize: number;
  /** The past moment that the page shows: nothing later is read. */
  until?: string | undefined;
  /** Above the items: filters, and what else belongs there. */
  head: ReactNode;
  actions?: (item: Item) => ReactNode;
};

/** A feed with its filter, and what it says while there is nothing to read. */
export function FeedView({ shown, filter, pageSize, until, head, actions }: Props) {
  const { list, items, total, isRead } = useFeed(shown, filter, pageSize, until);
  return (
    <Card isFlush className="overflow-hidden">
      {head}
      {isReversed(filter) ? (
        <Empty title="Nothing matches">The first day is after the last.</Empty>
      ) : !isRead ? (
        list.isError ? (
          <div className="p-4">
            <Failure error={list.error} title="The feed could not be read" retry={() => void list.refetch()} />
          </div>
        ) : (
          <RowSkeletons rows={4} />
        )
      ) : (
        <>
          {list.isError && !list.isFetchNextPageError ? (
            <div className="p-4">
              <NotUpdated
                what="The feed"
                readAt={list.dataUpdatedAt}
                error={list.error}
                retry={() => void list.refetch()}
              />
            </div>
          ) : null}
          {items.length === 0 ? (
            <Nothing isFiltered={!isEmpty(filter)} />
          ) : (
            <FeedList items={items} explorerUrl={shown.chain.explorer_url} {...(actions ? { actions } : {})} />
          )}
          <More list={list} shown={items.length} total={total} what="items" />
        </>
      )}
    </Card>
  );
}

const Nothing = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="Nothing matches">Choose another kind or a longer period to see more.</Empty>
  ) : (
    <Empty title="Nothing in the feed yet">
      Large flows, price anomalies, fees, pauses and changes appear here, along with what managers write.
    </Empty>
  );
