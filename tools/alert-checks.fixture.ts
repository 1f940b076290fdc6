import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import type { Rule } from '../deploy/kubernetes/src/rule.ts';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** The rules of a file in `deploy/prometheus`. */
export const rulesOf = (file: string): Rule[] =>
  (parse(read(file)) as { groups: { rules: Rule[] }[] }).groups.flatMap(({ rules }) => rules);

/** A dashboard of Grafana, as far as tests read it. */
export type Board = {
  uid: string;
  panels: { title: string; type: string; targets?: { expr: string }[] }[];
  templating: { list: { query: string }[] };
};
export const boardOf = (file: string): Board => JSON.parse(read(file));

/** What a dashboard asks Prometheus. */
export const queriesOf = ({ panels, templating }: Board): string[] => [
  ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ...templating.list.map(({ query }) => query),
];

/** The page of each alert in a folder, beside the one that lists them. */
export const pagesIn = (folder: string, list: string): string[] =>
  globSync(`${folder}/*.md`, { cwd: root }).filter((file) => basename(file) !== list);

/** What pages ask Prometheus. */
export const queriesOfPages = (pages: readonly string[]): string[] =>
  pages.flatMap((file) => [...read(file).matchAll(/--data-urlencode 'query=([^']+)'/g)].map(([, query]) => `${query}`));

/** Data sources named by a dashboard, and the one that Grafana has. */
export function datasourcesOf(board: Board): { used: string[]; given: string } {
  const { datasources } = parse(read('deploy/grafana/provisioning/datasources/prometheus.yml')) as {
    datasources: { uid: string }[];
  };
  const used = new Set(JSON.stringify({ ...board, uid: undefined }).match(/"uid":"[^"]+"/g));
  return { used: [...used], given: `"uid":"${datasources[0]?.uid}"` };
}

type Alerts = {
  alerts: readonly Rule[];
  pages: readonly string[];
  folder: string;
  advice: 'action' | 'description';
  moreThan: number;
};

/** What holds of the alerts of the platform and of those of the validators. */
export function testAlerts({ alerts, pages, folder, advice, moreThan }: Alerts): void {
  test(`behavior: each has a severity, a summary, its ${advice}, and a page`, () => {
    expect(alerts.length).toBeGreaterThan(moreThan);
    for (const { alert, labels, annotations } of alerts) {
      expect([alert, labels?.severity]).toEqual([alert, expect.stringMatching(/^(critical|warning|info)$/)]);
      const runbook_url = `${folder}/${alert}.md`;
      const expected = { summary: expect.any(String), [advice]: expect.any(String), runbook_url };
      expect([alert, annotations]).toEqual([alert, expected]);
    }
  });

  test('behavior: every alert has a page, and every page an alert', () => {
    const named = new Set(alerts.map(({ alert }) => `${folder}/${alert}.md`));
    expect([...pages].sort()).toEqual([...named].sort());
  });

  test('behavior: no page and no alert asks for a command of the repository, which an installation has not', () => {
    const texts = [...pages.map(read), ...alerts.map(({ annotations }) => JSON.stringify(annotations))];
    for (const text of texts) expect(text).not.toMatch(/\bnpm (run|start|ci)\b|\bnode tools\/|with-node\.sh/);
  });

  test.each(pages)(
    'behavior: %s says what it means, whom it affects, how to look, what to do, and when it is over',
    (file) => {
      const text = read(file);
      expect(text).toMatch(new RegExp(`^# ${basename(file, '.md')}\n\nSeverity: `));
      expect([...text.matchAll(/^## (.*)$/gm)].map(([, title]) => title)).toEqual([
        'What it means',
        'Who is affected',
        'How to look',
        'What to do',
        'When to escalate',
        'How to know it is over',
      ]);
    },
  );
}

/** Whether a program is here; on CI all are wanted. */
export const hasTool = (tool: string): boolean =>
  process.env.CI === 'true' || spawnSync(tool, ['--version']).error === undefined;

/** Every query of dashboards and pages is PromQL. */
export function testQueries(queries: readonly string[]): void {
  (hasTool('promtool') ? test : test.skip)('behavior: every query of a dashboard and of a page is PromQL', () => {
    const rules = queries
      .filter((query) => !query.startsWith('label_values'))
      .map((expr, index) => ({ record: `query:${index}`, expr: expr.replaceAll('$__rate_interval', '5m') }));
    const folder = mkdtempSync(join(tmpdir(), 'castellan-queries-'));
    try {
      const file = join(folder, 'queries.yml');
      writeFileSync(file, JSON.stringify({ groups: [{ name: 'queries', rules }] }));
      const { status, stderr } = spawnSync('promtool', ['check', 'rules', file], { encoding: 'utf8' });
      expect({ status, stderr }).toEqual({ status: 0, stderr: expect.any(String) });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}
