import type { Json } from './json.ts';

const texts = new WeakMap<object, string>();
/** The text of a schema that is changed no longer. */
export function textOf(value: object): string {
  const known = texts.get(value) ?? JSON.stringify(value);
  texts.set(value, known);
  return known;
}

const bare = new WeakMap<object, string>();
/** The text of a schema that is changed no longer, without what is said of it. */
export function withoutWords(value: Json): string {
  const { description: _, ...schema } = value;
  const known = bare.get(value) ?? JSON.stringify(schema);
  bare.set(value, known);
  return known;
}

/** What is said of a schema, as a part of another one. */
export const wordsOf = ({ description }: Json): Json => (description === undefined ? {} : { description });

export const referenceTo = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
export const isObject = (schema: Json): boolean => schema.type === 'object' && schema.properties !== undefined;
export const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

const isSchema = (value: unknown): value is Json => typeof value === 'object' && value !== null;
/** Keywords whose value is a schema or a list of schemas. */
const nested: readonly string[] = ['items', 'prefixItems', 'additionalProperties', 'anyOf', 'oneOf', 'allOf'];

/** Every schema inside of one, with the names of the fields that lead to it. */
export function* eachWithin(schema: Json, path: readonly string[]): Generator<readonly [readonly string[], Json]> {
  for (const [name, field] of Object.entries((schema.properties ?? {}) as Record<string, Json>)) {
    yield [[...path, name], field];
    yield* eachWithin(field, [...path, name]);
  }
  for (const inner of nested.flatMap((key) => schema[key] ?? []).filter(isSchema)) {
    yield [path, inner];
    yield* eachWithin(inner, path);
  }
}

/** A schema with other schemas inside, where `change` knows one. */
export function mapped(schema: Json, change: (inner: Json) => Json | undefined): Json {
  const one = (inner: unknown): unknown => (isSchema(inner) ? (change(inner) ?? mapped(inner, change)) : inner);
  const fields = (values: object) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, one(value)]));
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (key === 'properties') return [key, fields(value as object)];
      if (!nested.includes(key)) return [key, value];
      return [key, Array.isArray(value) ? value.map(one) : one(value)];
    }),
  );
}
