import { executableActions } from '@castellan/strategy';
import { clsx } from 'clsx';
import { useState } from 'react';
import type { Vault } from '../../data/queries.ts';
import { Choice } from '../../design/choice.tsx';
import { Field } from '../../design/field.tsx';
import { Skeleton } from '../../design/states.tsx';
import { shortHex } from '../../format/address.ts';
import { ReadTrouble } from '../../live/read-trouble.tsx';
import { isOfRewards, type Reward } from '../rewards.ts';
import { type Action, actionWords, sourcesOf } from '../types.ts';
import { type Draft, sizeOf } from './draft.ts';
import { ExpressionField, NumberField } from './expression-field.tsx';
import { executedBy, fittingHooks, type Hook, hookAfter, useHooks } from './hooks.ts';
import { type Fault, faultsAt } from './judge.ts';
import { RewardChoice } from './reward-choice.tsx';

export type PartProps = {
  vault: Vault;
  draft: Draft;
  faults: readonly Fault[];
  warnings: readonly Fault[];
  /** Those of the vault's sources; none while they are not known. */
  rewards: readonly Reward[];
  onChange: (part: Partial<Draft>) => void;
};

const hasReward = (action: Action, rewards: readonly Reward[]): boolean =>
  action === 'CLAIM' ? rewards.length > 0 : rewards.some(({ pool }) => pool !== null);
/**
 * What can be executed on the vault: claims and swaps where there are rewards. Beside it the action of a strategy that was saved before
 * that was asked.
 */
const actionOptions = (own: Action, rewards: readonly Reward[]) => {
  const possible = executableActions.filter((action) => !isOfRewards(action) || hasReward(action, rewards));
  return [...new Set<Action>([...possible, own])].map((value) => ({ value, label: actionWords[value] }));
};
/** What the addresses and the size of an action are about: where that changes they are chosen anew. */
const subjectOf = (action: Action): string => (isOfRewards(action) ? action : 'source');
const nothingChosen = { target_address: '', from_address: null, size_expr: '' };
const objectives = [
  { value: 'BALANCED', label: 'Balanced' },
  { value: 'MIN_SLIPPAGE', label: 'Least slippage' },
  { value: 'MIN_TIME', label: 'Least time' },
] as const;

const Wrong = ({ faults, path }: { faults: readonly Fault[]; path: string }) =>
  faultsAt(faults, path).map(({ message }) => (
    <p key={message} className="text-12 text-danger">
      {message}
    </p>
  ));

type ActionProps = Omit<PartProps, 'onChange'> & { onChange: (part: Partial<Draft['action']>) => void };

/** What is done: action, source, hook, and how much. */
export function ActionFields(part: PartProps) {
  const { draft, onChange } = part;
  const props: ActionProps = { ...part, onChange: (next) => onChange({ action: { ...draft.action, ...next } }) };
  return (
    <div className="flex flex-col gap-3">
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
        <ActionChoice {...props} />
        {draft.action.action === 'REBALANCE' ? <SourceChoice {...props} field="from_address" /> : null}
        <SourceChoice {...props} field="target_address" />
      </div>
      <HookFields {...props} />
      <SizeField {...props} />
    </div>
  );
}

export function ActionChoice({ vault, draft: { action }, rewards, onChange }: ActionProps) {
  const { hooks, read } = useHooks(vault.chain_id);
  const choose = (next: Action) => {
    onChange({
      action: next,
      ...hookAfter(read.data === undefined ? undefined : hooks, action, next),
      ...(subjectOf(next) === subjectOf(action.action) ? {} : nothingChosen),
    });
  };
  const options = actionOptions(action.action, rewards);
  return <Choice label="Action" value={action.action} options={options} onChange={choose} />;
}

export type SourceField = 'target_address' | 'from_address';
export function sourceLabel(action: Action, field: SourceField): string {
  if (field === 'from_address') return 'Out of source';
  if (isOfRewards(action)) return 'Reward';
  return action === 'REBALANCE' ? 'Into source' : 'Yield source';
}

/** The source that an action is about, or the reward. */
export function SourceChoice(props: ActionProps & { field: SourceField }) {
  const { draft, faults, field } = props;
  return (
    <div className="flex flex-col gap-1">
      {isOfRewards(draft.action.action) ? <RewardChoice {...props} /> : <YieldSourceChoice {...props} />}
      <Wrong faults={faults} path={`action_config.${field}`} />
    </div>
  );
}

function YieldSourceChoice({ vault, draft: { action }, onChange, field }: ActionProps & { field: SourceField }) {
  const named = sourcesOf(vault).map(({ source_address, name }) => ({ value: source_address, label: name }));
  const own = action[field] ?? '';
  const address = own.toLowerCase();
  // A strategy may name a source that the vault has no more: it is not shown as if none were chosen.
  const isGone = address !== '' && !named.some(({ value }) => value.toLowerCase() === address);
  const sources = [
    { value: '', label: 'Choose a source' },
    ...(isGone ? [{ value: own, label: `Not a source any more: ${shortHex(own)}` }] : []),
    ...named,
  ];
  return (
    <Choice
      label={sourceLabel(action.action, field)}
      value={sources.find(({ value }) => value.toLowerCase() === address)?.value ?? ''}
      options={sources}
      onChange={(chosen) => onChange({ [field]: chosen === '' && field === 'from_address' ? null : chosen })}
    />
  );
}

function sizeHint(vault: Vault, draft: Draft): string {
  const { unit } = sizeOf(draft);
  if (unit === 'source_shares')
    return 'In shares of the source it takes from, which are counted in base units: half of its shares, or 1_000_000 units.';
  if (unit === 'tokens')
    return 'In base units of the reward: half of what the vault holds of its token, or 1_000_000 units.';
  return `An amount, such as vault_free_assets / 2 or 1000 ${vault.asset.symbol}.`;
}

export function SizeField({ vault, draft, faults, warnings, onChange }: ActionProps) {
  if (draft.action.action === 'CLAIM') return <p className="text-13">{wholeClaim}</p>;
  return (
    <ExpressionField
      label="Size"
      value={draft.action.size_expr}
      onChange={(size_expr) => onChange({ size_expr })}
      faults={faultsAt(faults, 'action_config.size_expr')}
      warnings={faultsAt(warnings, 'action_config.size_expr')}
      hint={sizeHint(vault, draft)}
      placeholder="vault_free_assets - vault_redeem_queue_value"
    />
  );
}

/** The size of a claim, in words: nothing of it can be chosen. */
export const wholeClaim = 'All that can be claimed is claimed.';

const OTHER = 'other';

/** The hook that does it: one of the registry, or any address. */
export function HookFields(props: ActionProps) {
  const { vault, draft } = props;
  const { hooks, read, isAsked } = useHooks(vault.chain_id);
  return (
    <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
      <div className="empty:hidden sm:col-span-2">
        <ReadTrouble of={read} what="The registry of hooks" />
      </div>
      {isAsked ? (
        <div role="status" aria-label="Loading the hooks" className="flex flex-col gap-1">
          <Skeleton className="h-5 w-16" />
          <Skeleton className="h-9 w-full" />
        </div>
      ) : (
        <HookChoice
          {...props}
          hooks={hooks}
          fitting={fittingHooks(hooks, draft.action.action)}
          isRead={read.isSuccess}
        />
      )}
    </div>
  );
}

type HookProps = ActionProps & { hooks: readonly Hook[]; fitting: readonly Hook[]; isRead: boolean };

function HookChoice({ draft: { action }, faults, hooks, fitting, isRead, onChange }: HookProps) {
  const [isOther, setIsOther] = useState(false);
  const offered = fitting.length > 0 ? fitting : hooks;
  const chosen = offered.find(({ address }) => address.toLowerCase() === action.execution_address.toLowerCase());
  const isWritten = offered.length === 0 || (chosen === undefined && (isOther || action.execution_address !== ''));
  const choose = (value: string) => {
    setIsOther(value === OTHER);
    onChange(executedBy(offered.find(({ address }) => address === value)));
  };
  return (
    <>
      {offered.length === 0 ? null : (
        // Alone it takes the whole line.
        <div className={clsx('flex flex-col gap-1', !isWritten && 'sm:col-span-2')}>
          <Choice
            label={action.action === 'REBALANCE' ? 'Hook that deposits' : 'Hook'}
            value={chosen?.address ?? (isWritten ? OTHER : '')}
            options={[
              ...(chosen === undefined && !isWritten ? [{ value: '', label: 'Choose a hook' }] : []),
              ...offered.map(({ address, name }) => ({ value: address, label: name })),
              { value: OTHER, label: 'Another address' },
            ]}
            onChange={choose}
          />
          {fitting.length > 0 ? null : (
            <p className="text-12 text-muted">
              The registry has no hook of this kind on this chain; these are the others.
            </p>
          )}
          {isWritten ? null : <Wrong faults={faults} path="action_config.execution_address" />}
        </div>
      )}
      {isWritten ? (
        <WrittenHook
          action={action}
          faults={faults}
          hint={isRead && hooks.length === 0 ? 'The registry has no hook on this chain yet.' : undefined}
          onChange={onChange}
        />
      ) : null}
    </>
  );
}

type WrittenProps = Pick<ActionProps, 'faults' | 'onChange'> & { action: Draft['action']; hint: string | undefined };

function WrittenHook({ action, faults, hint, onChange }: WrittenProps) {
  return (
    <>
      <Field
        label="Address of the hook"
        value={action.execution_address}
        onChange={(execution_address) => onChange({ execution_address })}
        error={faultsAt(faults, 'action_config.execution_address')[0]?.message}
        hint={hint}
        mono
        autoComplete="off"
        placeholder="0x…"
      />
      <Field
        label="Name of what is executed"
        value={action.execution_name}
        onChange={(execution_name) => onChange({ execution_name })}
        error={faultsAt(faults, 'action_config.execution_name')[0]?.message}
        autoComplete="off"
        maxLength={80}
      />
    </>
  );
}

type NumberOf = {
  [Key in keyof Draft]: Draft[Key] extends string ? Key : never;
}[keyof Draft];
const numbers: readonly { field: NumberOf; path: string; label: string; hint: string }[] = [
  {
    field: 'max_slippage',
    path: 'action_config.max_slippage_bps',
    label: 'Max slippage',
    hint: 'In bps or %: 50 bps is 0.50%.',
  },
  { field: 'cooldown', path: 'cooldown_ms', label: 'Cooldown', hint: 'Rest after it fired, e.g. 15 min.' },
  {
    field: 'max_concurrent',
    path: 'max_concurrent',
    label: 'Intents at once',
    hint: 'Unfinished intents it may have.',
  },
  {
    field: 'required_ticks',
    path: 'conviction_config.required_ticks',
    label: 'Evaluations in a row',
    hint: 'How often its rule must hold before it fires.',
  },
  {
    field: 'max_duration',
    path: 'action_config.max_duration_seconds',
    label: 'Longest execution',
    hint: '10 s to 5 min.',
  },
  {
    field: 'max_amount',
    path: 'risk_params.max_amount',
    label: 'Most at once',
    hint: 'An amount, as the size counts it; empty for no limit.',
  },
  {
    field: 'min_free_assets',
    path: 'risk_params.min_free_assets',
    label: 'Idle assets to leave',
    hint: 'An amount; empty for no limit.',
  },
];

/** A claim takes all that there is, so it has no most at once. */
const numbersOf = ({ action }: Draft) =>
  numbers.filter(({ field }) => action.action !== 'CLAIM' || field !== 'max_amount');

/** How it is executed, and what it never exceeds. */
export function LimitFields({ draft, faults, onChange }: PartProps) {
  return (
    <div className="grid grid-cols-1 items-start gap-3 sm:grid-cols-2">
      <Choice
        label="Objective"
        value={draft.action.objective ?? 'BALANCED'}
        options={objectives}
        onChange={(objective) => onChange({ action: { ...draft.action, objective } })}
      />
      {numbersOf(draft).map(({ field, path, label, hint }) => (
        <NumberField
          key={field}
          label={label}
          value={draft[field]}
          onChange={(text) => onChange({ [field]: text })}
          faults={faultsAt(faults, path)}
          hint={hint}
        />
      ))}
    </div>
  );
}
