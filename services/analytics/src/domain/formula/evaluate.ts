import { compare, type Exact, minus, read, times, whole } from './exact.ts';
import { endings, functions, type List, operations, paired, single } from './functions.ts';
import { type Formula, formulaOf, type Node } from './syntax.ts';

/** An input as a receipt carries it: amounts are decimal strings. */
export type GivenInput = { readonly name: string; readonly value: unknown };

/** A whole number, a double, or a decimal text: what the formula's last step gives. */
export type Result = bigint | number | string;

/** How far a step that is shown as a double may be from the exact one. */
const STEP_TOLERANCE: Exact = { n: 1n, d: 10n ** 12n };

class Evaluation {
  readonly #formula: Formula;
  readonly #inputs = new Map<string, unknown[]>();
  readonly #steps = new Map<string, List>();
  readonly #open = new Set<string>();
  readonly #used = new Set<string>();
  /** How many sums and products are being computed around a value: the sum of what is not there is 0. */
  #totals = 0;

  constructor(formula: Formula, inputs: readonly GivenInput[]) {
    this.#formula = formula;
    for (const { name, value } of inputs) {
      const list = this.#inputs.get(name);
      if (list) list.push(value);
      else this.#inputs.set(name, [value]);
    }
  }

  result(): Result {
    const { result: node } = this.#formula;
    const ending = node.kind === 'call' ? endings[node.name] : undefined;
    const found =
      node.kind === 'call' && ending ? ending(single(this.#valueOf(node.values[0] as Node))) : this.#whole(node);
    for (const name of this.#inputs.keys())
      if (!this.#used.has(name)) throw new SyntaxError(`The formula does not use the input ${name}.`);
    return found;
  }

  #whole(node: Node): bigint {
    const { n, d } = single(this.#valueOf(node));
    if (n % d !== 0n) throw new SyntaxError('The formula gives a fraction and does not say how it is rounded.');
    return n / d;
  }

  #valueOf(node: Node): List {
    if (node.kind === 'number') return [node.value];
    if (node.kind === 'name') return this.#named(node.name);
    if (node.kind === 'operation')
      return paired(this.#valueOf(node.left), this.#valueOf(node.right), operations[node.sign]);
    if (node.name === 'count') return [whole(BigInt(this.#countOf(node.values[0] as Node)))];
    if (node.name === 'if') return this.#chosen(node.values);
    const call = functions[node.name];
    if (!call) throw new SyntaxError(`The formula uses ${node.name}(), which is not known.`);
    const isTotal = node.name === 'sum' || node.name === 'product';
    this.#totals += isTotal ? 1 : 0;
    const values = node.values.map((value) => (this.#isMissing(value) ? [] : this.#valueOf(value)));
    this.#totals -= isTotal ? 1 : 0;
    return call(values);
  }

  /** Of a list there may be no input at all. */
  #isMissing = (node: Node): boolean =>
    node.kind === 'name' && !this.#formula.definitions.has(node.name) && !this.#inputs.has(node.name);

  /** The condition decides which value is computed: the other may have none. */
  #chosen([condition, yes, no]: readonly Node[]): List {
    if (!condition || !yes || !no) throw new SyntaxError('The formula has an if() without its two values.');
    return this.#valueOf(single(this.#valueOf(condition)).n === 0n ? no : yes);
  }

  /** Items that are counted need not be numbers. */
  #countOf(node: Node): number {
    if (node.kind !== 'name' || this.#formula.definitions.has(node.name)) return this.#valueOf(node).length;
    this.#used.add(node.name);
    return this.#inputs.get(node.name)?.length ?? 0;
  }

  #named(name: string): List {
    const known = this.#steps.get(name);
    if (known) return known;
    const definition = this.#formula.definitions.get(name);
    if (!definition) return this.#kept(name, this.#given(name));
    if (this.#open.has(name)) throw new SyntaxError(`The formula defines ${name} by itself.`);
    this.#open.add(name);
    const found = this.#valueOf(definition);
    if (this.#inputs.has(name)) this.#compareStep(name, found);
    return this.#kept(name, found);
  }

  #kept(name: string, list: List): List {
    this.#steps.set(name, list);
    return list;
  }

  #given(name: string): List {
    const values = this.#inputs.get(name);
    if (!values && this.#totals > 0) return [];
    if (!values) throw new SyntaxError(`The formula names ${name}, which is not given.`);
    this.#used.add(name);
    return values.map((value) => {
      if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint')
        throw new SyntaxError(`The input ${name} is not a number.`);
      return read(String(value));
    });
  }

  /** A step that the receipt shows has to be the one that the formula gives. */
  #compareStep(name: string, found: List): void {
    const shown = this.#given(name);
    const isEqual = shown.length === found.length && shown.every((value, at) => isNear(value, found[at] as Exact));
    if (!isEqual) throw new SyntaxError(`The input ${name} is not what the formula gives for it.`);
  }
}

const size = ({ n, d }: Exact): Exact => ({ n: n < 0n ? -n : n, d });
const isNear = (a: Exact, b: Exact): boolean => compare(size(minus(a, b)), times(size(b), STEP_TOLERANCE)) <= 0;

/**
 * Evaluates a formula as it is printed in a receipt, over the receipt's inputs and nothing else. Numbers are exact: decimals as they
 * are written, quotients as fractions; roots, logarithms and fractional powers to fifty digits. The formula itself says how its
 * result is rounded: `floor`, `ceil`, `double` (the nearest double). Names are those of the inputs, and of the steps that follow
 * `where`; a name of several inputs is a list, and lists are combined item by item. What follows a semicolon is explanation.
 * @throws {SyntaxError} when it cannot be read, names what is not given, does not use an input, or a step is not what it gives.
 */
export const evaluate = (formula: string, inputs: readonly GivenInput[]): Result =>
  new Evaluation(formulaOf(formula), inputs).result();
