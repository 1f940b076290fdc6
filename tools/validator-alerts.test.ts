import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from '@castellan/service-kit';
import { freePort } from '@castellan/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { createInstruments } from '../services/validator-node/src/monitoring/instruments.ts';
import { vaultsMetrics } from '../services/vaults/src/telemetry.ts';
import {
  boardOf,
  datasourcesOf,
  hasTool,
  pagesIn,
  queriesOf,
  queriesOfPages,
  read,
  root,
  rulesOf,
  testAlerts,
  testQueries,
} from './alert-checks.fixture.ts';

const runbooks = 'docs/runbooks/validator';

const rules = ['validator', 'validator-expectations'].flatMap((name) => rulesOf(`deploy/prometheus/rules/${name}.yml`));
const alerts = rules.filter(({ alert }) => alert !== undefined);
const pages = pagesIn(runbooks, 'README.md');
const board = boardOf('deploy/grafana/dashboards/validators.json');
const queries = queriesOf(board);
const pageQueries = queriesOfPages(pages);

/** Label values by metric name and label, of the series that exist from the start; a closed label has all of its values there. */
const closed = new Map<string, Map<string, Set<string>>>();
const known = new Set(rules.flatMap(({ record }) => record ?? []));

beforeAll(async () => {
  const node = createInstruments({ chainIds: [1], version: '0', processMetrics: false }).registry;
  const vaults = new Registry();
  vaultsMetrics(vaults);
  for (const metric of [...(await node.getMetricsAsJSON()), ...(await vaults.getMetricsAsJSON())]) {
    const series = String(metric.type) === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
    for (const suffix of series) known.add(`${metric.name}${suffix}`);
    for (const { labels } of metric.values)
      for (const [label, value] of Object.entries(labels)) {
        const ofMetric = closed.get(metric.name) ?? new Map<string, Set<string>>();
        closed.set(metric.name, ofMetric.set(label, (ofMetric.get(label) ?? new Set()).add(String(value))));
      }
  }
});

const prefix = /\b(?:ocr2_|castellan_|vaults_|strategy:|chain:|node_chain:|node_strategy:)[\w:]*/g;
const withoutValues = (query: string) => query.replaceAll(/"[^"]*"/g, '""');
const unknownIn = (texts: readonly string[]) => [
  ...new Set(texts.flatMap((text) => withoutValues(text).match(prefix) ?? []).filter((name) => !known.has(name))),
];

/** Values of closed labels that a query asks for and no series has. */
function strangersIn(query: string): string[] {
  return [...query.matchAll(/(ocr2_\w+?)(?:_bucket)?\{([^}]*)\}/g)].flatMap(([, name = '', selector = '']) =>
    [...selector.matchAll(/(\w+)\s*(?:=~|!=|!~|=)\s*"([^"]*)"/g)].flatMap(([, label = '', values = '']) => {
      const allowed = closed.get(name)?.get(label);
      if (!allowed || label === 'chain_id' || label === 'version') return [];
      return values
        .split('|')
        .filter((value) => !allowed.has(value))
        .map((value) => `${name}{${label}="${value}"}`);
    }),
  );
}

describe('the alerts of the validators', () => {
  testAlerts({ alerts, pages, folder: runbooks, advice: 'description', moreThan: 20 });

  test.each(pages)('behavior: %s names a command or an address to look at', (file) => {
    expect(read(file)).toMatch(
      /castellan-validator (status|check)|query=strategy:castellan_vault|localhost|127\.0\.0\.1:9190/,
    );
  });

  test('behavior: they name metrics and label values that the code has', () => {
    expect(unknownIn(rules.map(({ expr }) => expr))).toEqual([]);
    expect(rules.flatMap(({ expr }) => strangersIn(expr))).toEqual([]);
  });

  test('behavior: pages name metrics and label values that the code has', () => {
    const names = pages.flatMap((file) => [...read(file).matchAll(/`([^`]+)`/g)].map(([, code]) => `${code}`));
    const metrics = names.filter((code) => /^(ocr2_|castellan_|node_|chain:|strategy:)/.test(code));
    expect(unknownIn([...pageQueries, ...metrics]).filter((name) => !name.endsWith('_sum'))).toEqual([]);
    expect([...pageQueries, ...metrics].flatMap(strangersIn)).toEqual([]);
  });

  test('behavior: every expectation that a rule or a page reads is set, once', () => {
    const set = rulesOf('deploy/prometheus/rules/validator-expectations.yml').map(({ record }) => record);
    const asked = rules.flatMap(({ expr }) => expr.match(/castellan_expected:\w+/g) ?? []);
    expect([...new Set(asked)].sort()).toEqual([...set].sort());
  });
});

describe('the dashboard of the validators', () => {
  test('behavior: has a row for each concern', () => {
    expect(board.panels.filter(({ type }) => type === 'row').map(({ title }) => title)).toEqual([
      'Health',
      'Freshness per strategy',
      'Rounds and epochs',
      'Phases',
      'Transmission',
      'Transactions and gas',
      'RPC',
      'Network messages',
    ]);
  });

  test('behavior: every metric and label value it names is one of the code', () => {
    expect(unknownIn(queries)).toEqual([]);
    expect(queries.flatMap(strangersIn).filter((value) => !value.includes('$'))).toEqual([]);
  });

  test('behavior: Grafana is given it, by the datasource it names', () => {
    const { providers } = parse(read('deploy/grafana/provisioning/dashboards/castellan.yml')) as {
      providers: { options: { path: string } }[];
    };
    expect(read('docker-compose.yml')).toContain(`./deploy/grafana/dashboards:${providers[0]?.options.path}:ro`);
    const { used, given } = datasourcesOf(board);
    expect(used).toEqual([given]);
  });
});

const folder = mkdtempSync(join(tmpdir(), 'castellan-alerts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
testQueries([...queries, ...pageQueries]);

type Labels = Record<string, string>;

(hasTool('prometheus-alertmanager') ? describe : describe.skip)('Alertmanager with our configuration', () => {
  let server: ChildProcess;
  let url: string;

  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    server = spawn(
      'prometheus-alertmanager',
      [
        `--config.file=${join(root, 'deploy/alertmanager/alertmanager.yml')}`,
        `--storage.path=${join(folder, 'alertmanager')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--cluster.listen-address=',
      ],
      { stdio: 'ignore' },
    );
    await eventually(async () => expect((await fetch(`${url}/-/ready`)).status).toBe(200));
  });

  afterAll(async () => {
    const exited = new Promise((resolve) => server.once('exit', resolve));
    server.kill();
    await exited;
  });

  async function eventually(check: () => Promise<void>): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await check();
      } catch (error) {
        if (tries === 1_000) throw error;
        // biome-ignore lint/plugin: it polls another process, which announces nothing
        await sleep(100);
      }
    }
  }

  /** Sends alerts, some muted and some not, and waits until exactly the former are. */
  async function expectMuted({ sources, muted, heard }: { sources: Labels[]; muted: Labels[]; heard: Labels[] }) {
    const all = [...sources, ...muted, ...heard].map((labels) => ({ labels }));
    const body = JSON.stringify(all);
    const headers = { 'content-type': 'application/json' };
    expect((await fetch(`${url}/api/v2/alerts`, { method: 'POST', headers, body })).status).toBe(200);
    await eventually(async () => {
      const found = (await (await fetch(`${url}/api/v2/alerts`)).json()) as {
        labels: Labels;
        status: { inhibitedBy: string[] };
      }[];
      const isMuted = (wanted: Labels) =>
        found.find(
          ({ labels }) =>
            JSON.stringify(Object.entries(labels).sort()) === JSON.stringify(Object.entries(wanted).sort()),
        )?.status.inhibitedBy.length;
      expect(muted.map(isMuted)).toEqual(muted.map(() => 1));
      expect(heard.map(isMuted)).toEqual(heard.map(() => 0));
    });
  }

  const stale = (node: string, more: Labels = {}) => ({
    alertname: 'StrategyStale',
    severity: 'warning',
    node,
    ...more,
  });

  test('behavior: a node that is down mutes what it says of its strategies, and no other node', () =>
    expectMuted({
      sources: [{ alertname: 'ValidatorDown', severity: 'critical', node: 'validator-1' }],
      muted: [
        stale('validator-1', { chain_id: '1', strategy: '0xA', reason: 'overdue', severity: 'critical' }),
        { alertname: 'TransmitFailures', severity: 'critical', node: 'validator-1', chain_id: '1' },
      ],
      heard: [
        stale('validator-2', { chain_id: '1', strategy: '0xA', reason: 'overdue' }),
        { alertname: 'TransmitBudgetBurn', severity: 'critical', chain_id: '1' },
      ],
    }));

  test('behavior: a validator job without any target mutes nothing', () =>
    expectMuted({
      sources: [{ alertname: 'ValidatorDown', severity: 'critical', job: 'castellan-validator' }],
      muted: [],
      heard: [stale('validator-3', { chain_id: '3', strategy: '0xA', reason: 'overdue' })],
    }));

  test('behavior: one server of the bus that is away mutes nothing, most of them what waits for it', async () => {
    const outbox = { alertname: 'OutboxStuck', severity: 'critical', service: 'users' };
    const away = { alertname: 'BusDown', severity: 'critical' };
    await expectMuted({ sources: [{ ...away, job: 'nats', instance: 'n:7777' }], muted: [], heard: [outbox] });
    await expectMuted({
      sources: [{ ...away, quorum: 'lost' }],
      muted: [outbox],
      heard: [{ alertname: 'StoreDown', severity: 'critical' }],
    });
  });

  test('behavior: a paused vault mutes the alarms about its own old price only', () => {
    const of = (chain_id: string, strategy: string) => ({ chain_id, strategy });
    return expectMuted({
      sources: [
        { alertname: 'VaultPaused', severity: 'info', ...of('4', '0xP') },
        { alertname: 'VaultPaused', severity: 'info', ...of('4', '0xR') },
      ],
      muted: [
        stale('validator-2', { ...of('4', '0xP'), reason: 'paused' }),
        { alertname: 'StrategyNotAdvancing', severity: 'warning', node: 'validator-2', ...of('4', '0xP') },
        { alertname: 'FreshnessBudgetBurn', severity: 'critical', ...of('4', '0xP') },
      ],
      heard: [
        stale('validator-2', { ...of('4', '0xQ'), reason: 'overdue' }),
        stale('validator-2', { ...of('5', '0xP'), reason: 'overdue' }),
        { alertname: 'VaultUpkeepEmpty', severity: 'warning', ...of('4', '0xR') },
        { alertname: 'TransmitFailures', severity: 'warning', node: 'validator-2', chain_id: '4' },
      ],
    });
  });

  test('behavior: an empty upkeep leaves the alarm that says unfunded, and mutes the others about the price', () => {
    const of = { chain_id: '6', strategy: '0xU' };
    return expectMuted({
      sources: [{ alertname: 'VaultUpkeepEmpty', severity: 'warning', ...of }],
      muted: [{ alertname: 'FreshnessBudgetBurn', severity: 'critical', window: '1h', ...of }],
      heard: [stale('validator-2', { ...of, reason: 'unfunded' })],
    });
  });

  test('behavior: critical mutes the warning of the same alert, and a stale price the missed heartbeat', () => {
    const of = { chain_id: '7', strategy: '0xC', node: 'validator-2' };
    return expectMuted({
      sources: [stale('validator-2', { ...of, reason: 'overdue', severity: 'critical' })],
      muted: [
        stale('validator-2', { ...of, reason: 'overdue' }),
        { alertname: 'StrategyNotAdvancing', severity: 'warning', ...of },
      ],
      heard: [{ alertname: 'StrategyNotAdvancing', severity: 'warning', ...of, strategy: '0xD' }],
    });
  });

  test('behavior: critical about one server or stream mutes no warning about another', async () => {
    const certificate = (server: string, severity: string) => ({
      alertname: 'PeerCertificateExpiring',
      severity,
      peer: 'store',
      server,
    });
    await expectMuted({
      sources: [certificate('a:27017', 'critical')],
      muted: [certificate('a:27017', 'warning')],
      heard: [certificate('b:27017', 'warning')],
    });
    const stream = (stream_name: string, severity: string) => ({ alertname: 'StreamFilling', severity, stream_name });
    await expectMuted({
      sources: [stream('A', 'critical')],
      muted: [stream('A', 'warning')],
      heard: [stream('B', 'warning')],
    });
  });
});
