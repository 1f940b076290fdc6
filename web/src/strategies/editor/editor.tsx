import { useQuery } from '@tanstack/react-query';
import { ArrowLeft } from 'lucide-react';
import { lazy, useRef } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { Link, useLocation } from 'react-router';
import { useApp } from '../../client/services.ts';
import { LeaveGuard } from '../../design/leave-guard.tsx';
import { Failure, Notice, RowSkeletons } from '../../design/states.tsx';
import type { Shown } from '../../vault/vault-gate.tsx';
import { isOpen, isOwn, laneOrder, type OpenStrategy } from '../types.ts';
import { useEngineVault } from '../use-strategies.ts';
import { type Draft, draftOf, newDraft, rewardIn, sharesOf } from './draft.ts';
import { LeftDraft, StartFrom } from './draft-bar.tsx';
import { Explain } from './explain.tsx';
import { Head } from './head.tsx';
import { useHooks, withOnlyHook } from './hooks.ts';
import { type Insert, InsertContext } from './insertion.ts';
import { Palette } from './palette.tsx';
import { ProgramForm } from './program-form.tsx';
import { type StrategyForm, useStrategyForm } from './use-strategy-form.ts';
import { ViewsBeside } from './views.tsx';
import { vocabularyFor } from './vocabulary.ts';

const ProgramCanvas = lazy(async () => ({ default: (await import('./blocks/program-canvas.tsx')).ProgramCanvas }));
const TextView = lazy(async () => ({ default: (await import('./text/text-view.tsx')).TextView }));

type Props = { shown: Shown; id: string | undefined };

/** Writes a new strategy or changes one. */
export function Editor({ shown, id }: Props) {
  const { api } = useApp();
  const { root } = useEngineVault(shown.vault);
  const asked = new URLSearchParams(useLocation().search).get('lane');
  const strategy = useQuery({
    queryKey: [...root, 'one', id],
    queryFn: () => api.getStrategy({ params: { id: id ?? '' } }),
    enabled: id !== undefined,
    // What is typed stays; a newer version is reported when this one is saved.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const found = strategy.data;
  return (
    <>
      <Link to={{ search: '' }} className="link inline-flex items-center gap-1 self-start text-13">
        <ArrowLeft size={14} aria-hidden="true" />
        All strategies
      </Link>
      {id === undefined ? (
        <Form
          shown={shown}
          before={undefined}
          start={() => newDraft(laneOrder.find((lane) => lane === asked) ?? 'DEPOSIT')}
        />
      ) : found === undefined ? (
        strategy.isError ? (
          <Failure error={strategy.error} title="The strategy could not be read" retry={() => strategy.refetch()} />
        ) : (
          <RowSkeletons rows={8} />
        )
      ) : isOpen(found) && isOwn(found) ? (
        <Form
          key={found.version}
          shown={shown}
          before={found}
          start={() => draftOf(found, vocabularyFor(shown.vault))}
          onReload={() => strategy.refetch()}
        />
      ) : (
        <Notice tone="info" title="This strategy is not written here">
          An emergency exit is kept by the system. It is armed and stopped on the Pause page.
        </Notice>
      )}
    </>
  );
}

type FormProps = {
  shown: Shown;
  before: OpenStrategy | undefined;
  start: () => Draft;
  onReload?: () => void;
};

function Form({ shown: { vault }, before, start, onReload }: FormProps) {
  const inserting = useRef<Insert | null>(null);
  const place = useRef<HTMLFormElement>(null);
  const { hooks, isAsked } = useHooks(vault.chain_id);
  const form = useStrategyForm({ vault, before, start });
  const { writing, isNew, isFixed } = form;
  return (
    <InsertContext value={inserting}>
      <LeaveGuard isDirty={!isFixed && !form.save.isSuccess && writing.isAtRisk} what="this strategy" />
      <Head vault={vault} before={before} onDone={form.leave} />
      {isFixed ? null : <LeftDraft writing={writing} isNew={isNew} />}
      {writing.isDirty || isFixed ? null : (
        <StartFrom
          templates={form.templates}
          isWaiting={isAsked}
          onStart={(template) => writing.replace(withOnlyHook(template.draft, hooks))}
        />
      )}
      <AriaButton
        onPress={() => place.current?.querySelector('input')?.focus()}
        className="sr-only self-start focus:not-sr-only focus:rounded-control focus:bg-accent focus:px-3 focus:py-2 focus:text-13 focus:text-on-accent"
      >
        Skip the variables
      </AriaButton>
      <div className="grid grid-cols-1 items-start gap-4 min-[1280px]:grid-cols-[250px_minmax(0,1fr)_280px]">
        <div className="min-w-0 min-[1280px]:sticky min-[1280px]:top-24 min-[1280px]:row-span-2">
          <Variables form={form} />
        </div>
        <Views form={form} />
        <ProgramForm form={form} place={place} onTheirs={onReload} />
        <div className="min-w-0 min-[1280px]:sticky min-[1280px]:top-24">
          <Judged form={form} />
        </div>
      </div>
    </InsertContext>
  );
}

type PartOf = { form: StrategyForm };

function Variables({ form: { part, judged } }: PartOf) {
  const { fields, fieldsRead, judgement, vocabulary } = judged;
  return (
    <Palette
      vault={part.vault}
      fields={fields}
      isUnread={fieldsRead.isError}
      indicators={part.draft.indicators}
      values={(judgement.now?.decision.indicators ?? []).map((each) => ({
        ...each,
        unit: judgement.aliases.get(each.alias)?.unit ?? 'plain',
      }))}
      vocabulary={vocabulary}
    />
  );
}

function Views({ form: { part, judged, text, writing, undo, redo, isFixed } }: PartOf) {
  return (
    <ViewsBeside
      state={text}
      isKept={!writing.isAtRisk}
      canvas={
        <ProgramCanvas
          part={part}
          vocabulary={judged.vocabulary}
          undo={undo}
          redo={redo}
          isFixed={isFixed}
          explained={judged.judgement.now?.decision.rule}
        />
      }
      text={
        <TextView
          state={text}
          definition={judged.definition}
          faults={part.faults}
          warnings={judged.warnings}
          undo={undo}
          redo={redo}
          isFixed={isFixed}
        />
      }
    />
  );
}

function Judged({ form: { before, part, judged } }: PartOf) {
  const { draft, vault, rewards } = part;
  return (
    <Explain
      vault={vault}
      vocabulary={judged.vocabulary}
      isChecked={judged.isChecked}
      judgement={{ ...judged.judgement, faults: judged.faults }}
      fields={judged.fields}
      fieldsRead={judged.fieldsRead}
      action={draft.action.action}
      sharesOf={sharesOf(draft)}
      reward={rewardIn(draft, rewards)}
      isRunning={before?.state === 'RUNNING'}
    />
  );
}
