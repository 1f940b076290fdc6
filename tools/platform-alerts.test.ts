import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { Archive } from '../deploy/kubernetes/src/job-settings.ts';
import { missingRules } from '../deploy/kubernetes/src/missing.ts';
import { readConfiguration } from '../deploy/kubernetes/src/read.ts';
import {
  boardOf,
  datasourcesOf,
  pagesIn,
  queriesOf,
  queriesOfPages,
  read,
  root,
  rulesOf,
  testAlerts,
  testQueries,
} from './alert-checks.fixture.ts';
import { serviceMetrics } from './service-metrics.ts';

const ruleFiles = globSync('deploy/prometheus/rules/*.yml', { cwd: root }).filter(
  (file) => !file.includes('/validator'),
);
const rules = ruleFiles.flatMap(rulesOf);
const alerts = rules.filter(({ alert }) => alert !== undefined);
/** Of Kubernetes alone, and tested there: what archives elsewhere is the operator's. */
const archiving = {
  ...readConfiguration(join(root, 'deploy/kubernetes/example.yaml')),
  archive: Archive.parse({ chains: [1] }),
};
const ofKubernetes = missingRules(archiving).filter(({ alert }) => alert === 'ArchiveFailed');
const pages = pagesIn('docs/runbooks', 'alerts.md');
const boards = globSync('deploy/grafana/dashboards/*.json', { cwd: root })
  .filter((file) => basename(file) !== 'validators.json')
  .map(boardOf);
const queries = [...boards.flatMap(queriesOf), ...queriesOfPages(pages)];

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

type Described = { name: string; labelNames?: readonly string[] };
function learn({ name, labelNames = [] }: Described, isHistogram: boolean): void {
  const labels = new Set([...labelNames, ...everywhere]);
  if (!isHistogram) known.set(name, labels);
  else for (const suffix of ['_bucket', '_sum', '_count']) known.set(`${name}${suffix}`, new Set([...labels, 'le']));
}

beforeAll(async () => {
  for (const metrics of (await serviceMetrics()).values())
    for (const { name, labels, type } of metrics) learn({ name, labelNames: labels }, type === 'histogram');
  for (const [name, labelNames] of Object.entries(exported)) learn({ name, labelNames }, false);
  for (const { record } of rules) if (record) known.set(record, undefined);
  for (const name of ['ALERTS', 'up']) known.set(name, undefined);
});

const families =
  /\b(?:ALERTS|(?:http|action|mongo|mongodb|bus|durable|outbox|nodejs|process|vaults|analytics|rpc|keeper|ai|alerts|notifications|auth|backup|peer|jwt|snapshot|sse|csp|revoked|users|gnatsd|jetstream|probe)_\w+|group:[\w:]+|castellan_[\w:]+)\b/g;
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
  testAlerts({ alerts: [...alerts, ...ofKubernetes], pages, folder: 'docs/runbooks', advice: 'action', moreThan: 40 });

  test('behavior: the page of operators lists each', () => {
    const page = read('docs/operations/alerts.md');
    for (const { alert } of [...alerts, ...ofKubernetes]) expect(page).toContain(`[${alert}](../runbooks/${alert}.md)`);
  });

  test('behavior: whatever is scraped pages when it does not answer, as what it shows is silent then', () => {
    const { scrape_configs: jobs } = parse(read('deploy/prometheus/prometheus.yml')) as {
      scrape_configs: { job_name: string }[];
    };
    const critical = globSync('deploy/prometheus/rules/*.yml', { cwd: root })
      .flatMap(rulesOf)
      .filter(({ labels }) => labels?.severity === 'critical');
    const isPaged = (job: string) => critical.some(({ expr }) => expr.includes(`up{job="${job}"} == 0`));
    expect(jobs.map(({ job_name: job }) => [job, isPaged(job)])).toEqual(jobs.map(({ job_name: job }) => [job, true]));
  });

  test('behavior: every alert fires in a test of its rules', () => {
    const tests = globSync('deploy/prometheus/tests/*.yml', { cwd: root }).map(read).join('\n');
    const isTested = (alert = '') => new RegExp(`alertname(="|: )${alert}\\b`).test(tests);
    expect(alerts.map(({ alert }) => alert).filter((alert) => !isTested(alert))).toEqual([]);
  });

  test('behavior: rules, pages and dashboards ask for metrics and labels that services and exporters have', () => {
    for (const query of [...rules.map(({ expr }) => expr), ...queries])
      expect([query, strangersIn(query)]).toEqual([query, []]);
  });

  test('error: a metric that nobody exports and a label that it does not have are found', () => {
    expect(strangersIn('rate(vaults_reorg_total[5m])')).toEqual(['vaults_reorg_total']);
    expect(strangersIn('sum by (chain) (vaults_reorgs_total{chain="1"})')).toEqual(['vaults_reorgs_total{chain}']);
    expect(strangersIn('http_request_duration_seconds{route="/"}')).toEqual(['http_request_duration_seconds']);
  });
});

describe('the dashboards of the platform', () => {
  test('default: are the overview, the indexer, the keeper, the analyst and the vaults, by the datasource that Grafana has', () => {
    expect(boards.map(({ uid }) => uid).sort()).toEqual([
      'castellan-ai',
      'castellan-indexer',
      'castellan-keeper',
      'castellan-platform',
      'castellan-vaults',
    ]);
    for (const board of boards) {
      const { used, given } = datasourcesOf(board);
      expect([board.uid, ...used]).toEqual([board.uid, given]);
    }
  });
});

testQueries(queries);
