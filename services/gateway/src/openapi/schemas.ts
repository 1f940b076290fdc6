import type { Route } from '@castellan/contracts';
import * as contracts from '@castellan/contracts';
import { z } from 'zod';
import { commentPaths, describeNumbers, describeShape } from './comments.ts';
import type { Json } from './json.ts';
import { capitalised } from './shapes.ts';
import { shareShapes } from './shared-shapes.ts';

type Io = 'input' | 'output';
/** A field of a route's path or query. */
export type Field = { readonly name: string; readonly schema: Json; readonly required: boolean };

/** The schemas of an API description: shapes with a name as components, all else refers to them. */
export type DescribedSchemas = {
  readonly components: Readonly<Record<string, Json>>;
  readonly fields: (schema: z.ZodType) => Field[];
  readonly result: (schema: z.ZodType) => Json;
  readonly sent: (schema: z.ZodType) => Json;
};

const componentPath = '#/components/schemas/';

/** Shapes have the name by which the contracts export them. */
const named = Object.entries<unknown>(contracts).filter(
  (entry): entry is [string, z.ZodType] => entry[1] instanceof z.ZodType,
);

/** A rule holds rules, which its check walks by itself; its shape is said here. */
const ruleNode: Json = {
  description: 'At most 12 deep and of 100 nodes.',
  oneOf: [
    ['EXPR', { expr: { type: 'string', maxLength: 2000, examples: ['vault_free_assets > 1_000_000'] } }],
    ['AND', { children: { type: 'array', minItems: 1, items: { $ref: `${componentPath}RuleTree` } } }],
    ['OR', { children: { type: 'array', minItems: 1, items: { $ref: `${componentPath}RuleTree` } } }],
    ['NOT', { child: { $ref: `${componentPath}RuleTree` } }],
    [
      'VOTE',
      {
        threshold: { type: 'integer' },
        children: { type: 'array', minItems: 1, items: { $ref: `${componentPath}RuleTree` } },
      },
    ],
  ].map(([type, fields]) => ({
    type: 'object',
    properties: { type: { const: type }, ...(fields as Json) },
    required: ['type', ...Object.keys(fields as Json)],
    additionalProperties: false,
  })),
};

/** Answers may gain fields, so that nothing is said against others; and limits of JavaScript's numbers are none of the API's. */
const override = (io: Io) => (context: { zodSchema: unknown; jsonSchema: Json }) => {
  const { jsonSchema, zodSchema } = context;
  if (zodSchema === contracts.RuleTree) {
    for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
    Object.assign(jsonSchema, ruleNode);
  }
  if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  // Linters take `false` for a list without items; how many there are is limited anyway.
  if (jsonSchema.prefixItems !== undefined && jsonSchema.items === false) jsonSchema.items = {};
  // A key of JSON is a text.
  if (JSON.stringify(jsonSchema.propertyNames) === '{"type":"string"}') delete jsonSchema.propertyNames;
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
};

/** A schema of a route, and the name of its component where it has none of its own. */
type Part = { readonly schema: z.ZodType; readonly name: string | undefined };

const isObject = (schema: z.ZodType): boolean =>
  schema instanceof z.ZodObject || (schema instanceof z.ZodDefault && schema.unwrap() instanceof z.ZodObject);
/** What a route alone answers or takes is named after it. A plain text, a list of one shape and what several routes share are not. */
const namedAfterRoutes = (routes: readonly Route[], part: 'body' | 'result'): Part[] => {
  const schemas = routes.flatMap(({ id, [part]: schema }) => (schema === undefined ? [] : [{ id, schema }]));
  return schemas.map(({ id, schema }) => ({
    schema,
    name:
      isObject(schema) && schemas.filter((other) => other.schema === schema).length === 1
        ? capitalised(id) + capitalised(part)
        : undefined,
  }));
};

/** Writes what the contracts say into the components, each with the name by which the contracts know it or its route. */
function describe(components: readonly (readonly [string, string, Json])[], routes: readonly Route[]): void {
  for (const [, name, schema] of components) describeShape(schema, name);
  for (const route of routes) {
    const paths = commentPaths(route);
    for (const part of ['body', 'result'] as const) {
      const own = components.find(([, name]) => name === capitalised(route.id) + capitalised(part))?.[2];
      if (own !== undefined) for (const path of paths[part]) describeShape(own, path);
    }
  }
  for (const [, , schema] of components) describeNumbers(schema);
}

/** What many answers have in common without a name in the contracts, and one that says what its fields are. */
const bases: readonly (Part & { readonly name: string; readonly like: string })[] = [
  { name: 'AnalyticsAnswer', schema: z.object(contracts.answerFields), like: 'GetOverview.result' },
  {
    name: 'AnalyticsSeries',
    schema: z.object({ ...contracts.answerFields, ...contracts.seriesFields }),
    like: 'GetPps.result',
  },
];

/** The closed list of codes, which a shape has without a name. */
const ErrorCode: Json = {
  type: 'string',
  enum: Object.keys(contracts.errorCodes),
  description: 'What went wrong; the shared answers say of each code its status, what it means and what to do.',
};

type Converted = { readonly of: (schema: z.ZodType) => Json; readonly named: ReadonlyMap<string, Json> };

/** Converts schemas of one direction together, so that they refer to each other's names. */
function convert(parts: readonly Part[], io: Io): Converted {
  const registry = z.registry<{ id: string }>();
  for (const [name, schema] of named) registry.add(schema, { id: name });
  parts.forEach(({ schema, name }, index) => {
    if (!registry.has(schema)) registry.add(schema, { id: name ?? `unnamed.${index}` });
  });
  const { schemas: all } = z.toJSONSchema(registry, {
    io,
    unrepresentable: 'any',
    uri: (id) => componentPath + id,
    override: override(io),
  });
  const bare = new Map(Object.entries(all).map(([id, { $id, $schema, ...json }]) => [id, json as Json]));
  const isNamed = (id: string) => !id.startsWith('unnamed.');
  return {
    of: (schema) => {
      const { id } = registry.get(schema) as { id: string };
      return isNamed(id) ? { $ref: componentPath + id } : (bare.get(id) as Json);
    },
    named: new Map([...bare].filter(([id]) => isNamed(id))),
  };
}

/** Every `$ref` inside of a value, replaced by what `to` makes of the name. */
const renamed = <T>(value: T, to: (name: string) => string): T =>
  JSON.parse(JSON.stringify(value), (key, inner: unknown) =>
    key === '$ref' && typeof inner === 'string' ? componentPath + to(inner.slice(componentPath.length)) : inner,
  ) as T;

const namesIn = (value: unknown): string[] =>
  [...(JSON.stringify(value) ?? '').matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(
    ([, name]) => name as string,
  );

/** The names that schemas refer to, and those that these refer to in turn. */
function reached(parts: readonly Part[], { of, named: components }: Converted): Set<string> {
  const found = new Set<string>();
  const waiting = parts.flatMap(({ schema }) => namesIn(of(schema)));
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    waiting.push(...namesIn(components.get(name)));
  }
  return found;
}

/** Describes the schemas of routes. A shape that is read otherwise than it is written has two components, `Name` and `NameInput`. */
export function describeSchemas(
  routes: readonly Route[],
  others: readonly z.ZodType[],
  othersSent: readonly z.ZodType[] = [],
): DescribedSchemas {
  const unnamed = (schemas: readonly z.ZodType[]): Part[] => schemas.map((schema) => ({ schema, name: undefined }));
  const answers = [...unnamed(others), ...namedAfterRoutes(routes, 'result')];
  const fields = unnamed(routes.flatMap(({ params, query }) => [params, query]));
  const requests = [...fields, ...unnamed(othersSent), ...namedAfterRoutes(routes, 'body')];
  const output = convert([...answers, ...bases], 'output');
  const input = convert(requests, 'input');
  const inAnswers = reached(answers, output);
  const inRequests = reached(requests, input);
  const differing = namesThatDiffer(input.named, output.named);
  const inputName = (name: string) =>
    differing.has(name) && inAnswers.has(name) && inRequests.has(name) ? `${name}Input` : name;
  const components = [
    ...[...inAnswers].map((name) => [name, name, output.named.get(name) as Json] as const),
    ...[...inRequests].map(
      (name) => [inputName(name), name, renamed(input.named.get(name) as Json, inputName)] as const,
    ),
  ];
  const common = bases.map(({ name, like }) => [name, like, output.named.get(name) as Json] as const);
  describe([...components, ...common], routes);
  const byName = (list: readonly (readonly [string, string, Json])[]): Record<string, Json> =>
    Object.fromEntries(list.map(([name, , schema]) => [name, schema]));
  const sent = (schema: z.ZodType): Json => renamed(input.of(schema), inputName);
  return {
    components: shareShapes(byName(components), { ...byName(common), ErrorCode }),
    fields: (schema) => {
      const { properties = {}, required = [] } = input.of(schema) as {
        properties?: Record<string, Json>;
        required?: string[];
      };
      return Object.entries(properties).map(([name, field]) => ({
        name,
        schema: renamed(field, inputName),
        required: required.includes(name),
      }));
    },
    sent,
    result: (schema) => output.of(schema),
  };
}

/** Names whose shape differs between the directions, or that refer to one that does. */
function namesThatDiffer(input: ReadonlyMap<string, Json>, output: ReadonlyMap<string, Json>): Set<string> {
  const withoutBan = (json: unknown) => JSON.stringify(json).replaceAll(/,?"additionalProperties":false/g, '');
  const differing = new Set(
    [...input.keys()].filter(
      (name) => output.has(name) && withoutBan(input.get(name)) !== withoutBan(output.get(name)),
    ),
  );
  for (let before = -1; before !== differing.size; ) {
    before = differing.size;
    for (const [name, json] of input) if (namesIn(json).some((inner) => differing.has(inner))) differing.add(name);
  }
  return differing;
}
