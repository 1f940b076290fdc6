import {
  type Asked,
  intentOf,
  type Progress,
  prepareChange,
  type ReviewedCall,
  reviewChange,
  type SendingWallet,
  sendChange,
} from '@castellan/sdk/calls';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { VaultPlace } from './hooks.ts';
import { type Castellan, useCastellan } from './provider.ts';
import { readKey } from './use-read.ts';

/** How far a change of a vault has come. */
export type PreparedChange = {
  /** `ready`: show `steps` to the person who is to sign. `verified`: the chain shows the effect of every call. */
  status: 'idle' | 'preparing' | 'ready' | 'sending' | 'verified' | 'failed';
  /** The calls with what their bytes say, and why one of them must not be signed. */
  steps: readonly ReviewedCall[];
  /** Which call is where, while they are sent. */
  progress: Progress | undefined;
  /** Why it failed: CallRefused when nothing was sent, CallFailed when a call did not do what it should, or what was thrown. */
  error: unknown;
};

/** A change, and what can be done with it. None of the functions throws: `status` and `error` say what came of it. */
export type UsePreparedCall = PreparedChange & {
  /** Has the calls of a change prepared, and reads their bytes; whatever was prepared before is forgotten. */
  prepare: (asked: Asked) => Promise<void>;
  /** Sends what was prepared, each call once the one before is verified; does nothing unless `status` is `ready`. */
  send: (wallet: SendingWallet) => Promise<void>;
  /** Back to `idle`. A call that was sent stays sent; it is no longer followed here. */
  reset: () => void;
};

const idle: PreparedChange = { status: 'idle', steps: [], progress: undefined, error: undefined };

/** What a change is about. Another vault, viewer or client begins anew. */
type Subject = Castellan & {
  vault: VaultPlace;
  /** What runs now: what was aborted shows nothing more. */
  running: AbortController | undefined;
  /** What may be sent; taken by the first of two clicks. */
  ready: readonly ReviewedCall[] | undefined;
};

function begin(subject: Subject): AbortSignal {
  subject.running?.abort();
  subject.running = new AbortController();
  subject.ready = undefined;
  return subject.running.signal;
}

/**
 * Prepares a change of a vault, checks it, sends it and follows it until the chain shows its effect.
 * @example
 * const call = usePreparedCall(vault);
 * await call.prepare({ kind: 'skim_fees', args: {} });
 */
export function usePreparedCall({ chain_id, vault_address }: VaultPlace): UsePreparedCall {
  const { client, viewer } = useCastellan();
  const queries = useQueryClient();
  const subject = useMemo<Subject>(
    () => ({ client, viewer, vault: { chain_id, vault_address }, running: undefined, ready: undefined }),
    [client, viewer, chain_id, vault_address],
  );
  const [state, setState] = useState({ subject, change: idle });
  const change = state.subject === subject ? state.change : idle;
  const show = useCallback(
    (part: Partial<PreparedChange>, signal?: AbortSignal) => {
      if (signal?.aborted) return;
      setState((before) => ({ subject, change: { ...(before.subject === subject ? before.change : idle), ...part } }));
    },
    [subject],
  );
  useEffect(() => () => subject.running?.abort(), [subject]);

  const prepare = useCallback(
    async (asked: Asked) => {
      const signal = begin(subject);
      show({ ...idle, status: 'preparing' });
      try {
        const intent = await intentOf(subject.client, subject.vault, asked);
        const steps = reviewChange(await prepareChange(subject.client, intent), intent);
        if (!signal.aborted) subject.ready = steps;
        show({ status: 'ready', steps }, signal);
      } catch (error) {
        show({ status: 'failed', error }, signal);
      }
    },
    [subject, show],
  );

  const send = useCallback(
    async (wallet: SendingWallet) => {
      const steps = subject.ready;
      if (steps === undefined) return;
      const signal = begin(subject);
      show({ status: 'sending', error: undefined });
      try {
        const onProgress = (progress: Progress) => show({ progress }, signal);
        await sendChange(subject.client, steps, { wallet, signal, onProgress });
        show({ status: 'verified' }, signal);
      } catch (error) {
        show({ status: 'failed', error }, signal);
      } finally {
        void queries.invalidateQueries({ queryKey: readKey(subject.viewer) });
      }
    },
    [queries, subject, show],
  );

  const reset = useCallback(() => {
    begin(subject);
    show(idle);
  }, [subject, show]);
  return { ...change, prepare, send, reset };
}
