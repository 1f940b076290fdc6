import type { Json } from './json.ts';
import { capitalised, eachWithin, isObject, mapped, referenceTo, textOf, withoutWords, wordsOf } from './shapes.ts';
import { namedNumber } from './units.ts';

/**
 * What shapes have in common is said once: an object that holds all fields of another shape refers to it (`allOf`), a shape that is
 * another one by its content is a reference to it, and what repeats gets a name.
 */
type Shapes = Readonly<Record<string, Json>>;
type Fields = Readonly<Record<string, Json>>;
type NamedShape = readonly [name: string, schema: Json];

/** Fewer fields in common are a coincidence. */
const fewestInCommon = 4;
/** What may be null and is there less often is not worth a name. */
const fewestNullable = 5;

const fieldsOf = ({ properties = {} }: Json): Fields => properties as Fields;
const neededOf = ({ required = [] }: Json): readonly string[] => required as readonly string[];
const countOf = (schema: Json): number => Object.keys(fieldsOf(schema)).length;
/** Requests with a field too many are refused: they hold no other shape. */
const isOpen = (schema: Json): boolean => isObject(schema) && schema.additionalProperties === undefined;

function holds(schema: Json, base: Json): boolean {
  const own = fieldsOf(schema);
  const needed = neededOf(schema);
  const neededByBase = neededOf(base);
  return Object.entries(fieldsOf(base)).every(([name, field]) => {
    const held = own[name];
    return (
      held !== undefined && textOf(held) === textOf(field) && needed.includes(name) === neededByBase.includes(name)
    );
  });
}

/** The object as another one and the fields it has besides. */
function upon([name, base]: NamedShape, { type, properties, required, ...about }: Json): Json {
  const isOwn = (field: string) => !Object.hasOwn(fieldsOf(base), field);
  const own = Object.fromEntries(Object.entries(properties as Fields).filter(([field]) => isOwn(field)));
  const needed = ((required ?? []) as readonly string[]).filter(isOwn);
  const rest = { type, properties: own, ...(needed.length === 0 ? {} : { required: needed }) };
  return { ...about, allOf: [referenceTo(name), rest] };
}

/** The shape with most of the fields of another one. */
const baseOf = ([name, schema]: NamedShape, all: readonly NamedShape[]): NamedShape | undefined =>
  all
    .filter(([other, each]) => other !== name && countOf(each) < countOf(schema) && holds(schema, each))
    .sort(([, a], [, b]) => countOf(b) - countOf(a))[0];

/** Each shape said by another one of them where that has some of its fields. */
function uponEachOther(shapes: Shapes): Shapes {
  const all = Object.entries(shapes);
  const candidates = all.filter(([, each]) => isOpen(each) && countOf(each) >= fewestInCommon);
  const said = all.map((each): NamedShape => {
    const base = isOpen(each[1]) ? baseOf(each, candidates) : undefined;
    return base === undefined ? each : [each[0], upon(base, each[1])];
  });
  return Object.fromEntries(said);
}

/** Objects of the same content have one description; the others refer to it. */
function saidOnce(shapes: Shapes): Shapes {
  const objects = Object.entries(shapes).filter(([, schema]) => isObject(schema));
  const alike = Map.groupBy(objects, ([, schema]) => withoutWords(schema));
  const shortest = (names: readonly NamedShape[]) => names.map(([name]) => name).sort(byLength)[0] as string;
  const names = new Map([...alike].map(([text, all]) => [text, shortest(all)]));
  return Object.fromEntries(
    Object.entries(shapes).map(([name, schema]) => {
      const other = names.get(withoutWords(schema)) ?? name;
      return [name, other === name ? schema : { ...wordsOf(schema), ...referenceTo(other) }];
    }),
  );
}

const byLength = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : 1);

/** What repeats in shapes: its content, and the fields that lead there. */
type Repeated = { readonly schema: Json; readonly paths: readonly (readonly string[])[] };

/** Gives names to what repeats, and refers to them. */
function withNames(
  shapes: Shapes,
  deserves: (schema: Json) => boolean,
  nameOf: (repeated: Repeated) => string[],
): Shapes {
  const places = Object.entries(shapes).flatMap(([name, schema]) => [...eachWithin(schema, [name])]);
  const repeated = Map.groupBy(
    places.filter(([, schema]) => deserves(schema)),
    ([, schema]) => withoutWords(schema),
  );
  const names = new Map(Object.entries(shapes).map(([name, schema]) => [withoutWords(schema), name]));
  const taken = new Set(Object.keys(shapes));
  const added: [string, Json][] = [];
  for (const [text, all] of repeated) {
    if (names.has(text) || all.length < 2) continue;
    const [[, { description: _, ...schema }]] = all as [(typeof all)[0]];
    const free = nameOf({ schema, paths: all.map(([path]) => path) }).find((name) => !taken.has(name));
    if (free === undefined) continue;
    taken.add(free);
    names.set(text, free);
    added.push([free, schema]);
  }
  const named = (schema: Json): Json =>
    mapped(schema, (inner) => {
      const name = deserves(inner) ? names.get(withoutWords(inner)) : undefined;
      return name === undefined ? undefined : { ...wordsOf(inner), ...referenceTo(name) };
    });
  return Object.fromEntries([...Object.entries(shapes), ...added].map(([name, schema]) => [name, named(schema)]));
}

/** Whether a name at `count` places and the text itself, once, are less to read than the text at each place. */
const isShorter = (text: number, reference: number, count: number): boolean => text + count * reference < count * text;
const isNameable = (schema: Json): boolean => isObject(schema) || schema.enum !== undefined;
/** After the fields that lead there, from the place with the shortest way. */
const byPlace = ({ schema, paths }: Repeated): string[] =>
  paths
    .map((path) => path.flatMap((step) => step.split('_').map(capitalised)).join(''))
    .filter((name) => isShorter(textOf(schema).length, textOf(referenceTo(name)).length, paths.length))
    .sort(byLength);

/** A shape with a name, or null. */
function nullableOf({ anyOf, default: standard }: Json): string | undefined {
  const [shape, none, ...others] = (anyOf ?? []) as readonly Json[];
  const isNullable = none?.type === 'null' && others.length === 0 && standard === undefined;
  return isNullable && typeof shape?.$ref === 'string' ? `${shape.$ref.split('/').at(-1)}OrNull` : undefined;
}
const orNull = ({ schema, paths }: Repeated): string[] => {
  const name = nullableOf(schema);
  return name === undefined || paths.length < fewestNullable ? [] : [name];
};

/** Numbers of which only the unit is known, by the name of the unit. */
function withNumbers(shapes: Shapes): Shapes {
  const used = new Map<string, Json>();
  const named = (schema: Json): Json | undefined => {
    const number = namedNumber(schema);
    if (number === undefined) return undefined;
    used.set(number, schema);
    return referenceTo(number);
  };
  const said = Object.entries(shapes).map(([name, schema]) => [name, mapped(schema, named)]);
  return { ...Object.fromEntries(used), ...Object.fromEntries(said) };
}

/** Without names that were given and that nothing refers to. */
function withoutUnused(shapes: Shapes, given: Shapes): Shapes {
  const referred = new Set(
    Object.values(shapes).flatMap((schema) =>
      [...eachWithin(schema, []), [[], schema] as const].map(([, { $ref }]) => $ref),
    ),
  );
  const kept = Object.entries(shapes).filter(([name]) => name in given || referred.has(referenceTo(name).$ref));
  return kept.length === Object.keys(shapes).length ? shapes : withoutUnused(Object.fromEntries(kept), given);
}

/** Says once what `shapes` have in common, among each other and with `bases`. */
export function shareShapes(shapes: Shapes, bases: Shapes): Shapes {
  const said = saidOnce(uponEachOther(withNumbers({ ...bases, ...shapes })));
  const named = withNames(said, isNameable, byPlace);
  return withoutUnused(
    withNames(named, (schema) => nullableOf(schema) !== undefined, orNull),
    shapes,
  );
}
