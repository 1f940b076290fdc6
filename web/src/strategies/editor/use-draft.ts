import { useEffect, useState } from 'react';
import type { Vault } from '../../data/queries.ts';
import { useSession } from '../../session/use-session.ts';
import type { OpenStrategy } from '../types.ts';
import type { Draft } from './draft.ts';
import { begin, changed, type DraftHistory, redone, undone } from './draft-history.ts';
import { dropDraft, type KeptDraft, keepDraft, type PendingText, placeOfDraft, readDraft } from './kept-draft.ts';

/** What is written, without the keys that the page gives its rows. */
const contentOf = (draft: Draft): string =>
  JSON.stringify(draft, (name, value) => (name === 'key' ? undefined : value));

const hasChanged = (begun: Draft, draft: Draft): boolean => draft !== begun && contentOf(draft) !== contentOf(begun);

/**
 * The draft that is written on: with steps back and forth, kept in this browser as one types, and taken up again by who left it.
 * A draft of an earlier version of the strategy is only offered, so that it does not go over what others saved since.
 */
export function useDraft(
  vault: Pick<Vault, 'chain_id' | 'vault_address'>,
  before: OpenStrategy | undefined,
  start: () => Draft,
) {
  const session = useSession();
  const wallet = 'address' in session ? session.address : undefined;
  const vaultId = `${vault.chain_id}:${vault.vault_address}`;
  const place = wallet === undefined ? undefined : placeOfDraft(wallet, vaultId, before?.id);
  const version = before?.version ?? null;
  const [begun] = useState(start);
  const [left, setLeft] = useState<KeptDraft | undefined>(() =>
    place === undefined ? undefined : readDraft(localStorage, place),
  );
  const isCurrent = left !== undefined && left.version === version;
  const [history, setHistory] = useState<DraftHistory>(() =>
    isCurrent && hasChanged(begun, left.draft) ? changed(begin(begun), left.draft) : begin(begun),
  );
  /** A text of the program that cannot be read yet: it is kept and taken up with the draft. */
  const [pending, setPending] = useState<PendingText | undefined>(isCurrent ? left.pending : undefined);
  const [isKept, setKept] = useState(isCurrent);
  const isDirty = hasChanged(begun, history.now);
  const isWritten = isDirty || pending !== undefined;
  const isOffered = left !== undefined && !isCurrent;
  useEffect(() => {
    if (place === undefined || isOffered) return;
    const at = new Date().toISOString();
    if (isWritten) setKept(keepDraft(localStorage, place, { draft: history.now, pending, version, at }));
    else dropDraft(localStorage, place);
  }, [place, isWritten, isOffered, history.now, pending, version]);

  const drop = () => {
    if (place !== undefined) dropDraft(localStorage, place);
    setLeft(undefined);
  };
  return {
    begun,
    draft: history.now,
    isDirty,
    /** What was typed would be lost by leaving: nothing can be kept here. */
    isAtRisk: isWritten && !isKept,
    pending,
    setPending,
    /** The draft that was left, while it is not decided what becomes of it. */
    left,
    isOffered,
    change: (part: Partial<Draft>) => setHistory((now) => changed(now, { ...now.now, ...part })),
    replace: (draft: Draft) => setHistory((now) => changed(now, draft)),
    undo: history.past.length > 0 ? () => setHistory(undone) : undefined,
    redo: history.future.length > 0 ? () => setHistory(redone) : undefined,
    /** The draft that is offered takes the place of what is shown. */
    takeUp: () => {
      if (left === undefined) return;
      setHistory((now) => changed(now, left.draft));
      setPending((now) => left.pending ?? now);
      setLeft(undefined);
    },
    startOver: () => {
      drop();
      setPending(undefined);
      setHistory((now) => changed(now, begun));
    },
    /** Another may still be typed; this one is not needed again. */
    settle: () => {
      if (place !== undefined) dropDraft(localStorage, place);
    },
    keepShown: () => setLeft(undefined),
  };
}
