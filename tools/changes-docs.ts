import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type PreparedKind, preparedArgs, preparedKinds, type Route, routes } from '@castellan/contracts';
import { changes } from '@castellan/sdk/calls';
import { z } from 'zod';
import { openApiDocument } from '../services/gateway/src/openapi/document.ts';

/** docs/changes.md, made of the changes that can be prepared: `node tools/changes-docs.ts`. A test notices when it is stale. */
export const target = fileURLToPath(new URL('../docs/changes.md', import.meta.url));

type Schema = {
  type?: string;
  pattern?: string;
  description?: string;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  $ref?: string;
};

/** What a value is, in words. */
function wordsOf(schema: Schema): string {
  if (schema.anyOf) return schema.anyOf.map(wordsOf).join(' or ');
  if (schema.type === 'null') return '`null`';
  if (schema.type === 'integer') return `whole number, ${schema.minimum} to ${schema.maximum}`;
  if (schema.type === 'array') {
    const { items = {}, minItems, maxItems } = schema;
    return `list of ${minItems} to ${maxItems}: ${wordsOf(items)}`;
  }
  if (schema.type === 'object')
    return Object.entries(schema.properties ?? {})
      .map(([name, value]) => `\`${name}\` (${wordsOf(value)})`)
      .join(', ');
  if (schema.pattern?.includes('{40}')) return 'address';
  if (schema.pattern?.includes('{64}')) return '32 bytes in hex';
  return schema.pattern === undefined ? 'text' : 'whole number as text';
}

type Document = {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>>;
  components: { schemas: Record<string, Schema> };
};

/** What the description of the API says of the fields of a request. */
function meaningsOf({ paths, components }: Document, { path, method }: Route): Record<string, string | undefined> {
  const resolved = (schema: Schema = {}): Schema => {
    const name = schema.$ref?.split('/').at(-1);
    return name === undefined ? schema : { ...components.schemas[name], ...schema };
  };
  const content = paths[path]?.[method.toLowerCase()]?.requestBody?.content ?? {};
  const { properties = {} } = resolved(Object.values(content)[0]?.schema);
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, resolved(schema).description?.replace(/\.$/, '')]),
  );
}

const forms = ['address', '32 bytes in hex'];

const cell = (text: string): string => text.replaceAll('|', '\\|');

function rowOf(document: Document, kind: PreparedKind): string {
  const { title, method } = changes[kind];
  const route = (routes as Readonly<Record<string, Route>>)[method];
  if (route === undefined) throw new Error(`${kind} is prepared by ${method}, which is no route.`);
  const meanings = meaningsOf(document, route);
  const { properties = {} } = z.toJSONSchema(preparedArgs[kind], { io: 'input' }) as Schema;
  const args = Object.entries(properties).map(([name, schema]) => {
    const words = wordsOf(schema);
    // What a form says of itself is no meaning: an address is an address.
    const meaning = forms.includes(words) ? undefined : meanings[name];
    return `\`${name}\`: ${words}${meaning === undefined ? '' : `. ${meaning}`}`;
  });
  return `| \`${kind}\` | ${title} | \`${route.method} ${route.path}\` (\`${method}\`) | ${cell(args.join('; ') || 'none')} |\n`;
}

/** The page's text. */
export function changesPage(): string {
  const document = openApiDocument(Object.values(routes as Readonly<Record<string, Route>>), '') as unknown as Document;
  return `# Kinds of change

Every change that can be prepared. \`castellan prepare KIND VAULT FIELD=VALUE...\` and \`prepareChange\` of the SDK take the kind with its arguments; the
operation takes them in its body, beside \`chain_id\` and \`vault_address\`. What is proposed is in force only after a second call, \`execute_…\`, once the
contract's waiting time is over: [change the fees](guides/change-fees.md) goes that way. A list is given to the command line as
JSON, and \`null\` as it is. This page is made from the contracts by \`node tools/changes-docs.ts\`.

| Kind | What it does | Operation (method of the SDK) | Arguments |
| --- | --- | --- | --- |
${preparedKinds.map((kind) => rowOf(document, kind)).join('')}`;
}

if (import.meta.main) writeFileSync(target, changesPage());
