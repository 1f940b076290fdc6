import type { StrategyAction } from '../program.ts';
import type { RuleNode } from '../rule.ts';

/** The parts of a strategy as they are written, and the words of its whole text. */

/** A node of a rule as it is written: `expr` of a condition, `threshold` of a vote; NOT holds its one child in `children`. */
export type WrittenNode = {
  readonly type: RuleNode['type'];
  readonly expr: string;
  readonly threshold: string;
  readonly children: readonly WrittenNode[];
};

/** Values in lines of their own, each behind its name, in the order of the text. */
export const settings = [
  { field: 'required_ticks', path: 'conviction_config.required_ticks', words: 'evaluations in a row' },
  { field: 'objective', path: 'action_config.objective', words: 'objective' },
  { field: 'max_slippage', path: 'action_config.max_slippage_bps', words: 'max slippage' },
  { field: 'max_duration', path: 'action_config.max_duration_seconds', words: 'longest execution' },
  { field: 'max_amount', path: 'risk_params.max_amount', words: 'most at once', isOptional: true },
  { field: 'min_free_assets', path: 'risk_params.min_free_assets', words: 'idle assets to leave', isOptional: true },
  { field: 'max_concurrent', path: 'max_concurrent', words: 'intents at once' },
  { field: 'cooldown', path: 'cooldown_ms', words: 'cooldown' },
] as const satisfies readonly { field: string; path: string; words: string; isOptional?: boolean }[];
/** The name of a setting. */
export type SettingField = (typeof settings)[number]['field'];

/** What an execution aims at, and how the text calls it. */
export const objectives = {
  BALANCED: 'balanced',
  MIN_SLIPPAGE: 'least slippage',
  MIN_TIME: 'least time',
} as const;
/** One of `objectives`. */
export type Objective = keyof typeof objectives;

/** What a parameter of an execution can be. */
export type Parameter = string | number | boolean | null;

/** A whole strategy as it is written: expressions and numbers are texts, with their units and names; '' is what is not written yet. */
export type WrittenProgram = {
  readonly indicators: readonly { readonly alias: string; readonly expr: string }[];
  readonly rule: WrittenNode;
  readonly score: { readonly expr: string; readonly least: string } | null;
  readonly action: StrategyAction;
  /** '' for an action that takes all there is. */
  readonly size: string;
  /** Addresses; where the text names a source, in lower case. */
  readonly target: string;
  /** Null for an action that takes from no second source. */
  readonly from: string | null;
  readonly hook: { readonly name: string; readonly address: string };
  readonly parameters: Readonly<Record<string, Parameter>>;
  readonly settings: Readonly<Record<SettingField, string>>;
};

/** The lines that name what an action is about. */
export const sides = ['out of', 'into'] as const;
/** One of `sides`. */
export type Side = (typeof sides)[number];

/** In which line an action names its target, and in which one the source or token that it takes from besides. */
const sidesByAction: Readonly<Record<StrategyAction, { readonly target: Side; readonly from: Side | null }>> = {
  DEPOSIT: { target: 'into', from: null },
  WITHDRAWAL: { target: 'out of', from: null },
  CLAIM: { target: 'out of', from: null },
  REBALANCE: { target: 'into', from: 'out of' },
  SWAP: { target: 'into', from: 'out of' },
  BRIDGE: { target: 'into', from: null },
};
/** See `sidesByAction`. */
export const sidesOf = (action: StrategyAction) => sidesByAction[action];
/** Whether an action takes out of one address what it puts into another. */
export const takesOutOf = (action: StrategyAction): boolean => sidesByAction[action].from !== null;

/** Whether an action takes all there is, so that it has no size and no most at once. */
export const takesAll = (action: StrategyAction): boolean => action === 'CLAIM';

/** Stands for what is not written yet. */
export const OPEN = '?';
/** By how much each level of a rule is indented. */
export const STEP = 2;
/** By how much more the further lines of an expression are. */
export const FURTHER = 4;
/** Longer than the text of any strategy that can be saved. */
export const MAX_PROGRAM_TEXT = 300_000;

const isSpace = (character: string | undefined): boolean =>
  character === ' ' || character === '\t' || character === '\n';
/** An expression as the text keeps it: lines end with \n, and there is no space around it. */
export function trimmed(text: string): string {
  const whole = text.replaceAll(/\r\n?/g, '\n');
  let start = 0;
  let end = whole.length;
  while (start < end && isSpace(whole[start])) start += 1;
  while (end > start && isSpace(whole[end - 1])) end -= 1;
  return whole.slice(start, end);
}

const quoted = String.raw`"(?:[^"\\]|\\.)*"`;
/** `"Deposit"`, with whatever it holds, or a word. */
export const token = String.raw`${quoted}|[^\s"]+`;
/** The name of an indicator, before its `=`. */
export const aliasToken = String.raw`${quoted}|[^\s"=]+`;

/** Whether a text is an address, of any case. */
export const isAddress = (text: string): boolean => /^0x[0-9a-fA-F]{40}$/.test(text);
