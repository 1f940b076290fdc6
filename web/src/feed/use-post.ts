import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Api } from '../client/api.ts';
import { useApp } from '../client/services.ts';
import { paramsOf, type Vault } from '../data/queries.ts';
import { isConflict } from '../design/explain.ts';
import type { Item, Severity } from './feed-labels.ts';
import { feedKey } from './use-feed.ts';

export type Draft = { title: string; body: string; severity: Severity };

/** The post as it is now, read anew: the refusal says that it changed, not to what. */
async function presentPost(api: Api, vault: Vault, id: string): Promise<Item> {
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<Api['feed']>> = await api.feed({
      params: paramsOf(vault),
      query: { kind: 'post', limit: '500', ...(cursor === null ? {} : { cursor }) },
    });
    const found = page.items.find((item) => item.id === id);
    if (found) return found;
    cursor = page.next_cursor;
  } while (cursor !== null);
  throw new Error('The post was deleted by someone else meanwhile. Copy your text to write it anew.');
}

/** Saves a post, a new one or over the version that was seen; another version there is a conflict, and nothing is written. */
export function useSavePost(vault: Vault, item: Item | undefined, onSaved: () => void) {
  const { api } = useApp();
  const queries = useQueryClient();
  const [conflict, setConflict] = useState<Item>();
  const save = useMutation({
    mutationFn: async ({
      draft,
      version,
    }: {
      draft: Draft;
      version: number | undefined;
    }): Promise<Item | undefined> => {
      if (item === undefined || version === undefined) {
        await api.createPost({ params: paramsOf(vault), body: draft });
        return undefined;
      }
      try {
        await api.editPost({ params: { ...paramsOf(vault), id: item.id }, body: { ...draft, version } });
        return undefined;
      } catch (error) {
        if (!isConflict(error)) throw error;
        return presentPost(api, vault, item.id);
      }
    },
    onSuccess: async (found) => {
      setConflict(found);
      if (found === undefined) onSaved();
      await queries.invalidateQueries({ queryKey: feedKey(vault) });
    },
    onError: () => setConflict(undefined),
  });
  return { save, conflict };
}

/** Takes a post back. */
export function useDeletePost(vault: Vault, { id }: Item, onDeleted: () => void) {
  const { api } = useApp();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => api.deletePost({ params: { ...paramsOf(vault), id } }),
    onSuccess: async () => {
      onDeleted();
      await queries.invalidateQueries({ queryKey: feedKey(vault) });
    },
  });
}
