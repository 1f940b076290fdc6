export type Json = Readonly<Record<string, unknown>>;
/** The parts of an OpenAPI document that a caller depends on. */
export type Description = {
  /** What operations that say nothing of it ask for. */
  readonly security?: readonly Json[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: {
    readonly parameters: Readonly<Record<string, Json>>;
    readonly schemas: Readonly<Record<string, Json>>;
    /** Answers of several operations. */
    readonly responses?: Readonly<Record<string, Json>>;
  };
};

/** What a caller sends must still be taken; what it gets must still be what it could get before. */
type Direction = 'sent' | 'answered';

const listOf = (value: unknown): readonly unknown[] => (value === undefined ? [] : [value].flat());
const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** What a reference leads to; undefined for what is none. */
export const targetOf = (description: Description, { $ref }: Json): Json | undefined => {
  if (typeof $ref !== 'string') return undefined;
  const [, , kind, name] = $ref.split('/') as [string, string, 'schemas' | 'parameters' | 'responses', string];
  return description.components[kind]?.[name];
};

/** A shape without references and `allOf`: the fields of all its parts are its own. */
function wholeOf(description: Description, given: Json): Json {
  const target = targetOf(description, given);
  if (target !== undefined) return wholeOf(description, target);
  const { allOf, ...own } = given;
  if (allOf === undefined) return given;
  const parts = [...(allOf as readonly Json[]).map((part) => wholeOf(description, part)), own];
  return {
    ...Object.assign({}, ...parts),
    properties: Object.assign({}, ...parts.map(propertiesOf)),
    required: [...new Set(parts.flatMap(({ required }) => listOf(required)))],
  };
}

const branchesOf = ({ anyOf, oneOf }: Json): readonly Json[] | undefined =>
  (anyOf ?? oneOf) as readonly Json[] | undefined;
const propertiesOf = ({ properties }: Json) => (properties ?? {}) as Readonly<Record<string, Json>>;
const valuesOf = ({ enum: values, const: value }: Json): readonly unknown[] | undefined =>
  (values ?? (value === undefined ? undefined : [value])) as readonly unknown[] | undefined;
const covers = (types: readonly unknown[], type: unknown): boolean =>
  types.includes(type) || (type === 'integer' && types.includes('number'));

/** Limits of what is sent: whether a later one takes less. */
const limits: readonly (readonly [string, (before: number, after: number) => boolean])[] = [
  ...['minimum', 'exclusiveMinimum', 'minLength', 'minItems'].map(
    (key) => [key, (before: number, after: number) => after > before] as const,
  ),
  ...['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems'].map(
    (key) => [key, (before: number, after: number) => after < before] as const,
  ),
];

/** Two descriptions, which way a shape travels, and the pairs of named shapes that were compared: shapes may hold themselves. */
export type Sides = {
  readonly before: Description;
  readonly after: Description;
  readonly direction: Direction;
  readonly compared: Set<string>;
};

/** What of two shapes would break a caller, one sentence each. */
export function shapeBreaks(sides: Sides, before: Json, after: Json, at: string): string[] {
  const old = wholeOf(sides.before, before);
  const now = wholeOf(sides.after, after);
  if (before.$ref !== undefined && after.$ref !== undefined) {
    const pair = `${before.$ref} ${after.$ref}`;
    if (sides.compared.has(pair)) return [];
    sides.compared.add(pair);
  }
  if (branchesOf(old) !== undefined || branchesOf(now) !== undefined) return branchBreaks(sides, old, now, at);
  const inner = (one: unknown, other: unknown, place: string): string[] =>
    typeof one === 'object' && typeof other === 'object' ? shapeBreaks(sides, one as Json, other as Json, place) : [];
  return [
    ...typeBreaks(sides, old, now, at),
    ...(sides.direction === 'sent' ? sentLimits(old, now, at) : constantBreaks(old, now, at)),
    ...objectBreaks(sides, old, now, at),
    ...inner(old.items, now.items, `${at}[]`),
    ...inner(old.additionalProperties, now.additionalProperties, `${at}.*`),
  ];
}

function branchBreaks(sides: Sides, before: Json, after: Json, at: string): string[] {
  const old = branchesOf(before) ?? [before];
  const now = branchesOf(after) ?? [after];
  const fits = (one: Json, other: Json): boolean =>
    shapeBreaks({ ...sides, compared: new Set(sides.compared) }, one, other, at).length === 0;
  const lost =
    sides.direction === 'sent'
      ? old.filter((one) => !now.some((other) => fits(one, other)))
      : now.filter((other) => !old.some((one) => fits(one, other)));
  const what = sides.direction === 'sent' ? 'is no longer taken' : 'is answered now';
  return lost.map((one) => `${at}: ${JSON.stringify(one).slice(0, 80)} ${what}`);
}

/** No type is any type. */
function typeBreaks({ direction }: Sides, before: Json, after: Json, at: string): string[] {
  const old = listOf(before.type);
  const now = listOf(after.type);
  const [narrow, wide] = direction === 'sent' ? [old, now] : [now, old];
  const fits = wide.length === 0 || (narrow.length > 0 && narrow.every((type) => covers(wide, type)));
  return fits ? [] : [`${at}: ${old.join(' or ') || 'anything'} is ${now.join(' or ') || 'anything'} now`];
}

function objectBreaks(sides: Sides, before: Json, after: Json, at: string): string[] {
  const old = propertiesOf(before);
  const now = propertiesOf(after);
  const oldNeeded = listOf(before.required) as string[];
  const needed = listOf(after.required) as string[];
  const inner = Object.entries(old).flatMap(([name, schema]) =>
    now[name] === undefined ? [] : shapeBreaks(sides, schema, now[name], `${at}.${name}`),
  );
  if (sides.direction === 'answered') {
    const gone = oldNeeded.filter((name) => !needed.includes(name));
    return [...gone.map((name) => `${at}.${name} may be absent now`), ...inner];
  }
  const refused = after.additionalProperties === false ? Object.keys(old).filter((name) => !(name in now)) : [];
  return [
    ...refused.map((name) => `${at}.${name} is refused now`),
    ...needed.filter((name) => !oldNeeded.includes(name)).map((name) => `${at}.${name} is needed now`),
    ...inner,
  ];
}

/** Answers may gain values of an enum; what is always one value, as the kind of an object is, stays that. */
const constantBreaks = (before: Json, after: Json, at: string): string[] =>
  before.const === undefined || same(before.const, after.const)
    ? []
    : [`${at}: ${JSON.stringify(before.const)} is another value now`];

/** What a sent value may be: fewer values, another pattern or narrower limits refuse what was taken. */
function sentLimits(before: Json, after: Json, at: string): string[] {
  const old = valuesOf(before);
  const now = valuesOf(after);
  const lost = now === undefined ? [] : (old ?? ['anything']).filter((value) => !now.includes(value));
  const narrower = limits.filter(([key, isNarrower]) => {
    if (after[key] === undefined) return false;
    return before[key] === undefined || isNarrower(before[key] as number, after[key] as number);
  });
  const other = ['pattern', 'format'].filter((key) => after[key] !== undefined && !same(before[key], after[key]));
  return [
    ...lost.map((value) => `${at}: ${JSON.stringify(value)} is no longer taken`),
    ...[...narrower.map(([key]) => key), ...other].map((key) => `${at}: its ${key} is ${after[key]} now`),
  ];
}
