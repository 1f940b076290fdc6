import type { Vocabulary } from '../lexicon.ts';
import {
  FURTHER,
  OPEN,
  objectives,
  STEP,
  settings,
  sides,
  sidesOf,
  takesAll,
  trimmed,
  type WrittenNode,
  type WrittenProgram,
} from './written.ts';

/** The whole text of a strategy; `readProgram` reads the same strategy from it. */

/** An expression behind what its first line begins with; its own lines stay. */
function withLines(start: string, expr: string, indent: number): string {
  const [first = '', ...more] = trimmed(expr).split('\n');
  const further = ' '.repeat(indent + FURTHER);
  return [`${start}${first || OPEN}`, ...more.map((line) => (line === '' ? '' : `${further}${line}`))].join('\n');
}

const oneLine = (text: string): string => trimmed(text).replaceAll('\n', ' ');
const word = (text: string): string =>
  text === '' ? OPEN : /^[^\s"?=][^\s"=]*$/.test(text) ? text : JSON.stringify(text);

function headOf({ type, threshold }: WrittenNode): string {
  if (type === 'VOTE') return `at least ${oneLine(threshold) || OPEN} of:`;
  return type === 'AND' ? 'all of:' : type === 'OR' ? 'any of:' : 'not:';
}

/** Node by node, without recursion: a draft may nest deeper than what can be saved. */
function ruleLines(rule: WrittenNode): string[] {
  const lines: string[] = [];
  const waiting: [WrittenNode, number][] = [[rule, 0]];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [node, depth] = next;
    const start = depth === 0 ? 'when ' : ' '.repeat(depth * STEP);
    if (node.type === 'EXPR') lines.push(withLines(start, node.expr, depth * STEP));
    else lines.push(`${start}${headOf(node)}`);
    if (node.type !== 'EXPR')
      waiting.push(...node.children.map((child): [WrittenNode, number] => [child, depth + 1]).reverse());
  }
  return lines;
}

/** A source by its name where that stands for it alone, else its address. */
function sourceText(address: string, { sources, expected }: Vocabulary): string {
  const source = sources.find((each) => each.address === address.toLowerCase());
  if (source?.written == null) return word(address);
  return (expected.get(source.name) ?? source.address) === source.address ? source.written : word(address);
}

const objectiveText = (objective: string): string =>
  Object.hasOwn(objectives, objective) ? objectives[objective as keyof typeof objectives] : OPEN;

function settingLines(program: WrittenProgram, isOfRule: boolean): string[] {
  return settings.flatMap((setting) => {
    if ((setting.field === 'required_ticks') !== isOfRule) return [];
    if (setting.field === 'max_amount' && takesAll(program.action)) return [];
    const written = oneLine(program.settings[setting.field]);
    if ('isOptional' in setting && written === '') return [];
    const text = setting.field === 'objective' ? objectiveText(written) : written || OPEN;
    return [`${setting.words}: ${text}`];
  });
}

function sideLines({ action, target, from }: WrittenProgram, vocabulary: Vocabulary): string[] {
  const own = sidesOf(action);
  return sides.flatMap((side) => {
    const address = side === own.target ? target : side === own.from ? (from ?? '') : undefined;
    return address === undefined ? [] : [`${side}: ${sourceText(address, vocabulary)}`];
  });
}

/**
 * A strategy as one text: what is worked out first, when it fires, what it does, and its limits.
 * @param vocabulary - Names the sources that have one.
 */
export function printProgram(program: WrittenProgram, vocabulary: Vocabulary): string {
  const { indicators, rule, score, action, size, hook, parameters } = program;
  const parts = [
    indicators.map(({ alias, expr }) => withLines(`let ${word(alias)} = `, expr, 0)),
    [
      ...ruleLines(rule),
      ...(score === null ? [] : [withLines('score: ', score.expr, 0), `least score: ${oneLine(score.least) || OPEN}`]),
      ...settingLines(program, true),
    ],
    [
      takesAll(action) ? `then ${action}` : withLines(`then ${action} `, size, 0),
      ...sideLines(program, vocabulary),
      `hook: ${hook.name === '' ? OPEN : JSON.stringify(hook.name)} at ${word(hook.address)}`,
      ...Object.entries(parameters).map(([name, value]) => `parameter ${name}: ${JSON.stringify(value)}`),
    ],
    settingLines(program, false),
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}
