import type { Vocabulary } from '../lexicon.ts';
import { actions, MAX_INDICATORS, type StrategyAction } from '../program.ts';
import { type Fault, START } from '../syntax.ts';
import { nearest } from '../variables.ts';
import { atPiece, Faults, from, linesOf, placeIn, type Value, valueIn } from './lines.ts';
import { furtherOf, readRule } from './read-rule.ts';
import { readHook, readObjective, readParameter, readSource, tokenText } from './read-value.ts';
import { exprIn, hasComment, type Places, type Reading } from './reading.ts';
import { type Statement, statementsOf } from './statements.ts';
import {
  aliasToken,
  MAX_PROGRAM_TEXT,
  OPEN,
  type Parameter,
  type SettingField,
  type Side,
  settings,
  sides,
  sidesOf,
  takesAll,
  type WrittenProgram,
} from './written.ts';

/** A strategy with the places of its parts, or everything in the text that is in the way of one. */
export type ReadProgram =
  | { readonly ok: true; readonly program: WrittenProgram; readonly places: Places }
  | { readonly ok: false; readonly faults: readonly Fault[] };

const whole = ({ rest, more }: Statement): Value => valueIn([rest, ...furtherOf(more, 0)]);
const letForm = new RegExp(`^[ \\t]+(${aliasToken})[ \\t]*=(?!=)`);

function readIndicators(statements: readonly Statement[], reading: Reading): WrittenProgram['indicators'] {
  const { faults, places } = reading;
  const over = statements[MAX_INDICATORS];
  if (over) faults.add('ALIAS_INVALID', `At most ${MAX_INDICATORS} indicators.`, atPiece(from(over.line, 0)));
  return statements.slice(0, MAX_INDICATORS).map(({ line, rest, more }, index) => {
    const path = `indicators.${index}`;
    const [start, name = ''] = letForm.exec(rest.text) ?? [];
    const alias = start === undefined ? undefined : tokenText(name);
    if (start === undefined || alias === undefined) {
      faults.add(
        'ALIAS_INVALID',
        'Write let, a name, = and an expression: let idle = vault_free_assets / vault_tvl.',
        atPiece(from(line, 0)),
      );
      return { alias: '', expr: '' };
    }
    const skipped = rest.column - 1;
    const at = valueIn([from(line, skipped)]);
    if (index === 0) places.set('indicators', at);
    places.set(`${path}.alias`, valueIn([{ ...from(line, skipped), text: start.slice(0, start.lastIndexOf('=')) }]));
    const value = valueIn([from(line, skipped + start.length), ...furtherOf(more, 0)]);
    return { alias, expr: exprIn(value, `${path}.expr`, reading) };
  });
}

function readAction(statement: Statement, reading: Reading): { action: StrategyAction | undefined; size: string } {
  const { faults, places } = reading;
  const [start = '', name = ''] = /^[ \t]*([^ \t]*)/.exec(statement.rest.text) ?? [];
  const at = valueIn([{ ...statement.rest, text: start }]);
  places.set('action_config', at);
  places.set('action_config.action', at);
  const action = actions.find((each) => each === name);
  if (!action) {
    const meant = nearest(name.toUpperCase(), actions);
    const message = `Write what is done behind then: ${actions.join(', ')}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`;
    faults.add('UNEXPECTED_TOKEN', message, placeIn(at), name === '' ? undefined : meant);
  }
  const size = valueIn([
    from(statement.line, statement.rest.column - 1 + start.length),
    ...furtherOf(statement.more, 0),
  ]);
  if (!action || !takesAll(action)) return { action, size: exprIn(size, 'action_config.size_expr', reading) };
  if (size.text !== '') faults.add('WRONG_SIZE', `A ${action} takes all there is. It has no size.`, placeIn(size));
  return { action, size: '' };
}

const nameForm = /^[ \t]+([A-Za-z]\w{0,63})[ \t]*:/;

function readParameters(statements: readonly Statement[], { faults, places }: Reading): Record<string, Parameter> {
  const found = new Map<string, Parameter>();
  for (const { line, rest } of statements) {
    const [start, name = ''] = nameForm.exec(rest.text) ?? [];
    if (start === undefined || found.has(name)) {
      const message =
        start === undefined
          ? 'Write parameter, a name, a colon and its value.'
          : `The parameter ${name} is here twice.`;
      faults.add('UNEXPECTED_TOKEN', message, atPiece(from(line, 0)));
      continue;
    }
    const value = valueIn([from(line, rest.column - 1 + start.length)]);
    places.set(`action_config.execution_params.${name}`, value);
    found.set(name, readParameter(value, faults));
  }
  return Object.fromEntries(found);
}

const optional: ReadonlySet<string> = new Set(
  settings.filter((setting) => 'isOptional' in setting).map(({ path }) => path),
);

/** The value of a setting, as it is written; '' where it is left open or not there. */
function readSetting(statement: Statement | undefined, path: string, { faults, places }: Reading): string {
  if (!statement) return '';
  const value = whole(statement);
  places.set(path, value);
  if (value.text === '' || hasComment(value, faults)) return '';
  if (path === 'action_config.objective') return readObjective(value, faults);
  if (value.text !== OPEN) return value.text;
  // Without the line there is no limit, which is not what "not written yet" says.
  if (optional.has(path))
    faults.add('EMPTY', 'Write an amount, or take this line out: there is no limit then.', placeIn(value));
  return '';
}

const MOST = 'most at once';
const TARGET = 'action_config.target_address';
const FROM = 'action_config.from_address';
/** The field of an action that one of the lines is for; undefined where it has no such line. */
function pathOf(action: StrategyAction, side: Side): string | undefined {
  const own = sidesOf(action);
  return side === own.target ? TARGET : side === own.from ? FROM : undefined;
}

/** Reads the statements of one text. */
class ProgramReader {
  readonly #reading: Reading;
  readonly #statements: readonly Statement[];

  constructor(statements: readonly Statement[], reading: Reading) {
    this.#statements = statements;
    this.#reading = reading;
  }

  #one(key: string): Statement | undefined {
    return this.#statements.find((each) => each.key === key);
  }

  #all(key: string): Statement[] {
    return this.#statements.filter((each) => each.key === key);
  }

  #score(): WrittenProgram['score'] {
    const score = this.#one('score');
    const least = this.#one('least score');
    if (!score || !least) return null;
    const path = 'conviction_config.min_score';
    return {
      expr: exprIn(whole(score), 'conviction_config.expr', this.#reading),
      least: readSetting(least, path, this.#reading),
    };
  }

  /** What an action is about, by the lines that it has. */
  #sources(action: StrategyAction | undefined): { target: string; from: string | null } {
    const found = { target: '', from: null as string | null };
    for (const side of sides) {
      const statement = this.#one(side);
      if (!statement || !action) continue;
      const path = pathOf(action, side);
      if (path === TARGET) found.target = this.#source(statement, path);
      else if (path === FROM) found.from = this.#source(statement, path);
      else {
        const message = `A ${action} has no line ${side}:; what it is about is behind ${sidesOf(action).target}:.`;
        this.#reading.faults.add('UNEXPECTED_TOKEN', message, atPiece(from(statement.line, 0)));
      }
    }
    return found;
  }

  #source(statement: Statement, path: string): string {
    const value = whole(statement);
    this.#reading.places.set(path, value);
    return value.text === '' || hasComment(value, this.#reading.faults) ? '' : readSource(value, this.#reading);
  }

  #hook(): WrittenProgram['hook'] {
    const statement = this.#one('hook');
    if (!statement) return { name: '', address: '' };
    const value = whole(statement);
    this.#reading.places.set('action_config.execution_name', value);
    this.#reading.places.set('action_config.execution_address', value);
    return value.text === '' ? { name: '', address: '' } : readHook(value, this.#reading.faults);
  }

  /** Lines that a strategy has to have: what is not there would mean something else than its reader thinks. */
  #missing(action: StrategyAction | undefined): string[] {
    const wanted = [
      'when',
      'then',
      ...sides.filter((side) => action && pathOf(action, side) !== undefined),
      'hook',
      ...(this.#one('score') || this.#one('least score') ? ['score', 'least score'] : []),
      ...settings.filter((setting) => !('isOptional' in setting)).map(({ words }) => words),
    ];
    return wanted.filter((key) => !this.#one(key)).map((key) => (key === 'when' || key === 'then' ? key : `${key}:`));
  }

  read(end: Value): WrittenProgram | undefined {
    const { faults } = this.#reading;
    const when = this.#one('when');
    const then = this.#one('then');
    const indicators = readIndicators(this.#all('let'), this.#reading);
    const rule = when && readRule(when.rest, when.more, this.#reading);
    const { action, size } = then ? readAction(then, this.#reading) : { action: undefined, size: '' };
    const most = this.#one(MOST);
    if (most && action && takesAll(action))
      faults.add('WRONG_SIZE', `A ${action} takes all there is. It has no ${MOST}.`, atPiece(from(most.line, 0)));
    const missing = this.#missing(action);
    if (missing.length > 0)
      faults.add('UNEXPECTED_TOKEN', `Missing: ${missing.join(', ')}. Write each in a line of its own.`, placeIn(end));
    const parts = {
      indicators,
      score: this.#score(),
      ...this.#sources(action),
      hook: this.#hook(),
      parameters: readParameters(this.#all('parameter'), this.#reading),
      settings: Object.fromEntries(
        settings.map(({ field, path, words }) => [field, readSetting(this.#one(words), path, this.#reading)]),
      ) as Record<SettingField, string>,
    };
    return rule && action ? { ...parts, rule, action, size } : undefined;
  }
}

/**
 * Reads the whole text of a strategy. Never throws: what is wrong comes back with its place. Whether its expressions and numbers are
 * sound is for the compiler to say; `placeOf` finds the place of what that reports.
 * @param vocabulary - The names that sources may be called by.
 */
export function readProgram(text: string, vocabulary: Vocabulary): ReadProgram {
  if (text.length > MAX_PROGRAM_TEXT) {
    const message = `The text of a strategy has at most ${MAX_PROGRAM_TEXT} characters.`;
    return { ok: false, faults: [{ code: 'TOO_LONG', message, position: START }] };
  }
  const reading = { faults: new Faults(), places: new Map<string, Value>(), vocabulary };
  const statements = statementsOf(text, reading.faults);
  const lines = linesOf(text);
  const last = lines.findLast((line) => line.text.trim() !== '') ?? lines[0];
  const end = valueIn([from(last ?? { text: '', offset: 0, number: 1 }, last?.text.length ?? 0)]);
  const program = new ProgramReader(statements, reading).read(end);
  const faults = reading.faults.found.toSorted((a, b) => a.position.offset - b.position.offset);
  return program && faults.length === 0 ? { ok: true, program, places: reading.places } : { ok: false, faults };
}
