import { useQuery } from '@tanstack/react-query';
import { ArrowLeft } from 'lucide-react';
import { lazy, type ReactNode, useMemo, useRef, useState } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { Link, useLocation, useNavigate } from 'react-router';
import { useApp } from '../../client/services.ts';
import { Button } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { isConflict } from '../../design/explain.ts';
import { Field } from '../../design/field.tsx';
import { LeaveGuard } from '../../design/leave-guard.tsx';
import { Pill } from '../../design/pill.tsx';
import { Failure, Notice, RowSkeletons } from '../../design/states.tsx';
import { toast } from '../../design/toast.tsx';
import { intentsPath } from '../../navigation/paths.ts';
import type { Shown } from '../../vault/vault-gate.tsx';
import { StateDialog, type StateStep } from '../state-dialog.tsx';
import { isOpen, isOwn, laneOrder, mayWrite, type OpenStrategy, stateWords } from '../types.ts';
import { useEngineVault } from '../use-strategies.ts';
import { ActionFields, LimitFields, type PartProps } from './action-fields.tsx';
import { type Draft, draftOf, newDraft, rewardIn, sharesOf, suggestedId } from './draft.ts';
import { LeftDraft, StartFrom, Steps } from './draft-bar.tsx';
import { Explain } from './explain.tsx';
import { useHooks, withOnlyHook } from './hooks.ts';
import { Indicators, Score } from './indicators.tsx';
import { type Insert, InsertContext } from './insertion.ts';
import { faultsAt } from './judge.ts';
import { Palette } from './palette.tsx';
import { Refused } from './refused.tsx';
import { RuleTree } from './rule-tree.tsx';
import { templatesFor } from './templates.ts';
import { useProgramText } from './text/use-program-text.ts';
import { useDraft } from './use-draft.ts';
import { refusedFields, useJudgement, useSave } from './use-editor.ts';
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

const noRewards: PartProps['rewards'] = [];

function Form({ shown: { vault }, before, start, onReload }: FormProps) {
  const navigate = useNavigate();
  const inserting = useRef<Insert | null>(null);
  const form = useRef<HTMLFormElement>(null);
  // Names of sources may change while one writes; those that were meant are the ones of the beginning.
  const [vaultBefore] = useState(vault);
  const writing = useDraft(vault, before, start);
  const { draft } = writing;
  const [isTried, setTried] = useState(false);
  const { hooks, isAsked } = useHooks(vault.chain_id);
  const { fields, fieldsRead, vocabulary, definition, judgement, faults, warnings, server, isSound, isChecked } =
    useJudgement(vault, draft, { isNew: before === undefined, begun: vaultBefore });
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
  const programText = useProgramText({ draft, vocabulary, vault, onChange: change });
  const undo = programText.undo ?? writing.undo;
  const redo = programText.redo ?? writing.redo;
  const keep = (version?: number) => {
    setTried(true);
    if (isSound && !programText.isPending)
      save.mutate({ draft, definition, ...(version === undefined ? {} : { version }) });
  };
  const all = [...faults, ...refusedFields(save.error)];
  // What is still empty is named once somebody wants to save.
  const visible = isTried ? all : all.filter(({ path }) => !isEmptyAt(draft, path));
  const rewards = fields?.rewards ?? noRewards;
  const part: PartProps = { vault, draft, faults: visible, warnings, rewards, onChange: change };
  const isFixed = before?.state === 'ARCHIVED' || !mayWrite(vault.my_role);
  const templates = useMemo(
    () => (before === undefined ? templatesFor(vaultBefore, vocabularyFor(vaultBefore), rewards) : []),
    [before, vaultBefore, rewards],
  );
  return (
    <InsertContext value={inserting}>
      <LeaveGuard
        isDirty={!isFixed && !save.isSuccess && (writing.isAtRisk || programText.isPending)}
        what="this strategy"
      />
      <Head vault={vault} before={before} onDone={leave} />
      {isFixed ? null : <LeftDraft writing={writing} isNew={before === undefined} />}
      {writing.isDirty || isFixed ? null : (
        <StartFrom
          templates={templates}
          isWaiting={isAsked}
          onStart={(template) => writing.replace(withOnlyHook(template.draft, hooks))}
        />
      )}
      <AriaButton
        onPress={() => form.current?.querySelector('input')?.focus()}
        className="sr-only self-start focus:not-sr-only focus:rounded-control focus:bg-accent focus:px-3 focus:py-2 focus:text-13 focus:text-on-accent"
      >
        Skip the variables
      </AriaButton>
      <div className="grid grid-cols-1 items-start gap-4 min-[1280px]:grid-cols-[250px_minmax(0,1fr)_280px]">
        <div className="min-w-0 min-[1280px]:sticky min-[1280px]:top-24 min-[1280px]:row-span-2">
          <Palette
            vault={vault}
            fields={fields}
            isUnread={fieldsRead.isError}
            indicators={draft.indicators}
            values={(judgement.now?.decision.indicators ?? []).map((each) => ({
              ...each,
              unit: judgement.aliases.get(each.alias)?.unit ?? 'plain',
            }))}
            vocabulary={vocabulary}
          />
        </div>
        <ViewsBeside
          state={programText}
          canvas={
            <ProgramCanvas
              part={part}
              vocabulary={vocabulary}
              undo={undo}
              redo={redo}
              isFixed={isFixed}
              explained={judgement.now?.decision.rule}
            />
          }
          text={
            <TextView
              state={programText}
              definition={definition}
              faults={visible}
              warnings={warnings}
              undo={undo}
              redo={redo}
              isFixed={isFixed}
            />
          }
        />
        <form
          ref={form}
          aria-label={before === undefined ? 'New strategy' : 'Strategy'}
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            keep();
          }}
          className="flex min-w-0 flex-col gap-4"
        >
          {before?.written_in === 'base_units' ? (
            <Notice tone="info" title="It was written in base units">
              Its amounts were sent without a unit. They are shown with one here; what runs is the same.
            </Notice>
          ) : null}
          <fieldset disabled={isFixed} className="flex min-w-0 flex-col gap-4">
            <Parts part={part} isNew={before === undefined} />
          </fieldset>
          {save.isError ? <Refused error={save.error} before={before} onOver={keep} onTheirs={onReload} /> : null}
          {isTried && programText.isPending ? (
            <Notice tone="warn" title="It is not saved yet">
              The text above holds changes that are not part of the program. Put right what is wrong in it, or drop
              them.
            </Notice>
          ) : isTried && !isSound ? (
            <Notice tone="warn" title="It is not saved yet">
              {`${faults.length === 1 ? 'One thing is' : `${faults.length} things are`} to be put right, marked in red above.`}
            </Notice>
          ) : null}
          {isFixed ? null : (
            <span className="flex flex-wrap items-center gap-3">
              <Button type="submit" look="primary" isDisabled={save.isPending}>
                {before === undefined ? 'Save the strategy' : 'Save the change'}
              </Button>
              <Steps undo={undo} redo={redo} />
              <span role="status" className="text-12 text-muted">
                {programText.isPending ? 'The text is not part of the program yet.' : checkWords(isSound, server)}
              </span>
            </span>
          )}
        </form>
        <div className="min-w-0 min-[1280px]:sticky min-[1280px]:top-24">
          <Explain
            vault={vault}
            vocabulary={vocabulary}
            isChecked={isChecked}
            judgement={{ ...judgement, faults }}
            fields={fields}
            fieldsRead={fieldsRead}
            action={draft.action.action}
            sharesOf={sharesOf(draft)}
            reward={rewardIn(draft, rewards)}
            isRunning={before?.state === 'RUNNING'}
          />
        </div>
      </div>
    </InsertContext>
  );
}

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

function checkWords(isSound: boolean, server: ReturnType<typeof useJudgement>['server']): string {
  if (server.isFetching) return 'The server checks it…';
  if (server.isError) return 'The server could not check it; saving tries again.';
  return isSound && server.data !== undefined ? 'Checked by the server.' : '';
}

function Parts({ part, isNew }: { part: PartProps; isNew: boolean }) {
  const { vault, draft, faults, warnings, onChange } = part;
  const name = (text: string) => {
    const follows = isNew && draft.id === suggestedId(draft.name, vault.vault_address);
    onChange({ name: text, ...(follows ? { id: suggestedId(text, vault.vault_address) } : {}) });
  };
  return (
    <>
      <Card className="grid grid-cols-1 gap-3 sm:grid-cols-2">
        <Field
          label="Name"
          value={draft.name}
          onChange={name}
          error={faultsAt(faults, 'name')[0]?.message}
          maxLength={80}
          autoComplete="off"
        />
        {isNew ? (
          <Field
            label="Id"
            value={draft.id}
            onChange={(id) => onChange({ id })}
            error={faultsAt(faults, 'id')[0]?.message}
            hint="For the API; it never changes."
            mono
            autoComplete="off"
          />
        ) : null}
      </Card>
      <Part title="Indicators" about="Names for expressions, worked out first.">
        <Indicators {...part} />
      </Part>
      <Part title="When" about="The rule that must hold.">
        <RuleTree
          node={draft.rule}
          path="rules"
          number=""
          faults={faults}
          warnings={warnings}
          onChange={(rule) => onChange({ rule })}
        />
        <Score {...part} />
      </Part>
      <Part title="What" about="What is done, and with how much.">
        <ActionFields {...part} />
      </Part>
      <Part title="How and how often">
        <LimitFields {...part} />
      </Part>
    </>
  );
}

function Part({ title, about, children }: { title: string; about?: string; children: ReactNode }) {
  return (
    <Card className="flex flex-col gap-3">
      <h3 className="flex flex-wrap items-baseline gap-2">
        <span className="text-14 font-semibold">{title}</span>
        {about === undefined ? null : <span className="text-12 text-muted">{about}</span>}
      </h3>
      {children}
    </Card>
  );
}

type HeadProps = { vault: Shown['vault']; before: OpenStrategy | undefined; onDone: () => void };

function Head({ vault, before, onDone }: HeadProps) {
  const [step, setStep] = useState<StateStep>();
  if (before === undefined) return <h2 className="text-20 font-semibold">New strategy</h2>;
  const { word, tone } = stateWords[before.state];
  const may = mayWrite(vault.my_role) && before.state !== 'ARCHIVED';
  return (
    <div className="flex flex-wrap items-center gap-3">
      <h2 className="min-w-0 text-20 font-semibold break-words">{before.name}</h2>
      <Pill tone={tone}>{word}</Pill>
      <span className="text-12 text-muted">{`Version ${before.version}`}</span>
      <Link
        to={{ pathname: intentsPath(vault.chain_slug, vault.vault_address), search: `?strategy=${before.id}` }}
        className="link text-13"
      >
        Its intents
      </Link>
      {may ? (
        <span className="flex flex-wrap gap-2 sm:ml-auto">
          {before.state === 'RUNNING' || before.state === 'ERROR' ? (
            <Button onPress={() => setStep('stop')}>{before.state === 'RUNNING' ? 'Stop' : 'Reset to idle'}</Button>
          ) : (
            <Button onPress={() => setStep('start')}>Start</Button>
          )}
          <Button look="danger" onPress={() => setStep('archive')}>
            Archive
          </Button>
          <span className="self-center text-12 text-muted">Archiving cannot be undone.</span>
        </span>
      ) : null}
      {before.error === null ? null : <p className="w-full text-13 text-danger">{before.error}</p>}
      {step === undefined ? null : (
        <StateDialog vault={vault} strategy={before} step={step} onDone={onDone} onClose={() => setStep(undefined)} />
      )}
    </div>
  );
}
