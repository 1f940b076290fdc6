import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useApp } from '../client/services.ts';
import { Button } from '../design/button.tsx';
import { Empty, Failure, RowSkeletons } from '../design/states.tsx';
import { formatUtc } from '../format/time.ts';
import { More } from '../lists/more.tsx';
import { useViewer } from '../session/use-session.ts';
import type { Chat, Stored } from './protocol.ts';

type Opened = { id: string; messages: readonly Stored[] };
type Props = {
  vault: Chat['vault'];
  /** The one that is shown. */
  current: string | null;
  onOpen: (conversation: Opened) => void;
  /** The one that is shown is no more. */
  onGone: () => void;
};

const PAGE = '25';

/** The own conversations about this vault, latest first. */
export function History({ vault, current, onOpen, onGone }: Props) {
  const { api } = useApp();
  const queries = useQueryClient();
  const viewer = useViewer();
  const [doomed, setDoomed] = useState<string>();
  const queryKey = ['conversations', viewer, vault.chain_id, vault.vault_address.toLowerCase()];
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) =>
      api.conversations({
        query: {
          chain_id: String(vault.chain_id),
          vault_address: vault.vault_address,
          limit: PAGE,
          ...(pageParam === null ? {} : { cursor: pageParam }),
        },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    staleTime: 0,
  });
  const open = useMutation({
    mutationFn: (id: string) => api.conversation({ params: { id } }),
    onSuccess: onOpen,
  });
  const forget = useMutation({
    mutationFn: (id: string) => api.deleteConversation({ params: { id } }),
    onSuccess: async (_gone, id) => {
      setDoomed(undefined);
      if (id === current) onGone();
      await queries.invalidateQueries({ queryKey });
    },
  });
  const [first] = list.data?.pages ?? [];
  if (first === undefined) {
    return list.isError ? (
      <Failure error={list.error} title="Your conversations could not be read" retry={() => void list.refetch()} />
    ) : (
      <RowSkeletons rows={4} />
    );
  }
  const conversations = list.data?.pages.flatMap((page) => page.conversations) ?? [];
  if (conversations.length === 0) return <Empty title="No conversation yet">What you ask is kept here.</Empty>;
  return (
    <div className="flex flex-col gap-2">
      {open.isError ? <Failure error={open.error} title="The conversation could not be read" /> : null}
      {forget.isError ? <Failure error={forget.error} title="The conversation was not deleted" /> : null}
      <ul aria-label="Your conversations" className="flex flex-col divide-y">
        {conversations.map(({ id, title, updated_at }) => (
          <li key={id} className="flex items-center gap-2 py-1">
            <Button
              look="quiet"
              isDisabled={open.isPending}
              onPress={() => open.mutate(id)}
              className="min-w-0 flex-1 flex-col !items-start !gap-0 py-1"
            >
              <span dir="auto" className="w-full truncate text-left text-text">
                {title}
              </span>
              <span className="text-12">{formatUtc(updated_at)}</span>
            </Button>
            {doomed === id ? (
              <>
                <Button look="danger" isDisabled={forget.isPending} onPress={() => forget.mutate(id)}>
                  Delete
                </Button>
                <Button onPress={() => setDoomed(undefined)}>Keep</Button>
              </>
            ) : (
              <Button look="quiet" aria-label={`Delete ${title}`} onPress={() => setDoomed(id)}>
                <Trash2 size={14} aria-hidden="true" />
              </Button>
            )}
          </li>
        ))}
      </ul>
      <More list={list} shown={conversations.length} total={first.total} what="conversations" />
    </div>
  );
}
