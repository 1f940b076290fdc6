import { BSONRegExp } from 'bson';
import { isOperatorDoc } from './match.ts';
import { encodeKey, inverted, successor } from './values/key.ts';
import { Class, classOf, type Doc, isNil, isNumeric, toNumber } from './values/types.ts';

/** Byte range [start, end) of an encoded key. */
export type Range = { start: Buffer; end: Buffer };

/** What a conjunction says about one field, as ranges of the ascending encoding. */
export type FieldBounds = {
  /** Sorted and disjoint; undefined when nothing usable is said. */
  ranges: Range[];
  /** One value only: later index fields are then in order too. */
  point: boolean;
  /** The ranges hold exactly the matching values, so the filter need not run again (for fields without arrays). */
  exact: boolean;
  /** Number of conditions the ranges stand for. */
  conditions: number;
  /** No matching document lacks the field or holds null there. */
  excludesNull: boolean;
  /** Each range has a lower and an upper end of its own: not all values below one, or above one. */
  closed: boolean;
};

/** Conditions that must all hold, by field; `whole` is false when other clauses exist beside them. */
export type Conjunction = { fields: Map<string, unknown[]>; whole: boolean };

/** Gathers the conditions a filter puts on fields, also from inside `$and`. */
export function conjunctionOf(filter: Doc): Conjunction {
  const out: Conjunction = { fields: new Map(), whole: true };
  collect(filter, out);
  return out;
}

function collect(filter: Doc, out: Conjunction): void {
  for (const key of Object.keys(filter)) {
    const condition = filter[key];
    if (key === '$and' && Array.isArray(condition)) {
      for (const clause of condition) collect(clause as Doc, out);
    } else if (key.startsWith('$')) out.whole &&= key === '$comment';
    else out.fields.set(key, [...(out.fields.get(key) ?? []), condition]);
  }
}

const point = (value: unknown): Range => {
  const start = encodeKey(value);
  return { start, end: successor(start) };
};

const classRange = (valueClass: number): Range => ({
  start: Buffer.from([valueClass]),
  end: Buffer.from([valueClass + 1]),
});

// An array or a document with arrays under an index is stored element by element, a regex matches by pattern.
const indexable = (value: unknown): boolean =>
  !Array.isArray(value) && !(value instanceof BSONRegExp) && !(value instanceof RegExp) && value !== undefined;

/** Which ends of its ranges a condition names. */
type Ends = { from: boolean; to: boolean };
type Piece = { ranges: Range[]; exact: boolean; excludesNull: boolean; point: boolean; ends: Ends };

const bothEnds: Ends = { from: true, to: true };

function equalityPiece(value: unknown): Piece | undefined {
  if (!indexable(value)) return undefined;
  if (isNil(value))
    return { ranges: [classRange(Class.nil)], exact: false, excludesNull: false, point: true, ends: bothEnds };
  return { ranges: [point(value)], exact: true, excludesNull: true, point: true, ends: bothEnds };
}

function orderPiece(operator: string, value: unknown): Piece | undefined {
  const valueClass = classOf(value);
  const simple = indexable(value) && !isNil(value) && valueClass !== Class.minKey && valueClass !== Class.maxKey;
  if (!simple || (isNumeric(value) && Number.isNaN(toNumber(value)))) return undefined;
  const whole = classRange(valueClass);
  const at = point(value);
  const floor = isNumeric(value) ? point(Number.NaN).end : whole.start;
  const isFrom = operator === '$gt' || operator === '$gte';
  const range = isFrom
    ? { start: operator === '$gt' ? at.end : at.start, end: whole.end }
    : { start: floor, end: operator === '$lt' ? at.start : at.end };
  return { ranges: [range], exact: true, excludesNull: true, point: false, ends: { from: isFrom, to: !isFrom } };
}

function membershipPiece(values: unknown): Piece | undefined {
  if (!Array.isArray(values) || !values.every(indexable)) return undefined;
  const pieces = values.map(equalityPiece) as Piece[];
  const unique = new Map(pieces.map(({ ranges: [range] }) => [range?.start.toString('latin1'), range as Range]));
  const ranges = [...unique.values()].sort((left, right) => Buffer.compare(left.start, right.start));
  return {
    ranges,
    exact: pieces.every((piece) => piece.exact),
    excludesNull: pieces.every((piece) => piece.excludesNull),
    point: ranges.length === 1,
    ends: bothEnds,
  };
}

function pieceOf(operator: string, operand: unknown): Piece | undefined {
  switch (operator) {
    case '$eq':
      return equalityPiece(operand);
    case '$in':
      return membershipPiece(operand);
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      return orderPiece(operator, operand);
  }
  return undefined;
}

function piecesOf(condition: unknown): (Piece | undefined)[] {
  if (!isOperatorDoc(condition)) return [equalityPiece(condition)];
  return Object.entries(condition).map(([operator, operand]) => pieceOf(operator, operand));
}

/** Bounds of one field. @param multikey - With arrays two conditions may hold for different elements. */
export function fieldBounds(conditions: readonly unknown[], multikey: boolean): FieldBounds | undefined {
  const pieces = conditions.flatMap(piecesOf);
  const usable = pieces.filter((piece) => piece !== undefined);
  const first = usable[0];
  if (!first) return undefined;
  const chosen = multikey ? [usable.find((piece) => piece.point) ?? first] : usable;
  const ranges = chosen.map((piece) => piece.ranges).reduce(intersect);
  return {
    ranges,
    point: ranges.length === 1 && chosen.some((piece) => piece.point),
    exact: chosen.length === pieces.length && chosen.every((piece) => piece.exact),
    conditions: chosen.length,
    excludesNull: usable.some((piece) => piece.excludesNull),
    closed: chosen.some(({ ends }) => ends.from) && chosen.some(({ ends }) => ends.to),
  };
}

const larger = (left: Buffer, right: Buffer): Buffer => (Buffer.compare(left, right) >= 0 ? left : right);
const smaller = (left: Buffer, right: Buffer): Buffer => (Buffer.compare(left, right) <= 0 ? left : right);

function intersect(left: Range[], right: Range[]): Range[] {
  return left.flatMap((one) =>
    right.flatMap((other) => {
      const range = { start: larger(one.start, other.start), end: smaller(one.end, other.end) };
      return Buffer.compare(range.start, range.end) < 0 ? [range] : [];
    }),
  );
}

/** The same set of values under a descending component: bits inverted, bounds swapped. */
export function descending({ start, end }: Range): Range {
  // Encodings are prefix-free, so "below end" is "at or above the inverted end, past everything that starts with it".
  return { start: successor(inverted(end)), end: successor(inverted(start)) };
}
