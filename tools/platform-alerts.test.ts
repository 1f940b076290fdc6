import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRegistry, type Registry } from '@castellan/service-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { createDurableMetrics } from '../packages/service-kit/src/durable/telemetry.ts';
import { modelMeter } from '../services/ai/src/analyst/langchain/usage.ts';
import { aiMetrics } from '../services/ai/src/telemetry/metrics.ts';
import { analyticsMetrics } from '../services/analytics/src/telemetry.ts';
import { authMetrics } from '../services/auth/src/telemetry.ts';
import { gatewayMetrics } from '../services/gateway/src/telemetry.ts';
import { deliveryMetrics } from '../services/users/src/alerts/delivery/telemetry.ts';
import { evaluationMetrics } from '../services/users/src/alerts/evaluator/telemetry.ts';
import { keeperMetrics } from '../services/vaults/src/keeper/telemetry.ts';
import { vaultsMetrics } from '../services/vaults/src/telemetry.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const read = (file: string) => readFileSync(join(root, file), 'utf8');

type Rule = {
  alert?: string;
  record?: string;
  expr: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
};
const ruleFiles = globSync('deploy/prometheus/rules/*.yml', { cwd: root }).filter(
  (file) => !file.includes('/validator'),
);
const rules = ruleFiles.flatMap((file) =>
  (parse(read(file)) as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules),
);
const alerts = rules.filter(({ alert }) => alert !== undefined);
const pages = globSync('docs/runbooks/*.md', { cwd: root }).filter((file) => basename(file) !== 'alerts.md');

type Board = {
  uid: string;
  panels: { type: string; targets?: { expr: string }[] }[];
  templating: { list: { query: string }[] };
};
const boards = globSync('deploy/grafana/dashboards/*.json', { cwd: root })
  .filter((file) => basename(file) !== 'validators.json')
  .map((file) => JSON.parse(read(file)) as Board);
const queries = boards.flatMap(({ panels, templating }) => [
  ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ...templating.list.map(({ query }) => query),
]);
const looks = pages.flatMap((file) =>
  [...read(file).matchAll(/--data-urlencode 'query=([^']+)'/g)].map(([, q]) => `${q}`),
);

/**
 * What the exporters of docker-compose.yml show of bus, store and public address, as their sources name it:
 * prometheus-nats-exporter 0.17 (collector/jsz.go, healthz.go; /varz by its keys), mongodb_exporter 0.51 without compatible mode
 * (serverStatus as ss, replSetGetStatus as rs, dbStats), blackbox_exporter 0.25.
 */
const exported: Readonly<Record<string, readonly string[]>> = {
  gnatsd_healthz_status: ['server_id'],
  gnatsd_varz_slow_consumers: ['server_id'],
  gnatsd_varz_in_msgs: ['server_id'],
  gnatsd_varz_out_msgs: ['server_id'],
  jetstream_server_total_message_bytes: ['server_name'],
  jetstream_server_max_storage: ['server_name'],
  jetstream_stream_total_bytes: ['stream_name', 'is_stream_leader'],
  jetstream_consumer_num_pending: ['stream_name', 'consumer_name', 'is_consumer_leader'],
  jetstream_consumer_num_redelivered: ['stream_name', 'consumer_name', 'is_consumer_leader'],
  mongodb_up: [],
  mongodb_rs_members_health: ['member_idx', 'member_state'],
  mongodb_rs_members_state: ['member_idx', 'member_state'],
  mongodb_rs_members_optimeDate: ['member_idx', 'member_state'],
  mongodb_ss_connections: ['conn_type'],
  mongodb_dbstats_fsUsedSize: ['database'],
  mongodb_dbstats_fsTotalSize: ['database'],
  mongodb_dbstats_storageSize: ['database'],
  mongodb_dbstats_indexSize: ['database'],
  probe_success: [],
  probe_http_status_code: [],
  probe_ssl_earliest_cert_expiry: [],
};

/** Label names by metric; undefined for a recorded one, whose labels its rule decides. */
const known = new Map<string, ReadonlySet<string> | undefined>();
/** Labels that scraping adds, and the default one of our registries. */
const everywhere = ['job', 'instance', 'service'];

type Described = { name: string; labelNames?: readonly string[]; type?: string };
function learn({ name, labelNames = [] }: Described, isHistogram: boolean): void {
  const labels = new Set([...labelNames, ...everywhere]);
  if (!isHistogram) known.set(name, labels);
  else for (const suffix of ['_bucket', '_sum', '_count']) known.set(`${name}${suffix}`, new Set([...labels, 'le']));
}

/** Every metric of the services that their own functions make. */
function registry(): Registry {
  const made = createRegistry('test');
  createDurableMetrics(made);
  gatewayMetrics(made);
  authMetrics(made);
  vaultsMetrics(made);
  analyticsMetrics(made);
  deliveryMetrics(made, Date.now);
  evaluationMetrics(made, Date.now);
  aiMetrics(made);
  modelMeter(made, 'test', { inputPerMillion: 1, outputPerMillion: 1 });
  return made;
}

beforeAll(async () => {
  // The keeper is a process of its own and has metrics of the same names.
  const keeper = createRegistry('keeper');
  keeperMetrics(keeper);
  for (const each of [registry(), keeper]) {
    const types = new Map((await each.getMetricsAsJSON()).map(({ name, type }) => [name, String(type)]));
    for (const metric of each.getMetricsAsArray() as unknown as Described[])
      learn(metric, types.get(metric.name) === 'histogram');
  }
  // Made together with a broker or a connection, which a unit test has not.
  for (const file of ['broker', 'mongo']) {
    const source = read(`packages/service-kit/src/${file}.ts`);
    for (const [, kind, name, labels] of source.matchAll(
      /new (Histogram|Counter)\(\{\s*name: '(\w+)',[\s\S]*?labelNames: \[([^\]]*)\]/g,
    ))
      learn(
        { name: `${name}`, labelNames: [...`${labels}`.matchAll(/'(\w+)'/g)].map(([, label]) => `${label}`) },
        kind === 'Histogram',
      );
  }
  for (const [name, labelNames] of Object.entries(exported)) learn({ name, labelNames }, false);
  for (const { record } of rules) if (record) known.set(record, undefined);
  for (const name of ['ALERTS', 'up']) known.set(name, undefined);
});

const families =
  /\b(?:ALERTS|(?:http|action|mongo|mongodb|bus|durable|outbox|nodejs|process|vaults|analytics|rpc|keeper|ai|alerts|notifications|auth|jwt|snapshot|sse|csp|revoked|users|gnatsd|jetstream|probe)_\w+|group:[\w:]+|castellan_[\w:]+)\b/g;
const withoutValues = (query: string) => query.replaceAll(/"[^"]*"/g, '""');

/** Names that a query asks for and nobody exports, and labels that a metric does not have. */
function strangersIn(query: string): string[] {
  const bare = withoutValues(query).replaceAll(/\b(?:by|on|ignoring|group_left|group_right) \([^)]*\)/g, '');
  const outside = bare.replaceAll(/\{[^}]*\}/g, '');
  const names = (outside.match(families) ?? []).filter((name) => !known.has(name));
  const labels = [...bare.matchAll(/([a-zA-Z_:][\w:]*)\{([^}]*)\}/g)].flatMap(([, name = '', selector = '']) => {
    const allowed = known.get(name);
    if (!allowed) return [];
    const asked = [...selector.matchAll(/(\w+)\s*(?:=~|!=|!~|=)/g)].map(([, label]) => `${label}`);
    return asked.filter((label) => !allowed.has(label)).map((label) => `${name}{${label}}`);
  });
  return [...names, ...labels];
}

describe('the alerts of the platform', () => {
  test('behavior: each has a severity, a summary, what to do, and a page', () => {
    expect(alerts.length).toBeGreaterThan(40);
    for (const { alert, labels, annotations } of alerts) {
      expect([alert, labels?.severity]).toEqual([alert, expect.stringMatching(/^(critical|warning|info)$/)]);
      const runbook_url = `docs/runbooks/${alert}.md`;
      expect([alert, annotations]).toEqual([
        alert,
        { summary: expect.any(String), action: expect.any(String), runbook_url },
      ]);
    }
  });

  test('behavior: every alert has a page, and every page an alert', () => {
    const named = new Set(alerts.map(({ alert }) => `${alert}.md`));
    expect(pages.map((file) => basename(file)).sort()).toEqual([...named].sort());
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

  test('behavior: the page of operators lists each', () => {
    const page = read('docs/operations/alerts.md');
    for (const { alert } of alerts) expect(page).toContain(`[${alert}](../runbooks/${alert}.md)`);
  });

  test('behavior: every alert fires in a test of its rules', () => {
    const tests = globSync('deploy/prometheus/tests/*.yml', { cwd: root }).map(read).join('\n');
    const isTested = (alert = '') => new RegExp(`alertname(="|: )${alert}\\b`).test(tests);
    expect(alerts.map(({ alert }) => alert).filter((alert) => !isTested(alert))).toEqual([]);
  });

  test('behavior: rules, pages and dashboards ask for metrics and labels that services and exporters have', () => {
    for (const query of [...rules.map(({ expr }) => expr), ...looks, ...queries])
      expect([query, strangersIn(query)]).toEqual([query, []]);
  });

  test('error: a metric that nobody exports and a label that it does not have are found', () => {
    expect(strangersIn('rate(vaults_reorg_total[5m])')).toEqual(['vaults_reorg_total']);
    expect(strangersIn('sum by (chain) (vaults_reorgs_total{chain="1"})')).toEqual(['vaults_reorgs_total{chain}']);
    expect(strangersIn('http_request_duration_seconds{route="/"}')).toEqual(['http_request_duration_seconds']);
  });
});

describe('the dashboards of the platform', () => {
  test('default: are the overview, the indexer, the keeper and the analyst, by the datasource that Grafana has', () => {
    expect(boards.map(({ uid }) => uid).sort()).toEqual([
      'castellan-ai',
      'castellan-indexer',
      'castellan-keeper',
      'castellan-platform',
    ]);
    const { datasources } = parse(read('deploy/grafana/provisioning/datasources/prometheus.yml')) as {
      datasources: { uid: string }[];
    };
    for (const board of boards) {
      const used = new Set(JSON.stringify({ ...board, uid: undefined }).match(/"uid":"[^"]+"/g));
      expect([board.uid, ...used]).toEqual([board.uid, `"uid":"${datasources[0]?.uid}"`]);
    }
  });
});

const folder = mkdtempSync(join(tmpdir(), 'castellan-platform-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const hasPromtool = spawnSync('promtool', ['--version']).error === undefined;

(hasPromtool || process.env.CI === 'true' ? test : test.skip)(
  'behavior: every query of a dashboard and of a page is PromQL',
  () => {
    const exprs = [...queries.filter((query) => !query.startsWith('label_values')), ...looks];
    const recorded = exprs.map((expr, index) => ({
      record: `query:${index}`,
      expr: expr.replaceAll('$__rate_interval', '5m'),
    }));
    const file = join(folder, 'queries.yml');
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'queries', rules: recorded }] }));
    const { status, stderr } = spawnSync('promtool', ['check', 'rules', file], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.any(String) });
  },
);
