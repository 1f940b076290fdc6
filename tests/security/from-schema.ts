import fc from 'fast-check';

export type JsonSchema = {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly format?: string;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly prefixItems?: readonly JsonSchema[];
  readonly minItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
};

const demoAddress = '0x8464135c8F25Da09e49BC8782676a84730C318bC';
const deepest = 6;

/** What strangers try where a text is expected. */
const hostileText = fc.oneof(
  fc.constantFrom(
    '\0',
    '%00',
    '__proto__',
    'constructor',
    '../..',
    '{{7*7}}',
    '{"$ne":1}',
    '\u202e',
    '\ud800',
    '1e309',
    '',
  ),
  fc.constantFrom('x'.repeat(5_000), '[]'.repeat(500), "' or 1=1", '0x', '-1', '01', 'NaN', '9'.repeat(400), '☃\r\n x'),
  fc.string({ unit: 'binary', maxLength: 40 }),
);
export const hostile: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom<unknown>(null, true, -1, 0.5, 1e300, Number.MAX_SAFE_INTEGER, [], {}, [[[]]], { $gt: '' }),
  fc.jsonValue({ maxDepth: 3 }),
);

const anyText = fc.string({ maxLength: 20 });
const anyBase64 = fc.base64String({ maxLength: 40 });
const anAddress = fc.constantFrom(demoAddress, demoAddress.toLowerCase());
const aTime = fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-11-21T12:04:09Z');

const matching = new Map<string, fc.Arbitrary<string>>();
/** Made once for each pattern: to prepare one takes some milliseconds, and the schemas name a few patterns thousands of times. */
function textMatching(pattern: string): fc.Arbitrary<string> {
  const arbitrary = matching.get(pattern) ?? fc.stringMatching(new RegExp(pattern, 'u'), { size: 'small' });
  matching.set(pattern, arbitrary);
  return arbitrary;
}

function textOf({ pattern, format }: JsonSchema): fc.Arbitrary<unknown> {
  if (pattern?.includes('{40}')) return anAddress;
  if (format === 'date-time') return aTime;
  if (format === 'base64') return anyBase64;
  // Patterns of several parts know assertions that no text can be made of.
  return pattern === undefined || pattern.includes('(?') ? anyText : textMatching(pattern);
}

/**
 * Values that fit a JSON Schema, and now and then one in their place that does not.
 * @param hostility - Of a hundred values, how many are replaced by a hostile one.
 */
export function valuesOf(
  schema: JsonSchema,
  hostility: number,
  root: JsonSchema = schema,
  depth = 0,
): fc.Arbitrary<unknown> {
  const inner = (each: JsonSchema) => valuesOf(each, hostility, root, depth + 1);
  const fitting = (): fc.Arbitrary<unknown> => {
    if (depth > deepest) return fc.constant(null);
    if (schema.$ref !== undefined) return inner(root.$defs?.[schema.$ref.split('/').at(-1) ?? ''] ?? root);
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    const either = schema.anyOf ?? schema.oneOf;
    if (either) return fc.oneof(...either.map(inner));
    if (schema.allOf?.[0]) return inner(schema.allOf[0]);
    if (schema.type === 'object' || schema.properties) return objectOf(schema, inner, hostility);
    if (schema.prefixItems) return fc.tuple(...schema.prefixItems.map(inner));
    if (schema.type === 'array')
      return fc.array(inner(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: (schema.minItems ?? 0) + 2,
      });
    if (schema.type === 'string') return textOf(schema);
    if (schema.type === 'boolean') return fc.boolean();
    if (schema.type === 'integer')
      return fc.oneof(
        fc.constant(Math.max(31_337, schema.minimum ?? 0)),
        fc.integer({ min: Math.max(schema.minimum ?? -1000, -1e9), max: Math.min(schema.maximum ?? 1e9, 1e9) }),
      );
    if (schema.type === 'number')
      return fc.integer({ min: Math.ceil(schema.minimum ?? 0), max: Math.floor(schema.maximum ?? 1000) });
    return fc.constant(null);
  };
  return hostility === 0
    ? fitting()
    : fc.oneof({ weight: 100 - hostility, arbitrary: fitting() }, { weight: hostility, arbitrary: hostile });
}

function objectOf(
  { properties = {}, required = [] }: JsonSchema,
  inner: (schema: JsonSchema) => fc.Arbitrary<unknown>,
  hostility: number,
): fc.Arbitrary<unknown> {
  const fields = Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, inner(each)]));
  const fitting = fc.record(fields, { requiredKeys: [...required] });
  if (hostility === 0) return fitting;
  const surprising = fc.tuple(fitting, hostileText, hostile).map(([value, key, more]) => ({ ...value, [key]: more }));
  return fc.oneof({ weight: 95, arbitrary: fitting }, { weight: 5, arbitrary: surprising });
}
