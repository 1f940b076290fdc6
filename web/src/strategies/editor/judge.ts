import {
  type Compiled,
  compileStrategy,
  type Decision,
  dryRun,
  newRun,
  type PathFault,
  type StrategyDefinition,
  type StrategySnapshot,
  type TickOutcome,
  tick,
} from '@castellan/strategy';
import type { Fields } from '../types.ts';
import type { Definition, Draft } from './draft.ts';

/** Something wrong, and the field it is in. */
export type Fault = Pick<PathFault, 'path' | 'message'> & Partial<Pick<PathFault, 'position' | 'suggestion'>>;

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const isWhole = (text: string, [least, most]: readonly [number, number]) =>
  /^\d+$/.test(text.trim()) && Number(text) >= least && Number(text) <= most;

const wholeNumbers = [
  ['conviction_config.required_ticks', 'required_ticks', [1, 100]],
  ['action_config.max_slippage_bps', 'max_slippage_bps', [0, 5_000]],
  ['action_config.max_duration_seconds', 'max_duration_seconds', [10, 300]],
  ['max_concurrent', 'max_concurrent', [1, 100]],
  ['cooldown_ms', 'cooldown_seconds', [0, 2_592_000]],
] as const;

/** What is missing or no number, before anything is parsed. */
export function fieldFaults(draft: Draft, isNew: boolean): Fault[] {
  const faults: Fault[] = [];
  const want = (isGood: boolean, path: string, message: string) => {
    if (!isGood) faults.push({ path, message });
  };
  want(draft.name.trim() !== '', 'name', 'Give it a name.');
  if (isNew)
    want(
      /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(draft.id),
      'id',
      'An id is 1 to 100 letters, digits, - or _, a letter or digit first.',
    );
  for (const [path, field, range] of wholeNumbers)
    want(isWhole(draft[field], range), path, `A whole number from ${range[0]} to ${range[1]}.`);
  for (const field of ['max_amount', 'min_free_assets'] as const)
    want(/^[\d_]*$/.test(draft[field].trim()), `risk_params.${field}`, 'A whole number of base units, or nothing.');
  const { action, execution_address, execution_name, target_address, from_address } = draft.action;
  want(ADDRESS.test(target_address), 'action_config.target_address', 'Choose the yield source.');
  want(ADDRESS.test(execution_address), 'action_config.execution_address', 'Choose the hook, or write its address.');
  want(execution_name.trim() !== '', 'action_config.execution_name', 'Name what is executed.');
  if (action === 'REBALANCE')
    want(ADDRESS.test(from_address ?? ''), 'action_config.from_address', 'Choose the source it takes from.');
  if (draft.score.isUsed)
    want(
      /^-?\d{1,30}(\.\d{1,18})?$/.test(draft.score.min_score),
      'conviction_config.min_score',
      'A decimal number such as 0.5.',
    );
  return faults;
}

export const snapshotOf = ({ block_number, t, fields }: Fields): StrategySnapshot => ({
  block_number,
  block_time: Math.floor(Date.parse(t) / 1000),
  values: Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value])),
});

export type Judgement = {
  faults: Fault[];
  warnings: Fault[];
  /** How it judges the vault as it is; undefined while that is not known or it cannot be read. */
  now: { decision: Decision; outcome: TickOutcome; because: string } | undefined;
};

/** The definition as the compiler of the language takes it. */
const compilable = ({ action_config, ...definition }: Definition): StrategyDefinition =>
  ({
    ...definition,
    action_config: { ...action_config, target_address: action_config.target_address || null },
  }) as StrategyDefinition;

/** The engine's own judgement of a definition, made here: its faults with their places, and whether it would fire now. */
export function judge(definition: Definition, sources: readonly string[], fields: Fields | undefined): Judgement {
  const compiled: Compiled = compileStrategy(compilable(definition), { sources });
  const { program, warnings } = compiled;
  if (program === undefined) return { faults: compiled.faults, warnings, now: undefined };
  const faults = dryRun(program);
  if (fields === undefined) return { faults, warnings, now: undefined };
  const { decision, outcome, because } = tick(program, newRun, snapshotOf(fields), 0);
  return { faults, warnings, now: { decision, outcome, because } };
}

/** Those of one field. */
export const faultsAt = (faults: readonly Fault[], path: string): Fault[] =>
  faults.filter((fault) => fault.path === path);
