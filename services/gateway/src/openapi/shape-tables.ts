import { escapeHtml, proseHtml } from './html.ts';
import type { Json } from './json.ts';

const code = (text: string): string => `<code>${escapeHtml(text)}</code>`;

const limitNames: Readonly<Record<string, string>> = {
  minimum: 'at least',
  exclusiveMinimum: 'more than',
  maximum: 'at most',
  minLength: 'characters at least',
  maxLength: 'characters at most',
  minItems: 'items at least',
  maxItems: 'items at most',
  format: 'format',
  default: 'default',
};
const limitsOf = (schema: Json): string => {
  const said = Object.entries(limitNames)
    .filter(([key]) => schema[key] !== undefined)
    .map(([key, words]) => `${words} ${code(JSON.stringify(schema[key]))}`);
  return said.length === 0 ? '' : ` (${said.join(', ')})`;
};

const listed = (schemas: unknown, words: string): string => (schemas as Json[]).map(schemaText).join(words);

/** A shape in one line of HTML; shapes with a name are links to their tables. */
export function schemaText(schema: Json): string {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1) as string;
    return `<a href="#shape-${name}">${name}</a>${limitsOf(schema)}`;
  }
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => code(JSON.stringify(value))).join(' or ');
  if (schema.anyOf !== undefined) return listed(schema.anyOf, ' or ');
  if (schema.oneOf !== undefined) return listed(schema.oneOf, ' or ');
  if (schema.allOf !== undefined) return listed(schema.allOf, ' and ');
  if (schema.type === 'array') return `list of ${schemaText((schema.items ?? {}) as Json)}${limitsOf(schema)}`;
  if (schema.properties !== undefined) return fieldTable(schema);
  if (typeof schema.additionalProperties === 'object')
    return `object, each value ${schemaText(schema.additionalProperties as Json)}`;
  return `${[schema.type ?? 'anything'].flat().join(' or ')}${limitsOf(schema)}`;
}

/** A part of a shape: all fields of another one, or fields of its own. */
const partOf = (part: Json): string =>
  typeof part.$ref === 'string' ? `<p>All fields of ${schemaText(part)}, and:</p>` : fieldTable(part);

/** What is said of a shape, and the fields of an object, one row each; of anything else its line. */
export function fieldTable(schema: Json): string {
  const about = schema.description === undefined ? '' : `<p>${proseHtml(String(schema.description))}</p>`;
  if (Array.isArray(schema.allOf)) return `${about}${(schema.allOf as Json[]).map(partOf).join('')}`;
  if (schema.properties === undefined) return `${about}<p>${schemaText(schema)}</p>`;
  const required = (schema.required ?? []) as string[];
  const rows = Object.entries(schema.properties as Record<string, Json>).map(
    ([name, field]) =>
      `<tr><td>${code(name)}${required.includes(name) ? '' : ' <small>may be absent</small>'}</td><td>${schemaText(field)}</td><td>${proseHtml(String(field.description ?? ''))}</td></tr>`,
  );
  return `${about}<table><tbody>${rows.join('')}</tbody></table>`;
}
