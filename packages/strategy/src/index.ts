export type { Counted } from './agree.ts';
export { type Checked, check, noAliases, type Scope, type ValueType, type Verdict } from './check.ts';
export {
  type Decision,
  decide,
  newRun,
  type StrategyRun,
  type Tick,
  type TickOutcome,
  tick,
  tickOutcomes,
} from './decide.ts';
export {
  type Context,
  evaluate,
  explainUnknown,
  MAX_STEPS,
  type Outcome,
  type Unknown,
  type Value,
} from './evaluate.ts';
export { type Fn, functions } from './functions.ts';
export { type Lexicon, type Vocabulary, vocabularyOf } from './lexicon.ts';
export { type Parsed, parse } from './parser.ts';
export { print } from './print.ts';
export {
  actions,
  type Compiled,
  compileStrategy,
  dryRun,
  executableActions,
  type Lane,
  laneOf,
  lanes,
  type Program,
  rewardLimit,
  type StrategyAction,
  type StrategyDefinition,
  sizeCounts,
  takesFrom,
} from './program.ts';
export { farThresholds } from './range.ts';
export { parseRational, type Rational, ratio, showRational } from './rational.ts';
export { readAmount } from './read-amount.ts';
export { compileWritten, namesUsed, resolveText } from './resolve-text.ts';
export {
  type CompiledRule,
  compileRule,
  type Explanation,
  explainRule,
  type Findings,
  MAX_RULE_DEPTH,
  MAX_RULE_NODES,
  type PathFault,
  printRule,
  type RuleNode,
  type Show,
} from './rule.ts';
export { lookupIn, type StrategySnapshot } from './snapshot.ts';
export { amountText, shownWith, spellingOf, spellName, spellNames, spellStrategy, writtenName } from './spell.ts';
export { durationText } from './spell-number.ts';
export {
  type Expr,
  type Fault,
  type FaultCode,
  faultCodes,
  MAX_DEPTH,
  MAX_LENGTH,
  type Position,
} from './syntax.ts';
export { type Aimed, assetsAt, type Effect, effectOf, isBeyond, type Move } from './targets.ts';
export {
  namesFor,
  resolveVariable,
  rewardFields,
  sourceFields,
  tokenFields,
  type Unit,
  unitWords,
  type Variable,
  vaultVariables,
} from './variables.ts';
export { printProgram } from './whole-text/print-program.ts';
export { type ReadProgram, readProgram } from './whole-text/read-program.ts';
export { type Places, placeOf } from './whole-text/reading.ts';
export {
  objectives,
  takesAll,
  takesOutOf,
  trimmed,
  type WrittenNode,
  type WrittenProgram,
} from './whole-text/written.ts';
