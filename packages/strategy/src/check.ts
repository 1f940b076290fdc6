import { functions } from './functions.ts';
import { type Expr, type Fault, isComparison } from './syntax.ts';
import { nearest, resolveVariable, type Unit } from './variables.ts';

export type ValueType = 'number' | 'boolean';
/** What an expression gives; a boolean has no unit. */
export type Checked = { readonly type: ValueType; readonly unit: Unit };

/** What names an expression may use beside the variables. */
export type Scope = {
  /** Yield sources of the vault in lower case; undefined accepts any address. */
  readonly sources?: readonly string[] | undefined;
  /** Indicators declared before. */
  readonly aliases: ReadonlyMap<string, Checked>;
};

export const noAliases: ReadonlyMap<string, Checked> = new Map();

export type Verdict = {
  readonly checked: Checked;
  readonly faults: readonly Fault[];
  readonly warnings: readonly Fault[];
};

const truth: Checked = { type: 'boolean', unit: 'plain' };
/** Numbers without a unit go with any. */
const isFree = (unit: Unit): boolean => unit === 'plain' || unit === 'other';
const agree = (a: Unit, b: Unit): boolean => a === b || isFree(a) || isFree(b);
const joined = (a: Unit, b: Unit): Unit => (a === 'plain' ? b : a);

/** Types, names and units of one expression. Faults make it unusable; units that do not agree are only warned about. */
class Checker {
  readonly faults: Fault[] = [];
  readonly warnings: Fault[] = [];
  readonly #scope: Scope;

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  #name({ name, at }: Extract<Expr, { kind: 'name' }>): Checked {
    const alias = this.#scope.aliases.get(name);
    if (alias) return alias;
    const resolved = resolveVariable(name, this.#scope.sources);
    if (resolved.known) return { type: 'number', unit: resolved.variable.unit };
    const suggestion = resolved.suggestion ?? nearest(name, [...this.#scope.aliases.keys(), ...Object.keys(functions)]);
    this.#fault({
      code: 'UNKNOWN_IDENTIFIER',
      message: `${resolved.message}${suggestion === undefined ? '' : ` Did you mean ${suggestion}?`}`,
      position: at,
      ...(suggestion === undefined ? {} : { suggestion }),
    });
    return { type: 'number', unit: 'plain' };
  }

  #fault(fault: Fault): void {
    this.faults.push(fault);
  }

  /** The parts must be of a type; their common unit. Each is checked once: nested ones would else cost twice per level. */
  #same(parts: readonly (readonly [Expr, Checked])[], type: ValueType, of: string, at: Expr): Unit {
    let unit: Unit = 'plain';
    for (const [part, checked] of parts) {
      if (checked.type !== type) this.#wrongType(part, type, of);
      else if (!agree(unit, checked.unit)) this.#mixed(at, unit, checked.unit);
      unit = joined(unit, checked.unit);
    }
    return unit;
  }

  #pair(part: Expr): readonly [Expr, Checked] {
    return [part, this.check(part)];
  }

  #wrongType(part: Expr, wanted: ValueType, of: string): void {
    const hint =
      wanted === 'boolean'
        ? 'a condition such as vault_free_assets > 0'
        : 'a number; a condition becomes one by if(…, 1, 0)';
    this.#fault({ code: 'WRONG_TYPE', message: `${of} takes ${hint}.`, position: part.at });
  }

  #mixed(at: Expr, a: Unit, b: Unit): void {
    this.warnings.push({ code: 'WRONG_UNIT', message: `This puts ${a} and ${b} together.`, position: at.at });
  }

  #call(expr: Extract<Expr, { kind: 'call' }>): Checked {
    const known = Object.hasOwn(functions, expr.name) ? functions[expr.name] : undefined;
    if (!known) {
      const suggestion = nearest(expr.name, Object.keys(functions));
      const meant = suggestion === undefined ? '' : ` Did you mean ${suggestion}?`;
      const message = `${JSON.stringify(expr.name)} is not a function.${meant}`;
      this.#fault({ code: 'UNKNOWN_FUNCTION', message, position: expr.at, ...(suggestion ? { suggestion } : {}) });
      return { type: 'number', unit: 'plain' };
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
    const unit = this.#same(parts, 'number', expr.name, expr);
    return known.gives === 'boolean' ? truth : { type: 'number', unit };
  }

  #choice([condition, ...branches]: (readonly [Expr, Checked])[], at: Expr): Checked {
    if (condition) this.#same([condition], 'boolean', 'The first value of if', at);
    const type = branches[0]?.[1].type ?? 'number';
    return { type, unit: this.#same(branches, type, 'if, where the other value is one,', at) };
  }

  #binary(expr: Extract<Expr, { kind: 'binary' }>): Checked {
    const { op, left, right } = expr;
    if (op === '*' || op === '/') return this.#scaled(expr);
    const parts = [this.#pair(left), this.#pair(right)] as const;
    const isOfTruths = op === 'and' || op === 'or' || ((op === '==' || op === '!=') && parts[0][1].type === 'boolean');
    const unit = this.#same(parts, isOfTruths ? 'boolean' : 'number', JSON.stringify(op), expr);
    return isOfTruths || isComparison(op) ? truth : { type: 'number', unit };
  }

  #scaled({ op, left, right }: Extract<Expr, { kind: 'binary' }>): Checked {
    const sides = [left, right].map((part) => {
      const checked = this.check(part);
      if (checked.type !== 'number') this.#wrongType(part, 'number', JSON.stringify(op));
      return checked.unit;
    }) as [Unit, Unit];
    const isScale = (unit: Unit) => unit === 'plain' || unit === 'fraction' || unit === 'count';
    if (isScale(sides[1])) return { type: 'number', unit: sides[0] };
    if (op === '*' && isScale(sides[0])) return { type: 'number', unit: sides[1] };
    return { type: 'number', unit: op === '/' && sides[0] === sides[1] ? 'fraction' : 'other' };
  }

  check(expr: Expr): Checked {
    switch (expr.kind) {
      case 'number':
        return { type: 'number', unit: 'plain' };
      case 'boolean':
        return truth;
      case 'name':
        return this.#name(expr);
      case 'call':
        return this.#call(expr);
      case 'unary': {
        const type = expr.op === 'not' ? 'boolean' : 'number';
        return { type, unit: this.#same([this.#pair(expr.operand)], type, JSON.stringify(expr.op), expr) };
      }
      case 'binary':
        return this.#binary(expr);
    }
  }
}

/** Checks an expression that has been parsed; never throws. */
export function check(expr: Expr, scope: Scope): Verdict {
  const checker = new Checker(scope);
  const checked = checker.check(expr);
  return { checked, faults: checker.faults, warnings: checker.warnings };
}
