import { type AuditCategory, auditCategories } from '@castellan/contracts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { useLocation } from 'react-router';
import { useApp } from '../client/services.ts';
import { AddressTag } from '../design/address-tag.tsx';
import { Card } from '../design/card.tsx';
import { Empty, Failure, RowSkeletons } from '../design/states.tsx';
import { formatClock, formatLongDay } from '../format/time.ts';
import { More } from '../lists/more.tsx';
import { useQueryPart } from '../period/use-view.ts';
import { useSession, useViewer } from '../session/use-session.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import { byDay, categoryWords, type TimelineItem } from './audit-labels.ts';
import { categoryFrom, filterParts } from './filter.ts';
import { timelineQuery } from './queries.ts';

/** All that happened to the vault on one axis of time, in words. */
export function Timeline({ shown: { vault, chain, live } }: { shown: Shown }) {
  const { api } = useApp();
  const viewer = useViewer();
  const { search } = useLocation();
  const put = useQueryPart();
  const category = categoryFrom(new URLSearchParams(search));
  const isSignedIn = useSession().status === 'signed_in';
  const list = useInfiniteQuery({
    ...timelineQuery(api, viewer, vault, category),
    enabled: isSignedIn,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : live.pollMs),
  });
  const [first] = list.data?.pages ?? [];
  const items = list.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <div className="flex flex-col gap-4">
      <Chips chosen={category} onChoose={(next) => put(filterParts({ category: next }))} />
      {list.isError && isSignedIn && first === undefined ? (
        <Failure error={list.error} title="The timeline could not be read" retry={() => list.refetch()} />
      ) : null}
      {first === undefined ? (
        list.isError ? null : (
          <Card isFlush>
            <RowSkeletons rows={6} />
          </Card>
        )
      ) : (
        <Card isFlush className="overflow-hidden">
          {items.length === 0 ? (
            <Empty title={category === '' ? 'Nothing has happened yet' : 'Nothing of this kind has happened'}>
              What changes on chain or is changed here appears within seconds.
            </Empty>
          ) : (
            byDay(items).map((group) => (
              <section key={group.day} aria-label={formatLongDay(group.day)} className="border-b">
                <h3 className="bg-raised px-4 py-2 text-13 font-semibold">{formatLongDay(group.day)}</h3>
                <ol>
                  {group.items.map((item) => (
                    <Item key={item.id} item={item} explorerUrl={chain.explorer_url} />
                  ))}
                </ol>
              </section>
            ))
          )}
          <More list={list} shown={items.length} total={first.total} what="events" />
        </Card>
      )}
    </div>
  );
}

type ChipsProps = { chosen: AuditCategory | ''; onChoose: (category: AuditCategory | '') => void };

function Chips({ chosen, onChoose }: ChipsProps) {
  return (
    <fieldset className="flex min-w-0 gap-2 max-sm:-mx-4 max-sm:overflow-x-auto max-sm:px-4 max-sm:py-1 sm:flex-wrap">
      <legend className="sr-only">Kinds of events</legend>
      {(['', ...auditCategories] as const).map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={each === chosen}
          onClick={() => onChoose(each)}
          className={clsx(
            'min-h-8 shrink-0 cursor-pointer rounded-full border px-3 text-13 font-medium',
            each === chosen ? 'border-accent bg-raised text-text' : 'bg-surface text-muted hover:text-text',
          )}
        >
          {each === '' ? 'Everything' : categoryWords[each]}
        </button>
      ))}
    </fieldset>
  );
}

function Item({ item, explorerUrl }: { item: TimelineItem; explorerUrl: string | null | undefined }) {
  const { actor } = item;
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-1 border-t px-4 py-2 first:border-t-0">
      <time dateTime={item.t} className="w-12 shrink-0 text-13 text-muted">
        {formatClock(item.t)}
      </time>
      <span className="min-w-0 flex-1 basis-52">
        <span className="block break-words text-14">{item.title}</span>
        <span className="block text-12 text-muted">{categoryWords[item.category]}</span>
      </span>
      {/* On a phone under the text, which begins behind the time. */}
      <span className="flex flex-wrap items-center gap-x-3 text-13 max-sm:w-full max-sm:pl-15">
        {actor === null ? null : (
          <span className="inline-flex min-w-0 items-center gap-1">
            <span className="text-12 text-muted">by</span>
            {actor.display_name === null ? (
              <AddressTag value={actor.wallet_address} what="wallet" explorerUrl={explorerUrl} />
            ) : (
              <span title={actor.wallet_address}>{actor.display_name}</span>
            )}
          </span>
        )}
        {item.tx_hash === null ? null : (
          <span className="inline-flex min-w-0 items-center gap-1">
            <span className="text-12 text-muted">tx</span>
            <AddressTag value={item.tx_hash} what="transaction hash" kind="tx" explorerUrl={explorerUrl} />
          </span>
        )}
      </span>
    </li>
  );
}
