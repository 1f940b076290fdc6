import {
  type Checked,
  compileWritten,
  type Decision,
  dryRun,
  farThresholds,
  lookupIn,
  newRun,
  type PathFault,
  readAmount,
  type StrategySnapshot,
  shownWith,
  spellNames,
  type TickOutcome,
  tick,
  type Vocabulary,
  writtenName,
} from '@castellan/strategy';
import { sameAddress } from '../../format/address.ts';
import { isOfRewards } from '../rewards.ts';
import type { Fields } from '../types.ts';
import { compilable, type Definition, type Draft, limitFields, sizeOf, wholeOf } from './draft.ts';

/** Something wrong, and the field it is in. */
export type Fault = Pick<PathFault, 'path' | 'message'> & Partial<Pick<PathFault, 'position' | 'suggestion'>>;

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const isWhole = (text: string, [least, most]: readonly [number, number]) =>
  /^\d+$/.test(text.trim()) && Number(text) >= least && Number(text) <= most;

const wholeNumbers = [
  ['conviction_config.required_ticks', 'required_ticks', [1, 100]],
  ['max_concurrent', 'max_concurrent', [1, 100]],
] as const;
const rangeWords = { max_slippage: '0 bps to 50 %', max_duration: '10 s to 5 min', cooldown: '0 s to 30 d' } as const;

/** Where and why a number could not be read, with what was probably meant. */
const unreadable = (path: string, { message, position, suggestion }: Omit<Fault, 'path'>): Fault => ({
  path,
  message,
  ...(position === undefined ? {} : { position }),
  ...(suggestion === undefined ? {} : { suggestion }),
});

/** Numbers that have a field of their own and a unit. */
function limitFaults(draft: Draft, vocabulary: Vocabulary): Fault[] {
  const faults: Fault[] = [];
  for (const { field, path, unit, times, range } of limitFields) {
    const read = readAmount(draft[field], { unit }, vocabulary);
    const whole = wholeOf(draft[field], { unit }, vocabulary, times);
    const isGood = whole !== null && whole >= range[0] && whole <= range[1];
    if (!read.ok) faults.push(unreadable(path, read));
    else if (!isGood) faults.push({ path, message: `From ${rangeWords[field]}.` });
  }
  const amounts = [
    ['max_amount', sizeOf(draft)],
    ['min_free_assets', { unit: 'assets' }],
  ] as const;
  for (const [field, counted] of amounts) {
    if (draft[field].trim() === '') continue;
    const path = `risk_params.${field}`;
    const read = readAmount(draft[field], counted, vocabulary);
    if (!read.ok) faults.push(unreadable(path, read));
    else if (wholeOf(draft[field], counted, vocabulary) === null)
      faults.push({ path, message: 'A whole number of base units, or nothing.' });
  }
  return faults;
}

/** What is missing or no number, before anything is parsed. */
export function fieldFaults(draft: Draft, isNew: boolean, vocabulary: Vocabulary): Fault[] {
  const faults = limitFaults(draft, vocabulary);
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
  const { action, execution_address, execution_name, target_address, from_address } = draft.action;
  want(
    ADDRESS.test(target_address),
    'action_config.target_address',
    isOfRewards(action) ? 'Choose the reward.' : 'Choose the yield source.',
  );
  want(ADDRESS.test(execution_address), 'action_config.execution_address', 'Choose the hook, or write its address.');
  want(execution_name.trim() !== '', 'action_config.execution_name', 'Name what is executed.');
  if (action === 'REBALANCE')
    want(
      ADDRESS.test(from_address ?? '') && !sameAddress(from_address ?? '', target_address),
      'action_config.from_address',
      'Choose the source it takes from: another than the one it gives to.',
    );
  if (draft.score.isUsed)
    want(
      /^-?\d[\d_]*(\.\d{1,18})?( ?\S.*)?$/.test(draft.score.min_score),
      'conviction_config.min_score',
      'A number such as 0.5, with the unit of the score.',
    );
  return faults;
}

export const snapshotOf = ({ block_number, t, fields }: Fields): StrategySnapshot => ({
  block_number,
  block_time: Math.floor(Date.parse(t) / 1000),
  values: Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value])),
});

/** What the engine says, with sources by their names. */
export const inWords = <T extends Fault>(faults: readonly T[], vocabulary: Vocabulary): T[] =>
  faults.map((fault) => ({
    ...fault,
    message: spellNames(fault.message, vocabulary),
    ...(fault.suggestion === undefined ? {} : { suggestion: writtenName(fault.suggestion, vocabulary) }),
  }));

export type Judgement = {
  faults: Fault[];
  warnings: Fault[];
  /** What each indicator counts. */
  aliases: ReadonlyMap<string, Checked>;
  /** How it judges the vault as it is; undefined while that is not known or it cannot be read. */
  now: { decision: Decision; outcome: TickOutcome; because: string } | undefined;
};

/** The engine's own judgement of a definition, made here: its faults with their places, and whether it would fire now. */
export function judge(
  definition: Definition,
  { sources, vocabulary }: { sources: readonly string[]; vocabulary: Vocabulary },
  fields: Fields | undefined,
): Judgement {
  const reading = { sources, vocabulary, bareNumbers: 'refused' } as const;
  const say = (found: readonly PathFault[]) => inWords(found, vocabulary);
  const { program, asWritten, warnings, aliases, ...compiled } = compileWritten(compilable(definition), reading);
  if (program === undefined || asWritten === undefined)
    return { faults: say(compiled.faults), warnings: say(warnings), aliases, now: undefined };
  const faults = say(dryRun(asWritten));
  if (fields === undefined) return { faults, warnings: say(warnings), aliases, now: undefined };
  const snapshot = snapshotOf(fields);
  const far = farThresholds(asWritten, lookupIn(snapshot), { vocabulary, aliases });
  const { decision, outcome, because } = tick(program, newRun, snapshot, 0, shownWith(vocabulary, aliases));
  return { faults, warnings: say([...warnings, ...far]), aliases, now: { decision, outcome, because } };
}

/** Those of one field. */
export const faultsAt = (faults: readonly Fault[], path: string): Fault[] =>
  faults.filter((fault) => fault.path === path);
