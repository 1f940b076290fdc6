import type { Fault } from '../syntax.ts';
import { nearest } from '../variables.ts';
import {
  atPiece,
  type Faults,
  from,
  indentOf,
  isBlank,
  type Line,
  linesOf,
  type Piece,
  placeIn,
  valueIn,
} from './lines.ts';
import { COMMENT } from './reading.ts';
import { OPEN, settings, sides } from './written.ts';

/** What a line at the margin begins with; every other line belongs to one of these. */
export type Statement = {
  /** `let`, `when`, `then`, or the words before a colon. */
  readonly key: string;
  readonly line: Line;
  /** The rest of its line, behind the key. */
  readonly rest: Piece;
  /** The indented lines below it. */
  readonly more: readonly Line[];
};

const lineWords = [...sides, 'hook', 'score', 'least score', ...settings.map(({ words }) => words)];
const openers = ['let', 'when', 'then'];
/** Keys whose expression, or rule, may go on in the lines below. */
const isLong: ReadonlySet<string> = new Set([...openers, 'score']);
/** Keys that stand more than once. */
const isMany: ReadonlySet<string> = new Set(['let', 'parameter']);

const keyForm = /^([a-z]+(?: [a-z]+){0,4})[ \t]*:/;
const parameterForm = /^parameter(?=[ \t])/;

function keyOf(text: string): { key: string; length: number } | undefined {
  const opener = openers.find((each) => text.startsWith(each) && /^[ \t]?$/.test(text[each.length] ?? ''));
  if (opener !== undefined) return { key: opener, length: opener.length };
  if (parameterForm.test(text)) return { key: 'parameter', length: 'parameter'.length };
  const [whole, key] = keyForm.exec(text) ?? [];
  return whole !== undefined && key !== undefined && lineWords.includes(key)
    ? { key, length: whole.length }
    : undefined;
}

const forms = (key: string): string => (openers.includes(key) ? key : `${key}:`);

/** What is wrong with a line at the margin that begins with nothing known. */
function strange(line: Line): Omit<Fault, 'position'> {
  const code = 'UNEXPECTED_TOKEN';
  if (/^(?:#|\/\/|\/\*|--)/.test(line.text)) return { code, message: COMMENT };
  if (line.text.startsWith('\t')) return { code, message: 'Indent with spaces; this line begins with a tab.' };
  const begun = /^[A-Za-z]+(?: [A-Za-z]+){0,4}(?=[ \t]*:)/.exec(line.text)?.[0] ?? /^[A-Za-z]+/.exec(line.text)?.[0];
  const meant = begun === undefined ? undefined : nearest(begun, [...openers, ...lineWords]);
  const hint = meant === undefined ? '' : ` Did you mean ${forms(meant)}?`;
  const message = `A line at the margin begins with let, when, then, or the name of a setting with a colon; what belongs to the line above is indented.${hint}`;
  return { code, message };
}

/** The lines of a text, each with what is indented below it. */
export function statementsOf(text: string, faults: Faults): Statement[] {
  const found: { key: string; line: Line; rest: Piece; more: Line[] }[] = [];
  let isLost = false;
  for (const line of linesOf(text)) {
    const isBelow = isBlank(line) || /^[ \t]/.test(line.text);
    if (isBelow && !isLost && found.length > 0) found.at(-1)?.more.push(line);
    if (isBelow && (isLost || found.length > 0 || isBlank(line))) continue;
    const head = keyOf(line.text);
    // What is indented below a line that cannot be read is not read either.
    isLost = head === undefined;
    if (head) found.push({ key: head.key, line, rest: from(line, head.length), more: [] });
    else {
      const { code, message } = strange(line);
      faults.add(code, message, atPiece(from(line, Math.min(indentOf(line), line.text.length))));
    }
  }
  checkForms(found, faults);
  return found;
}

function checkForms(statements: readonly Statement[], faults: Faults): void {
  const first = new Map<string, number>();
  for (const { key, line, rest, more } of statements) {
    const before = first.get(key);
    if (before !== undefined && !isMany.has(key))
      faults.add('UNEXPECTED_TOKEN', `${forms(key)} is in line ${before} already.`, atPiece(from(line, 0)));
    first.set(key, before ?? line.number);
    const below = isLong.has(key) ? undefined : more.find((each) => !isBlank(each));
    if (below) faults.add('UNEXPECTED_TOKEN', `${forms(key)} has one line.`, atPiece(from(below, indentOf(below))));
    else if (!isLong.has(key) && valueIn([rest]).text === '')
      faults.add(
        'EMPTY',
        `Behind ${forms(key)} something is missing; write ${OPEN} for what is not written yet.`,
        placeIn(valueIn([rest])),
      );
  }
}
