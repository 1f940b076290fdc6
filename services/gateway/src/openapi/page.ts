import { type ErrorCode, errorCodes, type Route } from '@castellan/contracts';
import { mediaOf } from './answers.ts';
import { descriptionOf } from './descriptions.ts';
import type { OpenApiDocument } from './document.ts';
import { errorAdvice } from './error-advice.ts';
import { exampleOf, examplesPath } from './examples.ts';
import { escapeHtml, proseHtml } from './html.ts';
import { introduction, tagDescriptions } from './introduction.ts';
import type { Json } from './json.ts';
import { errorsOf } from './problems.ts';
import { fieldTable, schemaText } from './shape-tables.ts';

const authNotes = { public: 'public', optional: 'token optional', bearer: 'token required' } as const;
const authNote = ({ auth, scope }: Route): string =>
  auth === 'bearer' ? `${authNotes.bearer}, scope ${scope}` : authNotes[auth];

type Operation = {
  readonly description: string;
  readonly parameters?: readonly Json[];
  readonly requestBody?: { readonly content: Record<string, { schema: Json }> };
  readonly responses: Readonly<Record<string, Json>>;
};

/** What a reference inside of the document stands for. */
const resolved = (document: OpenApiDocument, value: Json): Json => {
  if (typeof value.$ref !== 'string') return value;
  const [, , kind, name] = value.$ref.split('/') as [string, string, string, string];
  return (document.components[kind] as Record<string, Json>)[name] as Json;
};

const parameterRow = (parameter: Json): string =>
  `<tr><td><code>${escapeHtml(String(parameter.name))}</code></td><td>${parameter.in}${parameter.required ? ', needed' : ''}</td>` +
  `<td>${schemaText(parameter.schema as Json)}</td><td>${proseHtml(String(parameter.description ?? ''))}</td></tr>`;

const parameterTable = (document: OpenApiDocument, parameters: readonly Json[]): string =>
  parameters.length === 0
    ? ''
    : `<table><thead><tr><th>parameter</th><th>in</th><th>shape</th><th>meaning</th></tr></thead><tbody>${parameters
        .map((parameter) => parameterRow(resolved(document, parameter)))
        .join('')}</tbody></table>`;

const shapeLine = (title: string, schema: Json | undefined): string =>
  schema === undefined || Object.keys(schema).length === 0 ? '' : `<p>${title}: ${schemaText(schema)}</p>`;

const routeSection = (route: Route, document: OpenApiDocument): string => {
  const operation = document.paths[route.path]?.[route.method.toLowerCase()] as unknown as Operation;
  const { content } = resolved(document, operation.responses[String(route.status)] ?? {}) as {
    content?: Record<string, { schema: Json }>;
  };
  return `
<article id="${route.id}">
<h3><code>${route.method} ${escapeHtml(route.path)}</code></h3>
<p>${escapeHtml(descriptionOf(route).summary)}. <small>${authNote(route)}, ${escapeHtml(mediaOf(route).join(' or '))}.</small></p>
<p>${proseHtml(operation.description)}</p>
${parameterTable(document, operation.parameters ?? [])}
${shapeLine('Body', operation.requestBody?.content['application/json']?.schema)}${shapeLine(`Answer, ${route.status}`, content?.[route.media]?.schema)}
${exampleOf(route.id) === undefined ? '' : `<p><a href="${examplesPath}/${route.id}">Example of a request and its answer</a></p>`}
<p><small>Errors: ${errorsOf(route)
    .map((code) => `<a href="#${code}">${code}</a>`)
    .join(', ')}</small></p>
</article>`;
};

const codeRow = ([code, { status, title, retryable }]: [
  string,
  { status: number; title: string; retryable: boolean },
]) =>
  `<tr id="${code}"><td><code>${code}</code></td><td>${status}</td><td>${escapeHtml(title)}</td>` +
  `<td>${proseHtml(errorAdvice[code as ErrorCode])}</td><td>${retryable ? 'yes' : ''}</td></tr>`;

const shapeSection = ([name, schema]: [string, Json]): string =>
  `<article id="shape-${name}"><h3>${name}</h3>${fieldTable(schema)}</article>`;

/** The API for people: every route with its parameters and shapes, every shape with its fields, and every error code. No script. */
export function apiPage(routes: readonly Route[], document: OpenApiDocument): string {
  const tags = [...new Set(routes.map((route) => descriptionOf(route).tag))];
  const sections = tags.map(
    (tag) =>
      `<h2 id="${tag}">${escapeHtml(tag)}</h2><p>${escapeHtml(tagDescriptions[tag] ?? '')}</p>${routes
        .filter((route) => descriptionOf(route).tag === tag)
        .map((route) => routeSection(route, document))
        .join('')}`,
  );
  const shapes = Object.entries(document.components.schemas as Record<string, Json>).sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Castellan API</title><link rel="stylesheet" href="/docs/style.css"></head><body><main>
<p><a href="/docs">All documentation</a> · <a href="/docs/api/try">Try the API</a></p>
<h1>Castellan API</h1>
<p>The machine-readable description with every schema: <a href="/api/v1/openapi.json">openapi.json</a> (OpenAPI 3.1). Live updates, the chat, webhooks and
events of the bus: <a href="/api/v1/asyncapi.json">asyncapi.json</a> (AsyncAPI 3.0).</p>
${introduction
  .split('\n\n')
  .map((paragraph) => `<p>${proseHtml(paragraph).replaceAll(/\*\*(.+?)\*\*/g, '<strong>$1</strong>')}</p>`)
  .join('\n')}
<nav>${[...tags, 'shapes', 'errors'].map((tag) => `<a href="#${tag}">${escapeHtml(tag)}</a>`).join(' ')}</nav>
${sections.join('\n')}
<h2 id="shapes">Shapes</h2>
${shapes.map(shapeSection).join('\n')}
<h2 id="errors">Error codes</h2>
<table><thead><tr><th>code</th><th>status</th><th>meaning</th><th>what to do</th><th>try again</th></tr></thead>
<tbody>${Object.entries(errorCodes).map(codeRow).join('\n')}</tbody></table>
</main></body></html>`;
}

export const apiPageStyle = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
main{max-width:60rem;margin:0 auto;padding:1rem}article{border-top:1px solid #8884;padding:.5rem 0;overflow-x:auto}
nav a{margin-right:1rem}h3{margin:.25rem 0;font-size:1rem;overflow-wrap:anywhere}small{opacity:.75}table{border-collapse:collapse;width:100%}
td,th{border-bottom:1px solid #8884;padding:.25rem .5rem;text-align:left;vertical-align:top}:target{background:#fc04}
p{overflow-wrap:anywhere}
@media(max-width:40rem){thead{display:none}tr,td{display:block}tr{border-bottom:1px solid #8884;padding:.25rem 0}td{border:0;padding:0;overflow-wrap:anywhere}}`;
