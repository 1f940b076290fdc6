import { MAX_RULE_DEPTH, MAX_RULE_NODES } from '../rule.ts';
import { atPiece, from, indentOf, isBlank, type Line, type Piece, placeIn, type Value, valueIn } from './lines.ts';
import { exprIn, type Reading } from './reading.ts';
import { FURTHER, OPEN, type WrittenNode } from './written.ts';

type Growing = WrittenNode & { readonly children: Growing[] };
/** A group whose lines are read: how far it is indented, and how far what it holds. */
type Group = { node: Growing; head: Value; path: string; indent: number; inner: number | undefined };

const spaced = (text: string): string => text.replaceAll(/[ \t]+/g, ' ');

/** The group that a line begins; undefined when it holds an expression. */
function groupOf(text: string): Growing | undefined {
  const words = spaced(text);
  const plain = { 'all of:': 'AND', 'any of:': 'OR', 'not:': 'NOT' } as const;
  if (Object.hasOwn(plain, words))
    return { type: plain[words as keyof typeof plain], expr: '', threshold: '1', children: [] };
  if (!words.startsWith('at least ') || !words.endsWith(' of:')) return undefined;
  const threshold = words.slice('at least '.length, -' of:'.length).trim();
  return { type: 'VOTE', expr: '', threshold: threshold === OPEN ? '' : threshold, children: [] };
}

/** The further lines of an expression, without what they are indented by. */
export const furtherOf = (lines: readonly Line[], indent: number): Piece[] =>
  lines.map((line) => from(line, Math.min(indentOf(line), indent + FURTHER)));

const lost = /^(all of|any of|not|at least [^:]{1,40} of):[ \t]*\S/;
const colonless = /^(all of|any of|at least [^:]{1,40} of)(?![\w.])/;

/** What is wrong with the first line of an expression that was meant to begin a group. */
function badGroup(line: string): string | undefined {
  const begun = lost.exec(line)?.[1];
  if (begun !== undefined) return `Write what ${begun}: holds in lines of its own below it, indented.`;
  if (line.endsWith(':')) return `${line} begins no group. Groups are all of:, any of:, not: and at least 2 of:.`;
  const open = colonless.exec(line)?.[1];
  return open === undefined
    ? undefined
    : `A group ends with a colon: write ${open}: and what it holds in lines of their own below it, indented.`;
}

function conditionOf(value: Value, path: string, reading: Reading): Growing {
  const [first = ''] = value.text.split('\n', 1);
  reading.places.set(path, value);
  const expr = exprIn(value, `${path}.expr`, reading);
  const wrong = badGroup(spaced(first).trimEnd());
  if (wrong !== undefined) reading.faults.add('UNEXPECTED_TOKEN', wrong, placeIn(value));
  return { type: 'EXPR', expr, threshold: '1', children: [] };
}

/** Reads the lines below the head of a rule, one node after another. */
class RuleReader {
  readonly #reading: Reading;
  readonly #lines: readonly Line[];
  readonly #open: Group[];
  #nodes = 1;

  constructor(root: Group, lines: readonly Line[], reading: Reading) {
    this.#open = [root];
    this.#lines = lines;
    this.#reading = reading;
  }

  /** Ends the groups that are not indented less than a line; the rule itself is indented by 0, what is below it by more. */
  #close(least: number): void {
    for (let top = this.#open.at(-1); top && top.indent >= least; top = this.#open.at(-1)) {
      if (top.node.children.length === 0)
        this.#reading.faults.add('EMPTY', `${top.head.text} needs a condition below it, indented.`, placeIn(top.head));
      this.#open.pop();
    }
  }

  /** Where the next node goes, with what is wrong about its place. */
  #parentFor(line: Line, indent: number): Group | undefined {
    const { faults } = this.#reading;
    const at = atPiece(from(line, 0));
    if (line.text[indent] === '\t') {
      faults.add('UNEXPECTED_CHARACTER', 'Indent with spaces; this line is indented with a tab.', at);
      return undefined;
    }
    this.#close(indent);
    const parent = this.#open.at(-1);
    if (!parent) return undefined;
    parent.inner ??= indent;
    if (indent !== parent.inner)
      faults.add('UNEXPECTED_TOKEN', `Indent this by ${parent.inner} spaces, as the lines beside it.`, at);
    if (parent.node.type === 'NOT' && parent.node.children.length > 0)
      faults.add('UNEXPECTED_TOKEN', 'not: holds one thing. Put several into all of: or any of: below it.', at);
    this.#nodes += 1;
    if (this.#nodes > MAX_RULE_NODES)
      faults.add('TOO_MANY_NODES', `A rule has at most ${MAX_RULE_NODES} nodes.`, atPiece(from(line, indent)));
    else if (this.#open.length + 1 > MAX_RULE_DEPTH)
      faults.add('TOO_DEEP', `A rule nests at most ${MAX_RULE_DEPTH} deep.`, atPiece(from(line, indent)));
    else return parent;
    return undefined;
  }

  /** @returns the line behind the node; undefined where no more is read. */
  #node(index: number, line: Line): number | undefined {
    const indent = indentOf(line);
    const parent = this.#parentFor(line, indent);
    if (!parent) return undefined;
    const { path, node } = parent;
    const own = node.type === 'NOT' ? `${path}.child` : `${path}.children.${node.children.length}`;
    const head = valueIn([from(line, indent)]);
    const group = groupOf(head.text);
    if (group) {
      node.children.push(group);
      this.#reading.places.set(own, head);
      this.#open.push({ node: group, head, path: own, indent, inner: undefined });
      return index + 1;
    }
    let end = index + 1;
    for (let next = this.#lines[end]; next && (isBlank(next) || indentOf(next) > indent); next = this.#lines[end])
      end += 1;
    const further = furtherOf(this.#lines.slice(index + 1, end), indent);
    node.children.push(conditionOf(valueIn([from(line, indent), ...further]), own, this.#reading));
    return end;
  }

  read(): void {
    for (let index = 0; index < this.#lines.length; ) {
      const line = this.#lines[index] as Line;
      const next = isBlank(line) ? index + 1 : this.#node(index, line);
      if (next === undefined) return;
      index = next;
    }
    this.#close(0);
  }
}

/**
 * Reads a rule: an expression, or a group with what is indented below it.
 * @param start - The rest of the line behind `when`.
 * @param lines - Those below it, all of them indented.
 */
export function readRule(start: Piece, lines: readonly Line[], reading: Reading): WrittenNode {
  const head = valueIn([start]);
  const node = groupOf(head.text);
  if (!node) return conditionOf(valueIn([start, ...furtherOf(lines, 0)]), 'rules', reading);
  reading.places.set('rules', head);
  new RuleReader({ node, head, path: 'rules', indent: 0, inner: undefined }, lines, reading).read();
  return node;
}
