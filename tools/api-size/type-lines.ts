/**
 * How many lines of types `openapi-typescript` 7 makes of a description. It is no dependency: it needs another major version of
 * TypeScript than ours. What it writes follows from the document: a frame for each path and operation, and a line for each field.
 */
type Json = Readonly<Record<string, unknown>>;
type Members = Readonly<Record<string, Json>>;
type Operation = {
  readonly parameters?: readonly Json[];
  readonly requestBody?: Json;
  readonly responses: Members;
};
export type Document = { readonly paths: Readonly<Record<string, Members>>; readonly components: Json };

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
const textLines = (value: unknown): number =>
  (typeof value === 'object' ? JSON.stringify(value, undefined, 2) : String(value)).split('\n').length;

/** The comment above a member: one line where one thing is said in one line, else a line for each and two around them. */
function commentLines(said: Json): number {
  const { summary, format, deprecated, description, default: standard, examples = [] } = said;
  const parts = [
    ...[summary, description, standard, ...(examples as unknown[])].filter((part) => part !== undefined).map(textLines),
    ...[format, deprecated, said.const, said.enum].filter((part) => part !== undefined).map(() => 1),
  ];
  const lines = sum(parts);
  return lines > 1 ? lines + 2 : lines;
}

const memberLines = (schema: Json): number => commentLines(schema) + typeLines(schema);
const unionLines = (schemas: readonly Json[]): number => 1 + sum(schemas.map((each) => typeLines(each) - 1));

/** A type within a line: its other lines are those of the objects in it. */
function typeLines(schema: Json): number {
  const { $ref, anyOf, oneOf, allOf, prefixItems, items, properties, additionalProperties } = schema;
  if ($ref !== undefined) return 1;
  const choice = anyOf ?? oneOf ?? allOf;
  if (choice !== undefined) return unionLines(choice as readonly Json[]);
  if (prefixItems !== undefined) return 2 + sum((prefixItems as readonly Json[]).map(typeLines));
  if (items !== undefined) return typeLines(items as Json);
  const isMap = typeof additionalProperties === 'object';
  if (properties === undefined && !isMap) return 1;
  const others = isMap ? typeLines(additionalProperties as Json) : 0;
  return 2 + sum(Object.values((properties ?? {}) as Members).map(memberLines)) + others;
}

/** A block with one member in it for each media type, and nothing in one line. */
const contentLines = (content: unknown): number =>
  content === undefined
    ? 1
    : 2 + sum(Object.values(content as Record<string, { schema: Json }>).map(({ schema }) => typeLines(schema)));

const headerLines = 3;
const responseLines = (response: Json): number =>
  response.$ref === undefined ? commentLines(response) + 2 + headerLines + contentLines(response.content) : 1;

const targetOf = ({ components }: Document, { $ref }: Json): Json | undefined => {
  if (typeof $ref !== 'string') return undefined;
  const [, , kind = '', name = ''] = $ref.split('/');
  return (components[kind] as Members)[name];
};
const places = ['query', 'header', 'path', 'cookie'];

function operationLines(document: Document, { parameters = [], requestBody, responses }: Operation): number {
  const ofPlaces = places.map((place) => {
    const all = parameters.filter((each) => (targetOf(document, each) ?? each).in === place);
    const lines = all.map((each) => {
      const known = targetOf(document, each);
      return commentLines({ description: (known ?? each).description }) + (known ? 1 : typeLines(each.schema as Json));
    });
    return all.length === 0 ? 1 : 2 + sum(lines);
  });
  const ofBody = requestBody === undefined ? 1 : 2 + contentLines(requestBody.content);
  return 2 + 2 + sum(ofPlaces) + ofBody + 2 + sum(Object.values(responses).map(responseLines));
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
/** A path has a frame for parameters and a line for each method; what is said of its operations stands above these. */
const pathLines = (operations: Members): number =>
  2 + 2 + places.length + methods.length + sum(Object.values(operations).map(commentLines));

/** Says whose file it is, and has the names of what there is none of. */
const frameLines = 22;

export function typeLinesOf(document: Document): number {
  const { schemas, responses, parameters } = document.components as Record<string, Members>;
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path)) as unknown as Operation[];
  return sum([
    frameLines,
    ...Object.values(document.paths).map(pathLines),
    ...operations.map((operation) => operationLines(document, operation)),
    ...Object.values(schemas ?? {}).map(memberLines),
    ...Object.values(responses ?? {}).map(responseLines),
    ...Object.values(parameters ?? {}).map(
      ({ description, schema }) => commentLines({ description }) + typeLines(schema as Json),
    ),
  ]);
}
