import { AppError, type FieldError } from '@castellan/contracts';
import {
  compileStrategy,
  compileWritten,
  dryRun,
  farThresholds,
  type Lexicon,
  lookupIn,
  type PathFault,
  type Program,
  type StrategyDefinition,
  vocabularyOf,
} from '@castellan/strategy';
import { zeroAddress } from 'viem';
import type { Snapshot } from '../vault/adapters/snapshot-store.mongo.ts';
import { type StrategyFacts, snapshotOf } from './domain/facts.ts';
import { claimedReward, swappedReward } from './domain/rewards.ts';
import type { StoredDefinition, StrategyDocument } from './domain/strategy.ts';

/** The part that decides. */
export const decidingPart = (definition: StoredDefinition): StrategyDefinition => ({
  indicators: definition.indicators,
  rules: definition.rules,
  conviction_config: definition.conviction_config,
  action_config: definition.action_config,
  risk_params: definition.risk_params,
  max_concurrent: definition.max_concurrent,
  cooldown_ms: definition.cooldown_ms,
});

/** The vault's yield sources in lower case. */
export const sourcesOf = ({ detail }: Snapshot): string[] =>
  detail.allocation.filter(({ kind }) => kind === 'source').map(({ source_address }) => source_address.toLowerCase());

/** The words of a vault: the symbols of its tokens, and the names of its sources. */
export const lexiconOf = ({ detail }: Pick<Snapshot, 'detail'>): Lexicon => ({
  asset: { symbol: detail.asset.symbol, decimals: detail.asset.decimals },
  share: { symbol: detail.symbol, decimals: detail.vault_share_decimals },
  sources: detail.allocation
    .filter(({ kind }) => kind === 'source')
    .map(({ name, source_address }) => ({ name, address: source_address })),
});

const fromSource: ReadonlySet<string> = new Set(['REBALANCE']);
const intoSource: ReadonlySet<string> = new Set(['DEPOSIT', 'WITHDRAWAL', 'REBALANCE']);

const addressFault = (field: string, message: string): PathFault => ({
  code: 'UNKNOWN_IDENTIFIER',
  message,
  position: { offset: 0, line: 1, column: 1 },
  path: `action_config.${field}`,
});

/** What a claim or a swap names must be a reward of the vault's sources; while the chain is away only the keeper can say. */
function rewardFaults({ action_config }: StoredDefinition, facts: StrategyFacts | undefined): PathFault[] {
  const { action, from_address } = action_config;
  if (action === 'SWAP' && from_address === null)
    return [addressFault('from_address', 'A SWAP names the token that it gives.')];
  if (facts === undefined) return [];
  if (action === 'CLAIM' && !claimedReward(facts.rewards, action_config))
    return [addressFault('target_address', 'This distributor pays no source of the vault that the operator named.')];
  if (action === 'SWAP' && !swappedReward(facts.rewards, action_config))
    return [addressFault('target_address', 'This is not the pool that the operator named for a reward of the vault.')];
  return [];
}

/** Addresses that cannot be right, each with its position. */
function addressFaults({ action_config }: StoredDefinition, sources: readonly string[]): PathFault[] {
  const { action, execution_address, target_address, from_address } = action_config;
  const faults: PathFault[] = [];
  const refuse = (field: string, message: string) => faults.push(addressFault(field, message));
  const isSource = (address: string | null) => address !== null && sources.includes(address.toLowerCase());
  if (execution_address === zeroAddress) refuse('execution_address', 'The hook must not be the zero address.');
  if (target_address === zeroAddress) refuse('target_address', 'The target must not be the zero address.');
  else if (intoSource.has(action) && !isSource(target_address))
    refuse('target_address', 'This is not a yield source of the vault. Add it to the vault first.');
  if (fromSource.has(action) && !isSource(from_address))
    refuse('from_address', `A ${action} names the yield source it takes from.`);
  else if (fromSource.has(action) && from_address?.toLowerCase() === target_address.toLowerCase())
    refuse('from_address', 'It takes from the source that it gives to. Choose another.');
  return faults;
}

/** How the texts of a definition are read; see `strategyDefinition` of the contracts. */
type ReadAs = {
  bare_numbers?: 'base_units' | 'refused' | undefined;
  names?: Readonly<Record<string, string>> | undefined;
};

export type Judged = {
  faults: PathFault[];
  warnings: PathFault[];
  /** Undefined when there are faults. */
  program: Program | undefined;
  /** As it is stored: base units and addresses. */
  definition: StoredDefinition;
  written_in: 'units' | 'base_units';
};

const writtenIn = (warnings: readonly PathFault[]): Judged['written_in'] =>
  warnings.some(({ code }) => code === 'BARE_NUMBER') ? 'base_units' : 'units';

/**
 * Everything that is checked before a strategy is saved: its text, addresses and units, that nothing divides by what can be 0, and
 * that it can be worked out on the vault as it is.
 * @param facts - The vault now; undefined when the chain is away, which is warned about.
 */
export function judge(
  definition: StoredDefinition,
  snapshot: Snapshot,
  facts: StrategyFacts | undefined,
  { bare_numbers, names = {} }: ReadAs = {},
): Judged {
  const sources = sourcesOf(snapshot);
  const isStrict = bare_numbers === 'refused';
  const vocabulary = vocabularyOf(lexiconOf(snapshot), { names, isStrict });
  const bareNumbers = isStrict ? 'refused' : 'marked';
  const compiled = compileWritten(decidingPart(definition), { sources, vocabulary, bareNumbers });
  const { program, asWritten, faults, warnings, aliases } = compiled;
  const all = [...faults, ...addressFaults(definition, sources), ...rewardFaults(definition, facts)];
  const written_in = writtenIn(warnings);
  if (!program || !asWritten) return { faults: all, warnings, program: undefined, definition, written_in };
  all.push(...dryRun(asWritten));
  const lookup = facts && lookupIn(snapshotOf(facts));
  const live = lookup ? dryRun(asWritten, lookup) : [unchecked];
  const missing = live.filter(({ code }) => code === 'NO_VALUE');
  all.push(...live.filter(({ code }) => code !== 'NO_VALUE'));
  const far = lookup ? farThresholds(asWritten, lookup, { vocabulary, aliases }) : [];
  return {
    faults: all,
    warnings: [...warnings, ...far, ...missing],
    program: all.length === 0 ? program : undefined,
    definition: stored(definition, compiled.resolved),
    written_in,
  };
}

/** A definition with the texts of what decides in it. */
const stored = (definition: StoredDefinition, { action_config, ...resolved }: StrategyDefinition): StoredDefinition =>
  ({
    ...definition,
    ...resolved,
    action_config: { ...definition.action_config, size_expr: action_config.size_expr },
  }) as StoredDefinition;

/** What a stored definition was written in; before units could be written, it was base units wherever it has an amount. */
export function writtenInOf({ definition, written_in }: StrategyDocument, lexicon: Lexicon): Judged['written_in'] {
  if (written_in !== undefined) return written_in;
  const vocabulary = vocabularyOf(lexicon);
  return writtenIn(compileWritten(decidingPart(definition), { vocabulary, bareNumbers: 'marked' }).warnings);
}

const unchecked: PathFault = {
  code: 'NO_VALUE',
  message: 'The chain is away, so this was not tried on the vault as it is.',
  position: { offset: 0, line: 1, column: 1 },
  path: 'rules',
};

const located = ({ message, position: { line, column } }: PathFault): string =>
  `line ${line}, column ${column}: ${message}`;
const fieldOf = (fault: PathFault): FieldError => ({ path: `body.${fault.path}`, message: located(fault) });

/** @throws AppError VALIDATION_FAILED with every fault where it stands. */
export function requireSound(judged: Judged): Program {
  if (judged.program) return judged.program;
  throw new AppError(
    'VALIDATION_FAILED',
    'The strategy cannot run as it is. Each fault is named with its line and column.',
    {
      data: { errors: judged.faults.map(fieldOf) },
    },
  );
}

export const warningsOf = ({ warnings }: Pick<Judged, 'warnings'>): StrategyDocument['warnings'] =>
  warnings.map((fault) => ({ path: fault.path, code: fault.code, message: located(fault) }));

/** A kept strategy, ready to run; undefined when the vault has meanwhile lost what it needs. */
export function programOf({ definition }: StrategyDocument, snapshot: Snapshot): Program | undefined {
  return compileStrategy(decidingPart(definition), { sources: sourcesOf(snapshot) }).program;
}
