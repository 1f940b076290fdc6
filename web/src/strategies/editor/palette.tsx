import {
  functions,
  lookupIn,
  rewardFields,
  showRational,
  sourceFields,
  spellName,
  tokenFields,
  type Unit,
  unitWords,
  type Variable,
  type Vocabulary,
  vaultVariables,
  writtenName,
} from '@castellan/strategy';
import { use, useState } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import type { Vault } from '../../data/queries.ts';
import { Card } from '../../design/card.tsx';
import { Field } from '../../design/field.tsx';
import { toast } from '../../design/toast.tsx';
import { type Reward, rewardName } from '../rewards.ts';
import { type Fields, sourcesOf } from '../types.ts';
import type { DraftIndicator } from './draft.ts';
import { InsertContext } from './insertion.ts';
import { snapshotOf } from './judge.ts';
import { valueText } from './values.ts';

type Props = {
  vault: Vault;
  fields: Fields | undefined;
  /** They could not be read. */
  isUnread: boolean;
  indicators: readonly DraftIndicator[];
  /** What indicators are now. */
  values: readonly { alias: string; value: string | null; unit: Unit }[];
  vocabulary: Vocabulary;
};
/** `short` is what is shown of a name whose beginning stands over its group. */
type Listed = Variable & { short?: string };
type Group = { title: string; variables: readonly Listed[] };

const rewardGroup = (vault: Vault, reward: Reward): Group => ({
  title: `Reward ${rewardName(vault, reward)}`,
  variables: [
    ...rewardFields.map((field) => ({ ...field, name: `merkl_${reward.distributor.toLowerCase()}_${field.name}` })),
    ...tokenFields.map((field) => ({ ...field, name: `token_${reward.token.toLowerCase()}_${field.name}` })),
  ],
});

function groupsOf(vault: Vault, rewards: readonly Reward[]): Group[] {
  const isTime = ({ unit }: Variable) => unit === 'time' || unit === 'instant' || unit === 'instant_ms';
  return [
    { title: 'Vault', variables: vaultVariables.filter((variable) => !isTime(variable)) },
    ...sourcesOf(vault).map(({ name, source_address }) => ({
      title: name,
      variables: sourceFields.map((field) => ({
        ...field,
        name: `ys_${source_address.toLowerCase()}_${field.name}`,
        short: `.${field.name}`,
      })),
    })),
    ...rewards.map((reward) => rewardGroup(vault, reward)),
    { title: 'Time', variables: vaultVariables.filter(isTime) },
  ];
}

/** Everything an expression may name, with what it is now; a press writes it where one last wrote. */
export function Palette({ vault, fields, isUnread, indicators, values, vocabulary }: Props) {
  const [sought, setSought] = useState('');
  const isWide = window.matchMedia('(min-width: 1280px)').matches;
  const isSought = ({ name, about }: Pick<Variable, 'name' | 'about'>) =>
    `${name} ${about}`.toLowerCase().includes(sought.trim().toLowerCase());
  const groups = groupsOf(vault, fields?.rewards ?? [])
    .map((group) => ({
      ...group,
      variables: group.title.toLowerCase().includes(sought.trim().toLowerCase())
        ? group.variables
        : group.variables.filter(isSought),
    }))
    .filter(({ variables }) => variables.length > 0);
  const own = indicators.filter(({ alias }) => alias !== '' && isSought({ name: alias, about: '' }));
  const calls = Object.entries(functions).filter(([name, { about }]) => isSought({ name, about }));
  return (
    <Card isFlush className="relative min-[1280px]:max-h-[calc(100dvh-7rem)] min-[1280px]:overflow-y-auto">
      <details open={isWide}>
        <summary className="min-h-10 cursor-pointer px-3 py-2.5 text-14 font-semibold">Variables</summary>
        <div className="flex flex-col gap-3 px-3 pb-3">
          <Field label="Find a variable" value={sought} onChange={setSought} type="search" autoComplete="off" />
          <p className="text-12 text-muted">
            {fields !== undefined
              ? `As of block ${fields.block_number}.`
              : isUnread
                ? 'Values could not be read; names can be used all the same.'
                : 'Values are on their way.'}
          </p>
          {own.length + groups.length + calls.length === 0 ? (
            <p role="status" className="text-13 text-muted">
              No variable and no function is called that.
            </p>
          ) : null}
          {own.length === 0 ? null : (
            <Names title="Indicators">
              {own.map(({ key, alias }) => (
                <Name
                  key={key}
                  name={alias}
                  about="An indicator of this strategy."
                  {...indicatorOf(values, alias, vault)}
                />
              ))}
            </Names>
          )}
          {groups.map(({ title, variables }) => (
            <Names key={title} title={title}>
              {variables.map((variable) => (
                <Name
                  key={variable.name}
                  name={writtenName(variable.name, vocabulary)}
                  shown={spellName(variable.name, vocabulary)}
                  short={variable.short}
                  about={`${variable.about} (${unitWords[variable.unit]})`}
                  {...shownOf(variable, fields, vault)}
                />
              ))}
            </Names>
          ))}
          {calls.length === 0 ? null : (
            <Names title="Functions">
              {calls.map(([name, { about }]) => (
                <Name key={name} name={`${name}(`} about={about} value="" />
              ))}
            </Names>
          )}
          {sought === '' && fields !== undefined && (fields.rewards ?? []).length === 0 ? (
            <p className="text-12 text-muted">The operator has named no rewards of this vault’s sources.</p>
          ) : null}
        </div>
      </details>
    </Card>
  );
}

function indicatorOf(values: Props['values'], alias: string, vault: Vault) {
  const { value = null, unit = 'plain' } = values.find((each) => each.alias === alias) ?? {};
  return value === null ? { value: 'no value' } : { value: valueText(unit, value, vault), exact: value };
}

function shownOf({ name, unit }: Variable, fields: Fields | undefined, vault: Vault) {
  if (fields === undefined) return { value: '' };
  if (unit === 'time' || unit === 'instant' || unit === 'instant_ms') return { value: timeAt(name, fields) };
  const value = fields.fields[name]?.value ?? null;
  return value === null ? { value: 'no value' } : { value: valueText(unit, value, vault), exact: value };
}

/** What belongs to the time of the block is no field of the vault: the language reads it off the block. */
function timeAt(name: string, fields: Fields): string {
  const seen = lookupIn(snapshotOf(fields))(name);
  return seen.known && typeof seen.value !== 'boolean' ? showRational(seen.value) : 'no value';
}

function Names({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <section aria-label={title}>
      <h4 className="pb-1 label-caps">{title}</h4>
      <ul className="flex flex-col">{children}</ul>
    </section>
  );
}

const nowhere = 'Press into the condition or size that it belongs to first, then on its name here.';

type NameProps = {
  name: string;
  shown?: string;
  short?: string | undefined;
  about: string;
  value: string;
  exact?: string;
};

function Name({ name, shown = name, short, about, value, exact }: NameProps) {
  const inserting = use(InsertContext);
  return (
    <li>
      <AriaButton
        onPress={() => {
          if (inserting.current?.(name) !== true) toast({ tone: 'info', title: nowhere, key: 'insert' });
        }}
        className="flex min-h-7 w-full flex-wrap items-baseline justify-between gap-x-2 rounded px-1 py-0.5 text-left text-12 hover:bg-raised"
      >
        <span className="sr-only">Insert </span>
        <code title={`${name}: ${about}`} className="font-mono break-all">
          {short === undefined ? (
            shown
          ) : (
            <>
              <span className="sr-only">{shown}</span>
              <span aria-hidden="true">{short}</span>
            </>
          )}
        </code>
        {value === '' ? null : <span className="sr-only">, now </span>}
        <span title={exact} className="ml-auto text-muted tabular-nums">
          {value}
        </span>
      </AriaButton>
    </li>
  );
}
