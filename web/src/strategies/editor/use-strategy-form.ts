import { useMemo, useState } from 'react';
import { useNavigate } from 'react-router';
import { isConflict } from '../../design/explain.ts';
import { toast } from '../../design/toast.tsx';
import type { Shown } from '../../vault/vault-gate.tsx';
import { mayWrite, type OpenStrategy } from '../types.ts';
import type { PartProps } from './action-fields.tsx';
import type { Draft } from './draft.ts';
import { templatesFor } from './templates.ts';
import { useProgramText } from './text/use-program-text.ts';
import { useDraft } from './use-draft.ts';
import { refusedFields, useJudgement, useSave } from './use-editor.ts';
import { vocabularyFor } from './vocabulary.ts';

const noRewards: PartProps['rewards'] = [];

/** What is being written: the vault, the strategy as it was saved last (undefined: a new one), and the draft to begin with. */
export type Written = { vault: Shown['vault']; before: OpenStrategy | undefined; start: () => Draft };

/** The draft of a strategy in its three views, what is wrong with it, and the way to save it. */
export function useStrategyForm({ vault, before, start }: Written) {
  const navigate = useNavigate();
  // Names of sources may change while one writes; those that were meant are the ones of the beginning.
  const [vaultBefore] = useState(vault);
  const writing = useDraft(vault, before, start);
  const { draft } = writing;
  const [isTried, setTried] = useState(false);
  const judged = useJudgement(vault, draft, { isNew: before === undefined, begun: vaultBefore });
  const leave = () => navigate({ search: '' });
  const save = useSave(vault, before, {
    onSaved: () => {
      writing.settle();
      toast({ tone: 'info', title: `${draft.name} was saved` });
      leave();
    },
  });
  const change = (part: Partial<Draft>) => {
    if (save.isError && !isConflict(save.error)) save.reset();
    writing.change(part);
  };
  const { vocabulary } = judged;
  const { pending, setPending: onPending } = writing;
  const text = useProgramText({ draft, vocabulary, vault, onChange: change, pending, onPending });
  const keep = (version?: number) => {
    setTried(true);
    if (judged.isSound && !text.isPending)
      save.mutate({ draft, definition: judged.definition, ...(version === undefined ? {} : { version }) });
  };
  const all = [...judged.faults, ...refusedFields(save.error)];
  // What is still empty is named once somebody wants to save.
  const visible = isTried ? all : all.filter(({ path }) => !isEmptyAt(draft, path));
  const rewards = judged.fields?.rewards ?? noRewards;
  const part: PartProps = { vault, draft, faults: visible, warnings: judged.warnings, rewards, onChange: change };
  const templates = useMemo(
    () => (before === undefined ? templatesFor(vaultBefore, vocabularyFor(vaultBefore), rewards) : []),
    [before, vaultBefore, rewards],
  );
  return {
    before,
    isNew: before === undefined,
    isFixed: before?.state === 'ARCHIVED' || !mayWrite(vault.my_role),
    writing,
    judged,
    text,
    part,
    templates,
    save,
    isTried,
    undo: text.undo ?? writing.undo,
    redo: text.redo ?? writing.redo,
    keep,
    leave,
  };
}

export type StrategyForm = ReturnType<typeof useStrategyForm>;

/** A field that nobody wrote in yet is not called wrong. */
function isEmptyAt(draft: Draft, path: string): boolean {
  const [part = '', field = ''] = path.split('.');
  if (part === 'name' || part === 'id') return draft[part] === '';
  if (part === 'action_config' && Object.hasOwn(draft.action, field))
    return !draft.action[field as keyof Draft['action']];
  if (!path.startsWith('rules')) return false;
  let node = draft.rule;
  for (const [, index] of path.matchAll(/(?:children\.(\d+)|child\b(?!ren))/g)) {
    const next = node.children[Number(index ?? 0)];
    if (next === undefined) return false;
    node = next;
  }
  return node.type === 'EXPR' && node.expr === '';
}
