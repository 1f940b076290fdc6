import {
  type Places,
  type Position,
  placeOf,
  takesAll,
  takesOutOf,
  trimmed,
  type WrittenNode,
  type WrittenProgram,
} from '@castellan/strategy';
import type { Vault } from '../../../data/queries.ts';
import { sameAddress } from '../../../format/address.ts';
import { sourceAt } from '../../types.ts';
import { condition, type Definition, type Draft, type DraftNode, newKey } from '../draft.ts';
import type { Fault } from '../judge.ts';

/** A draft as the whole text of a strategy, and back. */

const ruleOf = ({ type, expr, threshold, children }: DraftNode): WrittenNode => ({
  type,
  expr,
  threshold,
  children: (type === 'NOT' ? children.slice(0, 1) : children).map(ruleOf),
});

/** What the text of a draft holds. */
export function writtenOf(draft: Draft): WrittenProgram {
  const { action, score, required_ticks, max_slippage, max_duration, max_amount, min_free_assets } = draft;
  const { max_concurrent, cooldown } = draft;
  return {
    indicators: draft.indicators.map(({ alias, expr }) => ({ alias, expr })),
    rule: ruleOf(draft.rule),
    score: score.isUsed ? { expr: score.expr, least: score.min_score } : null,
    action: action.action,
    size: takesAll(action.action) ? '' : action.size_expr,
    target: action.target_address,
    from: takesOutOf(action.action) ? (action.from_address ?? '') : null,
    hook: { name: action.execution_name, address: action.execution_address },
    parameters: action.execution_params ?? {},
    settings: {
      required_ticks,
      objective: action.objective ?? 'BALANCED',
      max_slippage,
      max_duration,
      max_amount: takesAll(action.action) ? '' : max_amount,
      min_free_assets,
      max_concurrent,
      cooldown,
    },
  };
}

/** An expression that the text did not change keeps the spaces around it. */
const exprAfter = (before: string | undefined, expr: string): string =>
  before !== undefined && trimmed(before) === expr ? before : expr;

/** The same node where it stands in the same place, so that the page knows it by the key it had. */
const nodeAfter = (before: DraftNode | undefined, { type, expr, threshold, children }: WrittenNode): DraftNode => ({
  ...(before ?? condition()),
  type,
  expr: type === 'EXPR' ? exprAfter(before?.expr, expr) : (before?.expr ?? ''),
  threshold: type === 'VOTE' ? threshold : (before?.threshold ?? '1'),
  children: children.map((child, index) => nodeAfter(before?.children[index], child)),
});

/** A source as the vault writes its address. */
const addressAfter = (before: string, address: string, vault: Pick<Vault, 'allocation'>): string =>
  sameAddress(before, address) ? before : (sourceAt(vault, address)?.source_address ?? address);

function actionAfter(before: Draft['action'], program: WrittenProgram, vault: Pick<Vault, 'allocation'>) {
  // What an action does not take from is kept for when it is another again, as in the form.
  const from = program.from === '' ? null : (program.from ?? before.from_address);
  return {
    ...before,
    action: program.action,
    size_expr: takesAll(program.action) ? before.size_expr : exprAfter(before.size_expr, program.size),
    target_address: addressAfter(before.target_address, program.target, vault),
    from_address: from ? addressAfter(before.from_address ?? '', from, vault) : null,
    execution_name: program.hook.name,
    execution_address: program.hook.address,
    objective: program.settings.objective as NonNullable<Draft['action']['objective']>,
    ...(Object.keys(program.parameters).length > 0 || before.execution_params !== undefined
      ? { execution_params: program.parameters }
      : {}),
  };
}

/** The draft with what its text holds now; what the text does not hold stays. */
export function withProgram(draft: Draft, program: WrittenProgram, vault: Pick<Vault, 'allocation'>): Draft {
  const { objective: _, ...settings } = program.settings;
  const { score } = program;
  return {
    ...draft,
    ...settings,
    max_amount: takesAll(program.action) ? draft.max_amount : settings.max_amount,
    indicators: program.indicators.map(({ alias, expr }, index) => {
      const before = draft.indicators[index];
      return { key: before?.key ?? newKey(), alias, expr: exprAfter(before?.expr, expr) };
    }),
    rule: nodeAfter(draft.rule, program.rule),
    score:
      score === null
        ? { ...draft.score, isUsed: false }
        : { isUsed: true, expr: exprAfter(draft.score.expr, score.expr), min_score: score.least },
    action: actionAfter(draft.action, program, vault),
  };
}

/** The text of the field that a fault is in; undefined for what is no text. */
function textAt(definition: Definition, path: string): string | undefined {
  let found: unknown = definition;
  for (const key of path.split('.')) found = (found as Record<string, unknown> | null | undefined)?.[key];
  return typeof found === 'string' ? found : undefined;
}

/** The place within an expression as the whole text has it: without the space before it. */
function placeInText(text: string, { offset, length }: Position): Position {
  const before = text
    .slice(0, offset)
    .replaceAll(/\r\n?/g, '\n')
    .replace(/^[ \t\n]+/, '');
  const lines = before.split('\n');
  return {
    offset: before.length,
    line: lines.length,
    column: (lines.at(-1)?.length ?? 0) + 1,
    ...(length === undefined ? {} : { length }),
  };
}

/** Faults of a draft with their places in its whole text; those of what the text does not hold stand in the form alone. */
export function placed(
  faults: readonly Fault[],
  places: Places,
  definition: Definition,
): (Fault & { position: Position })[] {
  return faults.flatMap((fault) => {
    const { path, position: inField } = fault;
    const text = textAt(definition, path);
    const inText = inField === undefined || text === undefined ? inField : placeInText(text, inField);
    const position = placeOf(places, { path, position: inText });
    return position === undefined ? [] : [{ ...fault, position }];
  });
}
