import { useEffect, useState } from 'react';
import type { Vault } from '../../data/queries.ts';
import { useSession } from '../../session/use-session.ts';
import type { OpenStrategy } from '../types.ts';
import type { Draft } from './draft.ts';
import { begin, changed, type DraftHistory, redone, undone } from './draft-history.ts';
import { dropDraft, type KeptDraft, keepDraft, placeOfDraft, readDraft } from './kept-draft.ts';

const hasChanged = (begun: Draft, draft: Draft): boolean =>
  draft !== begun && JSON.stringify(draft) !== JSON.stringify(begun);

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
    isCurrent ? changed(begin(begun), left.draft) : begin(begun),
  );
  const [isKept, setKept] = useState(isCurrent);
  const isDirty = hasChanged(begun, history.now);
  const isOffered = left !== undefined && !isCurrent;
  useEffect(() => {
    if (place === undefined || isOffered) return;
    if (isDirty) setKept(keepDraft(localStorage, place, { draft: history.now, version, at: new Date().toISOString() }));
    else dropDraft(localStorage, place);
  }, [place, isDirty, isOffered, history.now, version]);

  const drop = () => {
    if (place !== undefined) dropDraft(localStorage, place);
    setLeft(undefined);
  };
  return {
    begun,
    draft: history.now,
    isDirty,
    /** What was typed would be lost by leaving: nothing can be kept here. */
    isAtRisk: isDirty && !isKept,
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
      setLeft(undefined);
    },
    startOver: () => {
      drop();
      setHistory((now) => changed(now, begun));
    },
    /** Another may still be typed; this one is not needed again. */
    settle: () => {
      if (place !== undefined) dropDraft(localStorage, place);
    },
    keepShown: () => setLeft(undefined),
  };
}
