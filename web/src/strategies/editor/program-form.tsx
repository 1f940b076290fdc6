import type { ReactNode, RefObject } from 'react';
import { Button } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { Field } from '../../design/field.tsx';
import { Notice } from '../../design/states.tsx';
import { ActionFields, LimitFields, type PartProps } from './action-fields.tsx';
import { suggestedId } from './draft.ts';
import { Steps } from './draft-bar.tsx';
import { Indicators, Score } from './indicators.tsx';
import { faultsAt } from './judge.ts';
import { Refused } from './refused.tsx';
import { RuleTree } from './rule-tree.tsx';
import type { StrategyForm } from './use-strategy-form.ts';

type Props = { form: StrategyForm; place: RefObject<HTMLFormElement | null>; onTheirs: (() => void) | undefined };

/** The program in fields, why it is not saved yet, and the button that saves it. */
export function ProgramForm({ form, place, onTheirs }: Props) {
  const { before, isNew, isFixed, part, save, keep } = form;
  return (
    <form
      ref={place}
      aria-label={isNew ? 'New strategy' : 'Strategy'}
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
        <Parts part={part} isNew={isNew} />
      </fieldset>
      {save.isError ? <Refused error={save.error} before={before} onOver={keep} onTheirs={onTheirs} /> : null}
      <NotSaved {...form} />
      {isFixed ? null : <SaveBar {...form} />}
    </form>
  );
}

/** Why pressing the button saved nothing. */
function NotSaved({ isTried, text, judged: { isSound, faults } }: Pick<StrategyForm, 'isTried' | 'text' | 'judged'>) {
  if (!isTried) return null;
  if (text.isPending) {
    return (
      <Notice tone="warn" title="It is not saved yet">
        The text above holds changes that are not part of the program. Put right what is wrong in it, or drop them.
      </Notice>
    );
  }
  if (isSound) return null;
  return (
    <Notice tone="warn" title="It is not saved yet">
      {`${faults.length === 1 ? 'One thing is' : `${faults.length} things are`} to be put right, marked in red above.`}
    </Notice>
  );
}

type BarProps = Pick<StrategyForm, 'isNew' | 'save' | 'undo' | 'redo' | 'text' | 'judged'>;

function SaveBar({ isNew, save, undo, redo, text, judged }: BarProps) {
  return (
    <span className="flex flex-wrap items-center gap-3">
      <Button type="submit" look="primary" isDisabled={save.isPending}>
        {isNew ? 'Save the strategy' : 'Save the change'}
      </Button>
      <Steps undo={undo} redo={redo} />
      <span role="status" className="text-12 text-muted">
        {text.isPending ? 'The text is not part of the program yet.' : checkWords(judged)}
      </span>
    </span>
  );
}

function checkWords({ isSound, server }: StrategyForm['judged']): string {
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
