import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type {
  ServiceMonitor as MonitorModel,
  Probe as ProbeModel,
  PrometheusRule as RuleModel,
} from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import { Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import type { IConfigMap } from 'kubernetes-models/v1';
import { parse } from 'yaml';
import type { Configuration } from './configuration.ts';
import { inhibitionsOf } from './inhibitions.ts';
import { add, type Plain } from './manifest.ts';
import { missingRules } from './missing.ts';
import { labelsOf, partOf } from './pod.ts';
import { bytesOf } from './quantity.ts';
import { repository } from './repository.ts';
import type { Rule } from './rule.ts';
import { jobLabel, settingsOf } from './services.ts';
import { workloadsOf } from './workloads.ts';

type Groups = { groups: { name: string; rules: Rule[] }[] };

/** Every 15 s, as in deploy/prometheus: rules count on it. */
const interval = '15s';

/** Rules of what may be left out, and would say that it is down. */
function isWatched(file: string, { services, validators, monitoring }: Configuration): boolean {
  if (file === 'keeper') return services.keeper !== undefined;
  if (file === 'edge') return monitoring.prober !== undefined;
  return !file.startsWith('validator') || validators.length > 0;
}

/** Names of the files with rules that belong to a configuration. */
export const ruleFilesOf = (configuration: Configuration): string[] =>
  globSync(repository('deploy/prometheus/rules/*.yml'))
    .map((path) => basename(path, '.yml'))
    .sort()
    .filter((file) => isWatched(file, configuration));

function linked(rule: Rule, runbooks: string | undefined): Rule {
  const page = rule.annotations?.runbook_url;
  if (!page || !runbooks) return rule;
  const runbook_url = page.replace(/^docs\/runbooks/, runbooks.replace(/\/$/, ''));
  return { ...rule, annotations: { ...rule.annotations, runbook_url } };
}

/** The limits that these manifests set take the place of those in the file. */
const memoryRules = (configuration: Configuration): Rule[] =>
  [...workloadsOf(configuration)].map(([service, { resources }]) => ({
    record: 'castellan_expected:memory_bytes',
    expr: `vector(${bytesOf((settingsOf(configuration, service).resources ?? resources).memory)})`,
    labels: { service },
  }));

/** What the operator expects of the validators takes the place of what the file says. */
function validatorRules(rules: readonly Rule[], { monitoring }: Configuration): Rule[] {
  const { validators } = monitoring;
  const given: Readonly<Record<string, number | undefined>> = {
    config_version: validators.configVersion,
    config_signers: validators.signers,
    heartbeat_seconds: validators.heartbeatSeconds,
    pps_expiration_seconds: validators.priceExpirationSeconds,
    transmission_cost_wei: validators.transmissionCostWei,
    freshness_objective: validators.freshnessObjective,
    transmit_objective: validators.transmitObjective,
  };
  const replaced = rules.map((rule) => {
    const value = given[`${rule.record}`.replace('castellan_expected:', '')];
    return value === undefined ? rule : { ...rule, expr: `vector(${value})` };
  });
  const costs = Object.entries(validators.transmissionCostWeiOf).map(([chain_id, cost]) => ({
    record: 'castellan_expected:transmission_cost_wei',
    expr: `vector(${cost})`,
    labels: { chain_id },
  }));
  return [...replaced, ...costs];
}

/** The operator of Alertmanager looks by this label whose alert it is; what sums over pods has lost it. */
const ofNamespace = (rule: Rule, namespace: string): Rule =>
  rule.alert ? { ...rule, labels: { ...rule.labels, namespace } } : rule;

function ruleOf(name: string, groups: Groups['groups'], configuration: Configuration): Plain<RuleModel> {
  const { monitoring, namespace } = configuration;
  const spec = {
    groups: groups.map((group) => ({
      ...group,
      rules: group.rules.map((rule) => ofNamespace(linked(rule, monitoring.runbooks), namespace)),
    })),
  };
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: `castellan-${name}`, labels: { ...labelsOf('rules'), ...monitoring.labels } },
    spec: spec as RuleModel['spec'],
  };
}

function groupsOf(file: string, configuration: Configuration): Groups['groups'] {
  const { groups } = parse(readFileSync(repository(`deploy/prometheus/rules/${file}.yml`), 'utf8')) as Groups;
  return groups.map((group) => {
    if (group.name === 'process-expectations') return { ...group, rules: memoryRules(configuration) };
    if (group.name === 'validator-expectations') return { ...group, rules: validatorRules(group.rules, configuration) };
    return group;
  });
}

/** The address that people use, asked as they ask it. */
const probeOf = ({ monitoring, publicUrl }: Configuration, prober: string): Plain<ProbeModel> => ({
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'Probe',
  metadata: { name: 'castellan-public', labels: { ...labelsOf('castellan-public'), ...monitoring.labels } },
  spec: {
    jobName: 'castellan-public',
    interval,
    module: 'http_2xx',
    prober: { url: prober },
    targets: { staticConfig: { static: [publicUrl] } },
  },
});

/** The job and the port of what is scraped; the name of the Service becomes the label `service`, as in deploy/prometheus. */
const monitorOf = (name: string, port: string, jobs: string[], { monitoring }: Configuration): Plain<MonitorModel> => ({
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'ServiceMonitor',
  metadata: { name, labels: { ...labelsOf(name), ...monitoring.labels } },
  spec: {
    jobLabel,
    selector: {
      matchLabels: { 'app.kubernetes.io/part-of': partOf },
      matchExpressions: [{ key: jobLabel, operator: 'In', values: jobs }],
    },
    endpoints: [
      {
        port,
        interval,
        // Alerts name a validator by the label `node`, which elsewhere the list of targets gives it.
        ...(jobs.includes('castellan-validator') && {
          relabelings: [{ sourceLabels: ['__meta_kubernetes_pod_label_castellan_validator'], targetLabel: 'node' }],
        }),
      },
    ],
  },
});

/** What the operator of Prometheus reads: what to scrape, and the rules of deploy/prometheus. */
export function monitoringChart(scope: Construct, configuration: Configuration): Chart | undefined {
  const { monitoring, bus, store, validators, namespace } = configuration;
  if (!monitoring.operator) return undefined;
  const chart = new Chart(scope, 'monitoring', { namespace });
  add(chart, monitorOf('castellan', 'monitoring', ['castellan'], configuration));
  const exporters = [...(bus.kind === 'cluster' ? ['nats'] : []), ...(store.exporter ? ['mongodb'] : [])];
  if (exporters.length > 0) add(chart, monitorOf('castellan-exporters', 'metrics', exporters, configuration));
  if (validators.length > 0)
    add(chart, monitorOf('castellan-validators', 'metrics', ['castellan-validator'], configuration));
  if (monitoring.prober) add(chart, probeOf(configuration, monitoring.prober));
  if (monitoring.inhibitions) add(chart, inhibitionsOf(configuration));
  for (const file of ruleFilesOf(configuration)) add(chart, ruleOf(file, groupsOf(file, configuration), configuration));
  add(chart, ruleOf('missing', [{ name: 'missing', rules: missingRules(configuration) }], configuration));
  return chart;
}

/** Each dashboard of deploy/grafana, for the sidecar of Grafana that looks for the label. */
export function dashboardsChart(scope: Construct, { monitoring, namespace }: Configuration): Chart | undefined {
  if (!monitoring.dashboards) return undefined;
  const chart = new Chart(scope, 'dashboards', { namespace });
  for (const path of globSync(repository('deploy/grafana/dashboards/*.json')).sort()) {
    const name = `castellan-dashboard-${basename(path, '.json')}`;
    // Without the spaces that make it readable: the limit of a ConfigMap is near.
    const text = JSON.stringify(JSON.parse(readFileSync(path, 'utf8')));
    const manifest: IConfigMap = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, labels: { ...labelsOf('dashboards'), grafana_dashboard: '1' } },
      data: { [basename(path)]: text },
    };
    add(chart, manifest);
  }
  return chart;
}

/** Values of the chart of prometheus-adapter: the metrics that autoscalers read with `customMetrics`. */
export const adapterValues = (): unknown => {
  const perPod = (series: string, as: string, query: string) => ({
    seriesQuery: `${series}{namespace!="",pod!=""}`,
    resources: { overrides: { namespace: { resource: 'namespace' }, pod: { resource: 'pod' } } },
    name: { matches: '.*', as },
    metricsQuery: query,
  });
  const rate = (series: string) => `sum by (<<.GroupBy>>) (rate(${series}{<<.LabelMatchers>>}[2m]))`;
  const gauge = (series: string) => `max by (<<.GroupBy>>) (${series}{<<.LabelMatchers>>})`;
  return {
    rules: {
      custom: [
        perPod(
          'http_request_duration_seconds_count',
          'http_requests_per_second',
          rate('http_request_duration_seconds_count'),
        ),
        perPod('action_duration_seconds_count', 'actions_per_second', rate('action_duration_seconds_count')),
        ...['sse_connections', 'durable_pending_messages', 'ai_chat_connections'].map((series) =>
          perPod(series, series, gauge(series)),
        ),
      ],
    },
  };
};
