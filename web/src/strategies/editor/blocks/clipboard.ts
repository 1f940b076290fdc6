import { RuleTree } from '@castellan/contracts';
import { parse, type RuleNode, type Vocabulary } from '@castellan/strategy';
import { condition, type DraftNode, nodeOf, ruleOf } from '../draft.ts';

/** Longer than any rule that can be saved. */
const MOST_CHARACTERS = 300_000;

/** A block as the API writes it, so that it can be pasted here, into another strategy, or into a file. */
export const blockText = (node: DraftNode): string => JSON.stringify(ruleOf(node), undefined, 2);

let last = '';
/** What was copied last on this page: a menu may not ask the browser for it. */
export const lastCopy = (): string => last;
export const keepCopy = (text: string): void => {
  last = text;
};

function ruleIn(text: string): RuleNode | undefined {
  try {
    return RuleTree.parse(JSON.parse(text));
  } catch {
    // It may be an expression then.
    return undefined;
  }
}

/** The block that a text stands for: a rule as the API writes it, or an expression; undefined for any other text. */
export function readBlock(text: string, vocabulary: Vocabulary): DraftNode | undefined {
  if (text.length > MOST_CHARACTERS) return undefined;
  const rule = ruleIn(text);
  if (rule !== undefined) return nodeOf(rule);
  return parse(text, vocabulary).ok ? condition(text.trim()) : undefined;
}
