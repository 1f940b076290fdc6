import type { VaultDetail, VaultUpdate } from '@castellan/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { createContext, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { useApp } from '../client/services.ts';
import { announce } from '../design/announce.tsx';
import { extendTvl, type TvlSeries } from './extend-series.ts';
import { booksDiffer, hooksDiffer, mergeDetail, peopleDiffer, settingsDiffer } from './merge-updates.ts';
import { HEAL_MS, keys, POLL_MS, type Vault } from './queries.ts';
import { noteStreamed } from './streamed.ts';

/** How figures come: pushed, asked for every 15 s, or not at all (paused by the reader, or the page is hidden). */
export type LiveMode = 'stream' | 'poll' | 'paused' | 'hidden';
export type Live = { mode: LiveMode; toggle: () => void; pollMs: number | false };

/** Figures of history change with what the stream says; this often their windows of time have moved enough to be asked for. */
export const WINDOWS_MS = 300_000;
/** What has just happened is in the figures a moment later. */
const SETTLED_MS = 3_000;

/** How the page around follows its vault; a page without a stream polls. */
export const LiveModeContext = createContext<LiveMode>('poll');
export const useLiveMode = (): LiveMode => useContext(LiveModeContext);

/** How often a part of the page asks for what the stream covers: seldom while it is open, not at all while the page rests. */
export function usePollMs(): number | false {
  const mode = useLiveMode();
  return mode === 'stream' ? HEAL_MS : mode === 'poll' ? POLL_MS : false;
}

/** How often a part asks for what no event of the stream reports: as on a page without a stream, and not at all while the page rests. */
export function useUnstreamedPollMs(): number | false {
  return usePollMs() === false ? false : POLL_MS;
}

function useHidden(): boolean {
  const [hidden, setHidden] = useState(document.hidden);
  useEffect(() => {
    const listener = () => setHidden(document.hidden);
    document.addEventListener('visibilitychange', listener);
    return () => document.removeEventListener('visibilitychange', listener);
  }, []);
  return hidden;
}

/** Values up to the present, which pushed readings go on with; a range that ends is asked for. */
const isExtended = ([, , , , id, query]: readonly unknown[]): boolean =>
  id === 'analyticsTvl' && 'period' in (query as object);

/** What of a mandate follows from the figures; its documents are made by people. */
const isJudged = ([, , , , part]: readonly unknown[]): boolean => part === 'status' || part === 'breaches';

/** A list of which somebody reads a later page: it is not read anew under their eyes. */
const isReadOn = (data: unknown): boolean => ((data as { pages?: unknown[] } | undefined)?.pages?.length ?? 0) > 1;

/** Keeps one vault up to date: pushes go into the query cache under the same keys the page reads. */
export function useVaultLive(viewer: string, chainId: number, address: string, isEnabled = true): Live {
  const { api } = useApp();
  const queries = useQueryClient();
  const hidden = useHidden();
  const [paused, setPaused] = useState(false);
  const [isStreaming, setIsStreaming] = useState(false);
  const hasRested = useRef(false);
  const isOff = hidden || paused || !isEnabled;

  useEffect(() => {
    if (isOff) {
      hasRested.current = true;
      return;
    }
    const vaultKey = keys.vault(viewer, chainId, address);
    const figuresKey = keys.analytics(chainId, address, 'now');
    const pricedKey = keys.transmissions(chainId, address);
    const alertsKey = ['alerts', viewer];
    const mandateKey = keys.mandate(viewer, chainId, address);
    const settingsKey = keys.settings(viewer, chainId, address);
    const hooksKey = keys.hooksSync(viewer, chainId, address);
    const readHooks = () => void queries.invalidateQueries({ queryKey: hooksKey });
    const readMandate = () =>
      void queries.invalidateQueries({ queryKey: mandateKey, predicate: ({ queryKey }) => isJudged(queryKey) });
    const readSettings = () => void queries.invalidateQueries({ queryKey: settingsKey });
    const readCalls = () => void queries.invalidateQueries({ queryKey: keys.sentCalls(chainId, address) });
    const readAnew = () => {
      const usersKey = keys.users(viewer, chainId, address);
      for (const queryKey of [usersKey, vaultKey, figuresKey, pricedKey, alertsKey, mandateKey, settingsKey, hooksKey])
        void queries.invalidateQueries({ queryKey });
      readCalls();
    };
    let waiting: ReturnType<typeof setTimeout> | undefined;
    let readAt = Number.NEGATIVE_INFINITY;
    /** A burst of events asks for the figures once, and events without end as often as a page without a stream does. */
    const readFiguresSoon = () => {
      const wait = Math.max(SETTLED_MS, readAt + POLL_MS - performance.now());
      waiting ??= setTimeout(() => {
        waiting = undefined;
        readAt = performance.now();
        void queries.refetchQueries({
          queryKey: figuresKey,
          type: 'active',
          predicate: ({ queryKey, state }) => !isExtended(queryKey) && !isReadOn(state.data),
        });
        readMandate();
        readSettings();
      }, wait);
    };
    const show = (detail: VaultDetail) => {
      const before = queries.getQueryData<Vault>(vaultKey);
      // Before the first authenticated read there is no role to keep, so the page waits for that read.
      if (!before) return;
      const after = mergeDetail(before, detail);
      queries.setQueryData<Vault>(vaultKey, after);
      if (after.current_pps !== before.current_pps)
        announce(`Price updated: ${after.current_pps_display} ${after.asset.symbol}`);
      for (const [key, series] of queries.getQueriesData<TvlSeries>({ queryKey: [...figuresKey, 'analyticsTvl'] }))
        if (series !== undefined && isExtended(key)) queries.setQueryData<TvlSeries>(key, extendTvl(series, detail));
      if (booksDiffer(before, after)) readFiguresSoon();
      // At once: they are read from the chain, not worked out of what is entered later.
      if (settingsDiffer(before, after)) readSettings();
      if (hooksDiffer(before, after)) readHooks();
      if (peopleDiffer(before, after)) readAnew();
    };
    const apply = ({ kind, detail, alert }: VaultUpdate) => {
      readCalls();
      if (detail !== undefined) show(detail);
      if (kind === 'activity') readFiguresSoon();
      if (kind === 'alert') void queries.invalidateQueries({ queryKey: alertsKey });
      if (alert?.rule_id === 'mandate_breached') readMandate();
      if (kind === 'transmission') void queries.invalidateQueries({ queryKey: pricedKey });
      // Without a reading it is about what people wrote, such as a configuration of hooks.
      if (kind === 'vault' && detail === undefined) {
        void queries.invalidateQueries({ queryKey: vaultKey });
        readHooks();
      }
      if (kind === 'roles') readAnew();
    };
    const controller = new AbortController();
    if (hasRested.current) readAnew();
    const followed = api.followVault({
      params: { chain_id: String(chainId), vault_address: address },
      signal: controller.signal,
      onOpen: () => setIsStreaming(true),
      onReset: readAnew,
      onEvent: ({ update }) => apply(update),
      onInterrupted: () => setIsStreaming(false),
    });
    // A refusal for good (no such vault, session ended): the reads of the page meet it too, and say so.
    followed.catch(() => setIsStreaming(false));
    return () => {
      controller.abort();
      clearTimeout(waiting);
      setIsStreaming(false);
    };
  }, [api, queries, viewer, chainId, address, isOff]);

  useEffect(() => (isStreaming ? noteStreamed(chainId, address) : undefined), [isStreaming, chainId, address]);

  const toggle = useCallback(() => setPaused((before) => !before), []);
  const mode = paused ? 'paused' : hidden ? 'hidden' : isStreaming ? 'stream' : 'poll';
  const pollMs = isOff ? false : isStreaming ? HEAL_MS : POLL_MS;
  return useMemo(() => ({ mode, toggle, pollMs }), [mode, toggle, pollMs]);
}
