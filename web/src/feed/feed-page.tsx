import { PenLine, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'react-router';
import { Button } from '../design/button.tsx';
import { DayFields } from '../lists/day-fields.tsx';
import { useQueryPart } from '../period/use-view.ts';
import { useViewer } from '../session/use-session.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import type { Item } from './feed-labels.ts';
import { FeedView, KindChoice, SeverityChoice } from './feed-view.tsx';
import { everything, type FeedFilter, filterFrom, filterParts, isEmpty } from './filter.ts';
import { PostDialog } from './post-dialog.tsx';

const PAGE = 25;

type Task = { kind: 'write' } | { kind: 'edit' | 'delete'; item: Item };

/** The whole feed of a vault, for everyone with a role; managers write in it. */
export function FeedPage({ shown }: { shown: Shown }) {
  const { search } = useLocation();
  const [task, setTask] = useState<Task>();
  const filter = filterFrom(new URLSearchParams(search));
  const role = shown.vault.my_role;
  const isManager = role === 'primary_manager' || role === 'secondary_manager';
  const close = () => setTask(undefined);
  return (
    <div className="mx-auto flex w-full max-w-[1200px] flex-col gap-4 px-4 py-6 sm:px-6">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="text-20 font-semibold">Feed</h2>
          <p className="text-13 text-muted">
            Notable events and what managers wrote, newest first. Everyone who sees the vault sees it. Times are UTC.
          </p>
        </div>
        {isManager ? (
          <Button look="primary" onPress={() => setTask({ kind: 'write' })}>
            <PenLine size={14} aria-hidden="true" />
            Write a post
          </Button>
        ) : null}
      </div>
      <FeedView
        shown={shown}
        filter={filter}
        pageSize={PAGE}
        head={<Filters filter={filter} />}
        {...(isManager
          ? { actions: (item) => <PostActions item={item} isPrimary={role === 'primary_manager'} onTask={setTask} /> }
          : {})}
      />
      {task?.kind === 'delete' ? <DeleteDialog item={task.item} vault={shown.vault} onClose={close} /> : null}
      {task?.kind === 'write' ? <PostDialog vault={shown.vault} onClose={close} /> : null}
      {task?.kind === 'edit' ? <PostDialog item={task.item} vault={shown.vault} onClose={close} /> : null}
    </div>
  );
}

type ActionsProps = { item: Item; isPrimary: boolean; onTask: (task: Task) => void };

/** Events are as they were. A post is edited by its author alone, and taken back by him or the primary manager. */
function PostActions({ item, isPrimary, onTask }: ActionsProps) {
  const isAuthor = item.author?.wallet_address.toLowerCase() === useViewer();
  if (item.kind !== 'post' || !(isAuthor || isPrimary)) return null;
  return (
    <span className="ml-auto flex gap-1">
      {isAuthor ? (
        <Button look="quiet" aria-label={`Edit ${item.title}`} onPress={() => onTask({ kind: 'edit', item })}>
          <PenLine size={14} aria-hidden="true" />
          Edit
        </Button>
      ) : null}
      <Button look="quiet" aria-label={`Delete ${item.title}`} onPress={() => onTask({ kind: 'delete', item })}>
        <Trash2 size={14} aria-hidden="true" />
        Delete
      </Button>
    </span>
  );
}

/** Narrows the feed; what is chosen stands in the URL, so that it can be shared. */
function Filters({ filter }: { filter: FeedFilter }) {
  const put = useQueryPart();
  const set = (change: Partial<FeedFilter>) => put(filterParts(change));
  return (
    <fieldset className="grid grid-cols-2 items-end gap-3 border-b p-4 sm:flex sm:flex-wrap">
      <legend className="sr-only">Filter of the feed</legend>
      <KindChoice value={filter.kind} onChange={(kind) => set({ kind })} />
      <SeverityChoice value={filter.severity} onChange={(severity) => set({ severity })} />
      <DayFields days={filter} onChange={set} />
      {isEmpty(filter) ? null : (
        <Button look="quiet" onPress={() => set(everything)}>
          Clear filters
        </Button>
      )}
    </fieldset>
  );
}
