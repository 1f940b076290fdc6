import { AppError, type FieldError } from '@castellan/contracts';
import {
  type Compiled,
  compileStrategy,
  dryRun,
  lookupIn,
  type PathFault,
  type Program,
  type StrategyDefinition,
} from '@castellan/strategy';
import { zeroAddress } from 'viem';
import type { Snapshot } from '../adapters/snapshot-store.mongo.ts';
import { type StrategyFacts, snapshotOf } from './domain/facts.ts';
import type { StoredDefinition, StrategyDocument } from './models.ts';

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

const fromSource: ReadonlySet<string> = new Set(['REBALANCE']);
const intoSource: ReadonlySet<string> = new Set(['DEPOSIT', 'WITHDRAWAL', 'REBALANCE']);

/** Addresses that cannot be right, told where they stand. */
function addressFaults({ action_config }: StoredDefinition, sources: readonly string[]): PathFault[] {
  const { action, execution_address, target_address, from_address } = action_config;
  const faults: PathFault[] = [];
  const refuse = (field: string, message: string) =>
    faults.push({
      code: 'UNKNOWN_IDENTIFIER',
      message,
      position: { offset: 0, line: 1, column: 1 },
      path: `action_config.${field}`,
    });
  const isSource = (address: string | null) => address !== null && sources.includes(address.toLowerCase());
  if (execution_address === zeroAddress) refuse('execution_address', 'The hook must not be the zero address.');
  if (target_address === zeroAddress) refuse('target_address', 'The target must not be the zero address.');
  else if (intoSource.has(action) && !isSource(target_address))
    refuse('target_address', 'This is not a yield source of the vault. Add it to the vault first.');
  if (fromSource.has(action) && !isSource(from_address))
    refuse('from_address', `A ${action} names the yield source it takes from.`);
  return faults;
}

export type Judged = {
  faults: PathFault[];
  warnings: PathFault[];
  /** Undefined when there are faults. */
  program: Program | undefined;
};

/**
 * Everything that is checked before a strategy is saved: its text, addresses and units, that nothing divides by what can be 0, and
 * that it can be worked out on the vault as it is.
 * @param facts - The vault now; undefined when the chain is away, which is warned about.
 */
export function judge(definition: StoredDefinition, snapshot: Snapshot, facts: StrategyFacts | undefined): Judged {
  const sources = sourcesOf(snapshot);
  const { program, faults, warnings }: Compiled = compileStrategy(decidingPart(definition), { sources });
  const all = [...faults, ...addressFaults(definition, sources)];
  if (!program) return { faults: all, warnings, program: undefined };
  all.push(...dryRun(program));
  const live = facts ? dryRun(program, lookupIn(snapshotOf(facts))) : [unchecked];
  const missing = live.filter(({ code }) => code === 'NO_VALUE');
  all.push(...live.filter(({ code }) => code !== 'NO_VALUE'));
  return { faults: all, warnings: [...warnings, ...missing], program: all.length === 0 ? program : undefined };
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
