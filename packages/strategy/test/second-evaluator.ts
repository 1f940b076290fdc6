import fc from 'fast-check';

/**
 * The language a second time, by another way: trees of our own, written out with every parenthesis, and worked out on unreduced
 * fractions. Shares no code with the package.
 */
export type Tree =
  | { is: 'number'; text: string; n: bigint; d: bigint }
  | { is: 'variable'; name: string }
  | { is: 'negative'; of: Tree }
  | { is: 'arithmetic'; op: '+' | '-' | '*' | '/' | '%'; a: Tree; b: Tree }
  | { is: 'function'; name: 'min' | 'max' | 'abs' | 'clamp' | 'floor' | 'ceil'; of: Tree[] }
  | { is: 'choice'; condition: Truth; yes: Tree; no: Tree };
export type Truth =
  | { is: 'constant'; value: boolean }
  | { is: 'compared'; op: '==' | '!=' | '<' | '<=' | '>' | '>='; a: Tree; b: Tree }
  | { is: 'not'; of: Truth }
  | { is: 'joined'; op: 'and' | 'or'; a: Truth; b: Truth };

/** Base units, a fraction, and two names without a value. */
export const names = ['vault_free_assets', 'vault_tvl', 'price', 'vault_pps', 'vault_redeem_queue_value'] as const;
export type Values = Record<string, { n: bigint; d: bigint } | null>;

export const write = (tree: Tree): string => {
  switch (tree.is) {
    case 'number':
      return tree.text;
    case 'variable':
      return tree.name;
    case 'negative':
      return `(-(${write(tree.of)}))`;
    case 'arithmetic':
      return `((${write(tree.a)})${tree.op}(${write(tree.b)}))`;
    case 'function':
      return `${tree.name}(${tree.of.map(write).join(',')})`;
    case 'choice':
      return `if(${writeTruth(tree.condition)},${write(tree.yes)},${write(tree.no)})`;
  }
};
export const writeTruth = (truth: Truth): string => {
  switch (truth.is) {
    case 'constant':
      return String(truth.value);
    case 'compared':
      return `((${write(truth.a)})${truth.op}(${write(truth.b)}))`;
    case 'not':
      return `(not(${writeTruth(truth.of)}))`;
    case 'joined':
      return `((${writeTruth(truth.a)}) ${truth.op} (${writeTruth(truth.b)}))`;
  }
};

type Fraction = { n: bigint; d: bigint };
const isLess = (a: Fraction, b: Fraction) => (a.n * b.d < b.n * a.d === a.d > 0n) === b.d > 0n;
const isSame = (a: Fraction, b: Fraction) => a.n * b.d === b.n * a.d;
/** Rounds down by looking for the integer, whatever the signs. */
function whole({ n, d }: Fraction): bigint {
  const [top, bottom] = d < 0n ? [-n, -d] : [n, d];
  let found = top / bottom;
  while (found * bottom > top) found -= 1n;
  return found;
}

/** @returns null where there is no value. */
export function number(tree: Tree, values: Values): Fraction | null {
  switch (tree.is) {
    case 'number':
      return { n: tree.n, d: tree.d };
    case 'variable':
      return values[tree.name] ?? null;
    case 'negative': {
      const of = number(tree.of, values);
      return of && { n: -of.n, d: of.d };
    }
    case 'choice': {
      const condition = truth(tree.condition, values);
      return condition === null ? null : number(condition ? tree.yes : tree.no, values);
    }
    case 'function':
      return applied(tree, values);
    case 'arithmetic':
      return arithmetic(tree, values);
  }
}

function arithmetic({ op, a, b }: Extract<Tree, { is: 'arithmetic' }>, values: Values): Fraction | null {
  const x = number(a, values);
  const y = number(b, values);
  if (!x || !y) return null;
  if (op === '+') return { n: x.n * y.d + y.n * x.d, d: x.d * y.d };
  if (op === '-') return { n: x.n * y.d - y.n * x.d, d: x.d * y.d };
  if (op === '*') return { n: x.n * y.n, d: x.d * y.d };
  if (y.n === 0n) return null;
  const quotient = { n: x.n * y.d, d: x.d * y.n };
  if (op === '/') return quotient;
  const times = whole(quotient);
  return { n: x.n * y.d - times * y.n * x.d, d: x.d * y.d };
}

function applied({ name, of }: Extract<Tree, { is: 'function' }>, values: Values): Fraction | null {
  const given = of.map((part) => number(part, values));
  if (given.some((part) => part === null)) return null;
  const sorted = (parts: Fraction[]) => [...parts].sort((a, b) => (isLess(a, b) ? -1 : isLess(b, a) ? 1 : 0));
  const parts = given as [Fraction, ...Fraction[]];
  if (name === 'min') return sorted(parts)[0] ?? null;
  if (name === 'max') return sorted(parts).at(-1) ?? null;
  if (name === 'floor') return { n: whole(parts[0]), d: 1n };
  if (name === 'ceil') return { n: -whole({ n: -parts[0].n, d: parts[0].d }), d: 1n };
  if (name === 'abs') return isLess(parts[0], { n: 0n, d: 1n }) ? { n: -parts[0].n, d: parts[0].d } : parts[0];
  const [value, low, high] = parts as unknown as [Fraction, Fraction, Fraction];
  const raised = isLess(value, low) ? low : value;
  return isLess(high, raised) ? high : raised;
}

/** An unknown truth is worked out as both: only where both lead to the same is the whole known. */
export function truth(of: Truth, values: Values): boolean | null {
  switch (of.is) {
    case 'constant':
      return of.value;
    case 'not': {
      const inner = truth(of.of, values);
      return inner === null ? null : !inner;
    }
    case 'compared': {
      const a = number(of.a, values);
      const b = number(of.b, values);
      if (!a || !b) return null;
      const less = isLess(a, b);
      const same = isSame(a, b);
      return {
        '==': same,
        '!=': !same,
        '<': less && !same,
        '<=': less || same,
        '>': !less && !same,
        '>=': !less || same,
      }[of.op];
    }
    case 'joined': {
      const open = (value: boolean | null) => (value === null ? [true, false] : [value]);
      const both = open(truth(of.a, values)).flatMap((a) =>
        open(truth(of.b, values)).map((b) => (of.op === 'and' ? a && b : a || b)),
      );
      return new Set(both).size === 1 ? (both[0] ?? null) : null;
    }
  }
}

const literal: fc.Arbitrary<Tree> = fc.oneof(
  fc.bigInt({ min: 0n, max: 10n ** 12n }).map((n) => ({ is: 'number' as const, text: `${n}`, n, d: 1n })),
  fc.integer({ min: 0, max: 9_999 }).map((n) => ({
    is: 'number' as const,
    text: `${Math.floor(n / 100)}.${String(n % 100).padStart(2, '0')}`,
    n: BigInt(n),
    d: 100n,
  })),
);
const variable: fc.Arbitrary<Tree> = fc.constantFrom(...names).map((name) => ({ is: 'variable', name }));

const { tree, truth: truths } = fc.letrec<{ tree: Tree; truth: Truth }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5, depthSize: 'medium' },
    variable,
    literal,
    fc.record({ is: fc.constant('negative' as const), of: tie('tree') }),
    fc.record({
      is: fc.constant('arithmetic' as const),
      op: fc.constantFrom('+' as const, '-' as const, '*' as const, '/' as const, '%' as const),
      a: tie('tree'),
      b: tie('tree'),
    }),
    fc.oneof(
      fc.record({
        is: fc.constant('function' as const),
        name: fc.constantFrom('min' as const, 'max' as const),
        of: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
      }),
      fc.record({
        is: fc.constant('function' as const),
        name: fc.constantFrom('abs' as const, 'floor' as const, 'ceil' as const),
        of: fc.tuple(tie('tree')),
      }),
      fc.record({
        is: fc.constant('function' as const),
        name: fc.constant('clamp' as const),
        of: fc.tuple(tie('tree'), tie('tree'), tie('tree')),
      }),
    ),
    fc.record({ is: fc.constant('choice' as const), condition: tie('truth'), yes: tie('tree'), no: tie('tree') }),
  ),
  truth: fc.oneof(
    { maxDepth: 5, depthSize: 'medium' },
    fc.boolean().map((value) => ({ is: 'constant' as const, value })),
    fc.record({
      is: fc.constant('compared' as const),
      op: fc.constantFrom('==' as const, '!=' as const, '<' as const, '<=' as const, '>' as const, '>=' as const),
      a: tie('tree'),
      b: tie('tree'),
    }),
    fc.record({ is: fc.constant('not' as const), of: tie('truth') }),
    fc.record({
      is: fc.constant('joined' as const),
      op: fc.constantFrom('and' as const, 'or' as const),
      a: tie('truth'),
      b: tie('truth'),
    }),
  ),
}));

export { tree as numberTrees, truths };

const amount = fc.oneof(
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.constant({ n: 0n, d: 1n }) },
  {
    weight: 4,
    arbitrary: fc.record({ n: fc.bigInt({ min: 0n, max: 10n ** 20n }), d: fc.constantFrom(1n, 3n, 10n ** 6n) }),
  },
);
export const valuesOf: fc.Arbitrary<Values> = fc
  .tuple(...names.map(() => amount))
  .map((items) => Object.fromEntries(names.map((name, index) => [name, items[index] ?? null])));
