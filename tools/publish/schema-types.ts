export type Json = { readonly [key: string]: unknown };

/** What says something of a value that a type does not say. */
const notOfTypes = new Set([
  ...['description', 'title', 'examples', 'example', 'default', 'deprecated', 'format', 'pattern', 'contentEncoding'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...[
    'minLength',
    'maxLength',
    'minItems',
    'maxItems',
    'uniqueItems',
    'propertyNames',
    'minProperties',
    'maxProperties',
  ],
]);
const understood = new Set([
  ...['$ref', 'const', 'enum', 'anyOf', 'oneOf', 'allOf', 'type'],
  ...['properties', 'required', 'additionalProperties', 'items', 'prefixItems'],
]);

const docOf = (description: unknown): string =>
  typeof description === 'string' ? `/** ${description.replaceAll('*/', '*\\/')} */\n` : '';

const keyOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

const unionOf = (schemas: unknown): string => (schemas as readonly Json[]).map(typeOf).join(' | ');
const intersectionOf = (schemas: unknown): string =>
  (schemas as readonly Json[]).map((schema) => `(${typeOf(schema)})`).join(' & ');
const arrayOfType = (type: string): string => (/^\w+$/.test(type) ? `${type}[]` : `Array<${type}>`);

function objectOf({ properties = {}, required = [], additionalProperties }: Json): string {
  const fields = Object.entries(properties as Record<string, Json>).map(([name, schema]) => {
    const isRequired = (required as readonly string[]).includes(name);
    const type = typeOf(schema);
    return `${docOf(schema.description)}${keyOf(name)}${isRequired ? '' : '?'}: ${type}${isRequired ? '' : ' | undefined'};`;
  });
  const others = typeof additionalProperties === 'object' ? typeOf(additionalProperties as Json) : undefined;
  if (others === undefined) return fields.length === 0 ? 'Record<string, never>' : `{\n${fields.join('\n')}\n}`;
  return fields.length === 0 ? `Record<string, ${others}>` : `{\n${fields.join('\n')}\n[key: string]: ${others};\n}`;
}

function arrayOf({ items, prefixItems, maxItems }: Json): string {
  if (prefixItems === undefined) return arrayOfType(items === undefined ? 'unknown' : typeOf(items as Json));
  const isClosed = maxItems === (prefixItems as Json[]).length;
  const rest = typeof items === 'object' && !isClosed ? `, ...${arrayOfType(typeOf(items as Json))}` : '';
  return `[${(prefixItems as Json[]).map(typeOf).join(', ')}${rest}]`;
}

const named: Readonly<Record<string, (schema: Json) => string>> = {
  string: () => 'string',
  number: () => 'number',
  integer: () => 'number',
  boolean: () => 'boolean',
  null: () => 'null',
  object: objectOf,
  array: arrayOf,
};

/** The TypeScript type of a JSON Schema as the API description writes them. @throws Error for a keyword that it does not know. */
export function typeOf(schema: Json): string {
  for (const key of Object.keys(schema))
    if (!understood.has(key) && !notOfTypes.has(key) && !key.startsWith('x-'))
      throw new Error(`The SDK's types cannot say "${key}" of a schema: ${JSON.stringify(schema).slice(0, 200)}`);
  const { $ref, enum: values, anyOf, oneOf, allOf, type } = schema;
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (values !== undefined) return (values as readonly unknown[]).map((value) => JSON.stringify(value)).join(' | ');
  if (anyOf !== undefined || oneOf !== undefined) return unionOf(anyOf ?? oneOf);
  if (allOf !== undefined) return intersectionOf(allOf);
  if (type === undefined) return 'unknown';
  const types = Array.isArray(type) ? (type as string[]) : [type as string];
  return types.map((each) => (named[each] as (schema: Json) => string)(schema)).join(' | ');
}

/** A type of its own, with what is said of it. */
export const declarationOf = (name: string, schema: Json): string =>
  `${docOf(schema.description)}export type ${name} = ${typeOf(schema)};\n`;
