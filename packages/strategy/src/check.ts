import { agree, type Counted, isAmount, isOfOne, isOfTime, joined, mixedWords, timeResult } from './agree.ts';
import { functions } from './functions.ts';
import type { Vocabulary } from './lexicon.ts';
import { compare, ratio } from './rational.ts';
import { bareNumber, type Demand, plainPartsOf, suggestedNumber } from './spell-number.ts';
import { type Expr, type Fault, isComparison } from './syntax.ts';
import { nearest, resolveVariable, sourceFieldOf, type Unit } from './variables.ts';

/** What an expression gives. */
export type ValueType = 'number' | 'boolean';
/** What an expression gives; a boolean has no unit. */
export type Checked = Counted & {
  readonly type: ValueType;
  /** Made of numbers without a unit, and not 0. */
  readonly isBare?: boolean;
  /** A unit was written in it. */
  readonly isWritten?: boolean;
};

/** What names an expression may use beside the variables, and how strictly its units are read. */
export type Scope = {
  /** Yield sources of the vault in lower case; undefined accepts any address. */
  readonly sources?: readonly string[] | undefined;
  /** Indicators declared before. */
  readonly aliases: ReadonlyMap<string, Checked>;
  /** The units and names that may be written. Without it, an expression is read as the engine reads it. */
  readonly vocabulary?: Vocabulary | undefined;
  /** Numbers without a unit beside an amount: refused, or read as base units and marked. By default neither. */
  readonly bareNumbers?: 'refused' | 'marked' | undefined;
};

/** For expressions that may use no indicators. */
export const noAliases: ReadonlyMap<string, Checked> = new Map();

/** What the check of one expression found; without faults it can be evaluated. */
export type Verdict = {
  readonly checked: Checked;
  readonly faults: readonly Fault[];
  readonly warnings: readonly Fault[];
  /** Numbers (and indicators) without a unit, with the unit of the operand beside them. */
  readonly demands: readonly Demand[];
};

const truth: Checked = { type: 'boolean', unit: 'plain' };
const plain: Checked = { type: 'number', unit: 'plain' };
const ONE = ratio(1n);
type Part = readonly [Expr, Checked];

/** Types, names and units of one expression. Faults make it unusable; the rest is only warned about. */
class Checker {
  readonly faults: Fault[] = [];
  readonly warnings: Fault[] = [];
  readonly demands: Demand[] = [];
  readonly #scope: Scope;
  readonly #seen = new Map<Expr, Checked>();

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  #name({ name, at }: Extract<Expr, { kind: 'name' }>): Checked {
    const alias = this.#scope.aliases.get(name);
    if (alias) return alias;
    const resolved = resolveVariable(name, this.#scope.sources);
    if (resolved.known) {
      const { unit } = resolved.variable;
      return { type: 'number', unit, ...(unit === 'source_shares' ? { of: sourceFieldOf(name)?.address } : {}) };
    }
    const suggestion = resolved.suggestion ?? nearest(name, [...this.#scope.aliases.keys(), ...Object.keys(functions)]);
    this.#fault({
      code: 'UNKNOWN_IDENTIFIER',
      message: `${resolved.message}${suggestion === undefined ? '' : ` Did you mean ${suggestion}?`}`,
      position: at,
      ...(suggestion === undefined ? {} : { suggestion }),
    });
    return plain;
  }

  #fault(fault: Fault): void {
    this.faults.push(fault);
  }

  /** The parts must be of a type; what they count together. Each is checked once: nested ones would else cost twice per level. */
  #same(parts: readonly Part[], type: ValueType, of: string, at: Expr): Checked {
    let whole: Counted = { unit: 'plain' };
    for (const [part, checked] of parts) {
      if (checked.type !== type) this.#wrongType(part, type, of);
      else if (!agree(whole, checked)) this.#mixed(at, whole, checked, parts);
      else if (this.#scope.bareNumbers && !isOfOne(whole, checked)) this.#mixed(at, whole, checked, parts);
      whole = joined(whole, checked);
    }
    const isWritten = parts.some(([, checked]) => checked.isWritten);
    if (type === 'boolean') return { ...truth, ...(isWritten ? { isWritten } : {}) };
    this.#unfollowed(parts, at);
    for (const [part] of parts) this.demand(part, whole);
    const isBare = whole.unit === 'plain' && parts.some(([, checked]) => checked.isBare);
    return { type, ...counted(whole), ...(isWritten ? { isWritten } : {}), ...(isBare ? { isBare } : {}) };
  }

  /** A product of units beside an amount that was written with one: they differ by a power of ten that the text does not show. */
  #unfollowed(parts: readonly Part[], at: Expr): void {
    if (!this.#scope.bareNumbers || !parts.some(([, { unit }]) => unit === 'other')) return;
    const isUnit = ([, { unit, isWritten }]: Part) =>
      isWritten && unit !== 'other' && unit !== 'units' && unit !== 'plain';
    if (!parts.some(isUnit)) return;
    const message =
      'One side multiplies or divides units, so that the other cannot have this one. Divide amounts by one whole token first.';
    this.#fault({ code: 'WRONG_UNIT', message, position: at.at });
  }

  /** Numbers without a unit in `expr` are read as `wanted`. */
  demand(expr: Expr, wanted: Counted): void {
    if (wanted.unit === 'plain') return;
    const checked = this.#seen.get(expr);
    if (checked?.type !== 'number' || checked.unit !== 'plain' || !checked.isBare) return;
    if (expr.kind === 'number' || expr.kind === 'name') {
      this.demands.push({ expr, ...wanted });
      this.#bare(expr, wanted);
      return;
    }
    for (const part of plainPartsOf(expr, (each) => this.#seen.get(each)?.isBare === true)) this.demand(part, wanted);
  }

  #bare(expr: Extract<Expr, { kind: 'number' | 'name' }>, wanted: Counted): void {
    const { bareNumbers, vocabulary } = this.#scope;
    if (!bareNumbers || !vocabulary) return;
    if (wanted.unit === 'fraction') {
      this.#largeRatio(expr);
      return;
    }
    const isRefused = bareNumbers === 'refused';
    const isOdd = wanted.unit === 'other' || wanted.unit === 'units';
    if (!isAmount(wanted.unit) && !(isRefused && isOdd)) return;
    const fault = bareNumber(expr, wanted, vocabulary, isRefused);
    (isRefused ? this.faults : this.warnings).push(fault);
  }

  #largeRatio(expr: Extract<Expr, { kind: 'number' | 'name' }>): void {
    const { vocabulary } = this.#scope;
    if (expr.kind !== 'number' || compare(expr.value, ONE) <= 0 || !vocabulary) return;
    const meant = suggestedNumber(expr.value, { unit: 'fraction' }, vocabulary);
    const message = `This number is read as a ratio: 1 is 100 %. Write ${meant}, or with % what you mean.`;
    this.warnings.push({ code: 'FAR_THRESHOLD', message, position: expr.at, suggestion: meant });
  }

  #pair(part: Expr): Part {
    return [part, this.check(part)];
  }

  #wrongType(part: Expr, wanted: ValueType, of: string): void {
    const hint =
      wanted === 'boolean'
        ? 'a condition such as vault_free_assets > 0'
        : 'a number; a condition becomes one by if(…, 1, 0)';
    this.#fault({ code: 'WRONG_TYPE', message: `${of} takes ${hint}.`, position: part.at });
  }

  /** Refused where a unit was written, and by the editor; a text of base units alone is only warned about. */
  #mixed(at: Expr, a: Counted, b: Counted, parts: readonly Part[]): void {
    const message = `This puts ${mixedWords(a, b)} together.${hintOf(a, b)}`;
    const fault: Fault = { code: 'WRONG_UNIT', message, position: at.at };
    const isRefused = this.#scope.bareNumbers === 'refused' || parts.some(([, checked]) => checked.isWritten);
    (isRefused ? this.faults : this.warnings).push(fault);
  }

  #call(expr: Extract<Expr, { kind: 'call' }>): Checked {
    const known = Object.hasOwn(functions, expr.name) ? functions[expr.name] : undefined;
    if (!known) {
      const suggestion = nearest(expr.name, Object.keys(functions));
      const meant = suggestion === undefined ? '' : ` Did you mean ${suggestion}?`;
      const message = `${JSON.stringify(expr.name)} is not a function.${meant}`;
      this.#fault({ code: 'UNKNOWN_FUNCTION', message, position: expr.at, ...(suggestion ? { suggestion } : {}) });
      return plain;
    }
    const [least, most] = known.takes;
    if (expr.args.length < least || expr.args.length > most) {
      const wanted = least === most ? `${least}` : `${least} to ${most}`;
      const message = `${expr.name} takes ${wanted} value${most === 1 ? '' : 's'}, here are ${expr.args.length}.`;
      this.#fault({ code: 'WRONG_ARGUMENT_COUNT', message, position: expr.at });
      return { type: known.gives, unit: 'plain' };
    }
    const parts = expr.args.map((part) => this.#pair(part));
    if (expr.name === 'if') return this.#choice(parts, expr);
    const whole = this.#same(parts, 'number', expr.name, expr);
    return known.gives === 'boolean' ? truth : whole;
  }

  #choice([condition, ...branches]: Part[], at: Expr): Checked {
    if (condition) this.#same([condition], 'boolean', 'The first value of if', at);
    const type = branches[0]?.[1].type ?? 'number';
    return this.#same(branches, type, 'if, where the other value is one,', at);
  }

  #binary(expr: Extract<Expr, { kind: 'binary' }>): Checked {
    const { op, left, right } = expr;
    if (op === '*' || op === '/') return this.#scaled(expr);
    const parts = [this.#pair(left), this.#pair(right)] as const;
    const isOfTruths = op === 'and' || op === 'or' || ((op === '==' || op === '!=') && parts[0][1].type === 'boolean');
    const times = this.#times(op, parts);
    if (times) return times;
    const whole = this.#same(parts, isOfTruths ? 'boolean' : 'number', JSON.stringify(op), expr);
    return isOfTruths || isComparison(op) ? truth : whole;
  }

  #times(op: string, [left, right]: readonly [Part, Part]): Checked | undefined {
    const a = left[1];
    const b = right[1];
    const isRest = op === '%' && a.unit === 'instant' && b.unit === 'plain' && b.isBare === true;
    const unit = isRest ? 'duration' : timeResult(op, a.unit, b.unit);
    if (isRest) this.demand(right[0], { unit: 'duration' });
    const isWritten = a.isWritten || b.isWritten;
    return unit && { type: 'number', unit, ...(isWritten ? { isWritten } : {}) };
  }

  #scaled({ op, left, right }: Extract<Expr, { kind: 'binary' }>): Checked {
    const [a, b] = [left, right].map((part) => {
      const checked = this.check(part);
      if (checked.type !== 'number') this.#wrongType(part, 'number', JSON.stringify(op));
      return checked;
    }) as [Checked, Checked];
    const more = a.isWritten || b.isWritten ? { isWritten: true } : {};
    const of = (side: Counted): Checked => ({ type: 'number', ...counted(side), ...more });
    if (a.unit === 'plain' && isScale(b)) return this.#ofPlain(a, b, op === '*');
    const isByToken = op === '/' && (a.unit === 'assets' || a.unit === 'shares');
    if (isByToken && right.kind === 'number' && right.unit === undefined)
      this.demands.push({ expr: right, ...counted(a), isDivisor: true });
    if (isScale(b)) return of(a);
    if (op === '*' && isScale(a)) return of(b);
    return { type: 'number', unit: op === '/' && isRatio(a, b) ? 'fraction' : 'other', ...more };
  }

  /** A plain number times a ratio is one. The engine itself takes it for a plain number still. */
  #ofPlain(a: Checked, b: Checked, isProduct: boolean): Checked {
    const isWritten = b.isWritten ? { isWritten: true } : {};
    if (b.unit !== 'plain' && isProduct && this.#scope.vocabulary)
      return { type: 'number', ...counted(b), ...isWritten };
    return { ...plain, ...isWritten, ...(a.isBare || b.isBare || b.unit !== 'plain' ? { isBare: true } : {}) };
  }

  #checked(expr: Expr): Checked {
    switch (expr.kind) {
      case 'number':
        if (expr.unit !== undefined) return { type: 'number', unit: expr.unit, isWritten: true };
        return expr.value.n === 0n ? plain : { ...plain, isBare: true };
      case 'boolean':
        return truth;
      case 'name':
        return this.#name(expr);
      case 'call':
        return this.#call(expr);
      case 'unary': {
        const wanted = expr.op === 'not' ? 'boolean' : 'number';
        const checked = this.#pair(expr.operand);
        const whole = this.#same([checked], wanted, JSON.stringify(expr.op), expr);
        return wanted === 'boolean' ? truth : whole;
      }
      case 'binary':
        return this.#binary(expr);
    }
  }

  check(expr: Expr): Checked {
    const checked = this.#checked(expr);
    this.#seen.set(expr, checked);
    return checked;
  }
}

/** What was probably meant where two units meet. */
function hintOf(a: Counted, b: Counted): string {
  const are = (x: Unit, y: Unit) => (a.unit === x && b.unit === y) || (a.unit === y && b.unit === x);
  if (are('assets', 'pps')) return ' A price has "per share" behind its unit.';
  if (are('time', 'duration')) return ' A part of a date is compared with a number without a unit.';
  return are('instant_ms', 'duration') ? ' Durations go with tick_unix, which is in seconds.' : '';
}

/** One divided by the other has no unit left. */
const isRatio = (a: Counted, b: Counted): boolean =>
  a.unit === b.unit || (isOfTime(a.unit) && isOfTime(b.unit)) || isInBaseUnits(a, b) || isInBaseUnits(b, a);
const isInBaseUnits = (a: Counted, b: Counted): boolean => a.unit === 'units' && isAmount(b.unit);
const isScale = ({ unit }: Counted): boolean => unit === 'plain' || unit === 'fraction' || unit === 'count';
const counted = ({ unit, of }: Counted): Counted => ({ unit, ...(of === undefined ? {} : { of }) });

/**
 * Checks an expression that has been parsed; never throws.
 * @param wanted - What its numbers count where nothing in it says so: of a deposit's size, assets.
 */
export function check(expr: Expr, scope: Scope, wanted?: Counted): Verdict {
  const checker = new Checker(scope);
  const checked = checker.check(expr);
  if (wanted) checker.demand(expr, wanted);
  return { checked, faults: checker.faults, warnings: checker.warnings, demands: checker.demands };
}
