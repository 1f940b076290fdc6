import { NOT_PRECEDENCE, precedence, SIGN_PRECEDENCE } from './parser.ts';
import { showRational } from './rational.ts';
import type { Expr } from './syntax.ts';

const PRIMARY = 8;

function strengthOf(expr: Expr): number {
  if (expr.kind === 'binary') return precedence[expr.op];
  if (expr.kind === 'unary') return expr.op === 'not' ? NOT_PRECEDENCE : SIGN_PRECEDENCE;
  return PRIMARY;
}

const within = (expr: Expr, least: number): string => {
  const text = print(expr);
  return strengthOf(expr) < least ? `(${text})` : text;
};

/** The canonical text: parsing it gives the same expression again. */
export function print(expr: Expr): string {
  switch (expr.kind) {
    case 'number':
      return showRational(expr.value);
    case 'boolean':
      return String(expr.value);
    case 'name':
      return expr.name;
    case 'call':
      return `${expr.name}(${expr.args.map(print).join(', ')})`;
    case 'unary':
      return expr.op === 'not'
        ? `not ${within(expr.operand, NOT_PRECEDENCE)}`
        : `-${within(expr.operand, SIGN_PRECEDENCE)}`;
    case 'binary': {
      const own = precedence[expr.op];
      // Comparisons do not chain on either side; the others lean to the left.
      const leftLeast = own === precedence['=='] ? own + 1 : own;
      return `${within(expr.left, leftLeast)} ${expr.op} ${within(expr.right, own + 1)}`;
    }
  }
}
