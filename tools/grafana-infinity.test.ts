import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Route, routes } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import { exampleOf } from '../services/gateway/src/openapi/examples.ts';

type Target = { url: string; root_selector: string; columns: { selector: string }[] };
type Board = { panels: { title: string; targets: Target[] }[] };

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { panels } = JSON.parse(readFileSync(join(root, 'deploy/grafana/infinity/vault.json'), 'utf8')) as Board;
const targets = panels.flatMap(({ title, targets }) => targets.map((target) => ({ title, ...target })));
const all = Object.values(routes) as Route[];

/** The place of a selector in an answer; undefined where there is none. */
const at = (answer: unknown, selector: string): unknown =>
  selector === ''
    ? answer
    : selector.split('.').reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], answer);

const pathOf = (url: string) =>
  String(url.split('?')[0]).replaceAll(/\$\{(\w+)\}/g, (_, name) => `{${name === 'vault' ? 'vault_address' : name}}`);
const filled = (text: string) => text.replace(/\$\{__(from|to):date:iso\}/, '2026-01-01T00:00:00.000Z');

test.each(targets)(
  'default: $title asks for a route, with a query it takes, and for fields of its answer',
  (target) => {
    const route = all.find(({ method, path }) => method === 'GET' && path === pathOf(target.url));
    expect([target.url, route?.id]).toEqual([target.url, expect.any(String)]);
    const query = Object.fromEntries(new URLSearchParams(target.url.split('?')[1] ?? ''));
    const given = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, filled(value)]));
    expect(route?.query.safeParse(given)).toMatchObject({ success: true });
    const answer = at(exampleOf(String(route?.id))?.answer, target.root_selector);
    const row: unknown = target.root_selector === '' ? answer : (answer as unknown[])[0];
    for (const { selector } of target.columns)
      expect([target.title, selector, at(row, selector)]).toEqual([target.title, selector, expect.anything()]);
  },
);
