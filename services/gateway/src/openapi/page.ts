import { errorCodes, type Route } from '@castellan/contracts';
import { descriptionOf } from './descriptions.ts';
import { errorsOf, mediaOf } from './document.ts';

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => escapes[character] ?? character);

const authNotes = { public: 'public', optional: 'token optional', bearer: 'token required' } as const;
const authNote = ({ auth, scope }: Route): string =>
  auth === 'bearer' ? `${authNotes.bearer}, scope ${scope}` : authNotes[auth];

const routeSection = (route: Route): string => `
<article id="${route.id}">
<h3><code>${route.method} ${escapeHtml(route.path)}</code></h3>
<p>${escapeHtml(descriptionOf(route).summary)}. <small>${authNote(route)}, ${escapeHtml(mediaOf(route).join(' or '))}</small></p>
<p><small>Errors: ${errorsOf(route)
  .map((code) => `<a href="#${code}">${code}</a>`)
  .join(', ')}</small></p>
</article>`;

const codeRow = ([code, { status, title, retryable }]: [
  string,
  { status: number; title: string; retryable: boolean },
]) =>
  `<tr id="${code}"><td><code>${code}</code></td><td>${status}</td><td>${escapeHtml(title)}</td><td>${retryable ? 'yes' : ''}</td></tr>`;

/** The API for people: every route and every error code. Plain HTML, so that the content policy needs no exception. */
export function apiPage(routes: readonly Route[]): string {
  const tags = [...new Set(routes.map((route) => descriptionOf(route).tag))];
  const sections = tags.map(
    (tag) =>
      `<h2>${escapeHtml(tag)}</h2>${routes
        .filter((route) => descriptionOf(route).tag === tag)
        .map(routeSection)
        .join('')}`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Castellan API</title><link rel="stylesheet" href="/docs/style.css"></head><body><main>
<h1>Castellan API</h1>
<p>The machine-readable description with every schema: <a href="/api/v1/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
${sections.join('\n')}
<h2>Error codes</h2>
<table><thead><tr><th>code</th><th>status</th><th>meaning</th><th>try again</th></tr></thead>
<tbody>${Object.entries(errorCodes).map(codeRow).join('\n')}</tbody></table>
</main></body></html>`;
}

export const apiPageStyle = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
main{max-width:60rem;margin:0 auto;padding:1rem}article{border-top:1px solid #8884;padding:.5rem 0}
h3{margin:.25rem 0;font-size:1rem}small{opacity:.75}table{border-collapse:collapse;width:100%}
td,th{border-bottom:1px solid #8884;padding:.25rem .5rem;text-align:left}:target{background:#fc04}`;
