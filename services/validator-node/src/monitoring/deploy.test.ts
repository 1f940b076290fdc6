import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { dashboard, dashboardFile } from './dashboard.ts';
import { createMetrics } from './metrics.ts';

const root = join(dashboardFile, '../../../../..');
const prometheus = join(root, 'deploy/prometheus');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

type Rule = {
  alert?: string;
  record?: string;
  expr: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
};
const rules = globSync('deploy/prometheus/rules/*.yml', { cwd: root })
  .flatMap((file) => (parse(read(file)) as { groups: { rules: Rule[] }[] }).groups)
  .flatMap((group) => group.rules);
const alerts = rules.filter((rule) => rule.alert !== undefined);

/** Every series name a node serves. */
function servedNames(): Set<string> {
  const options = {
    chains: [{ chainId: 1, strategies: [] }],
    version: '1',
    now: Date.now,
    healthCheckIntervalMs: 1,
    tickMs: 1,
  };
  const { registry } = createMetrics({ ...options, processMetrics: false });
  const metrics = registry.getMetricsAsArray() as unknown as { name: string; type: string }[];
  return new Set(
    metrics.flatMap(({ name }) => [name, ...['bucket', 'sum', 'count'].map((suffix) => `${name}_${suffix}`)]),
  );
}

describe('what asks for metrics', () => {
  const served = servedNames();
  test.each([...rules.map(({ expr, alert, record }) => [alert ?? record, expr]), ['the dashboard', dashboard()]])(
    'behavior: %s asks only for what a node serves',
    (_, text) => {
      for (const [name] of String(text).matchAll(/\bocr2_\w+/g)) expect(served).toContain(name);
    },
  );

  test('behavior: the dashboard is what its source makes', () => {
    expect(JSON.parse(readFileSync(dashboardFile, 'utf8'))).toEqual(JSON.parse(dashboard()));
  });
});

describe('alerts', () => {
  test.each(alerts.map((rule) => [rule.alert, rule] as const))(
    'behavior: %s says what to do and has a page',
    (name, rule) => {
      expect(rule.labels?.severity).toMatch(/^(critical|warning|info)$/);
      expect(rule.annotations).toMatchObject({ summary: expect.any(String), action: expect.any(String) });
      const page = rule.annotations?.runbook_url as string;
      expect(page).toMatch(/^docs\/runbooks\/[a-z-]+\.md$/);
      expect(read(page)).toMatch(new RegExp(`^# ${name}\n`));
      for (const part of ['What it means', 'Where to look', 'What to do']) expect(read(page)).toContain(`## ${part}\n`);
    },
  );

  test('behavior: there are alerts to test', () => expect(alerts.length).toBeGreaterThan(20));

  test('behavior: every page belongs to an alert and is in the index', () => {
    const pages = new Set(alerts.map(({ annotations }) => annotations?.runbook_url));
    for (const file of globSync('docs/runbooks/*.md', { cwd: root })) {
      if (file.endsWith('README.md')) continue;
      expect(pages).toContain(file);
      expect(read('docs/runbooks/README.md')).toContain(`(${file.split('/').at(-1)})`);
    }
  });

  const tool = (name: string, ...args: string[]) => {
    const result = spawnSync(name, args, { cwd: prometheus, encoding: 'utf8' });
    if (result.error === undefined) return result;
    if (process.env.CI === 'true' && name === 'promtool')
      throw new Error('promtool is missing; install the prometheus package.');
    process.stderr.write(`${name} is not on the path: its files are parsed but not checked.\n`);
    return undefined;
  };

  test('behavior: promtool accepts the rules and what they do in time', () => {
    for (const args of [
      ['check', 'rules', 'rules/validators.yml'],
      ['test', 'rules', 'tests/validators.test.yml'],
    ]) {
      const result = tool('promtool', ...args);
      if (result)
        expect([result.status, result.stdout + result.stderr]).toEqual([0, expect.not.stringContaining('FAILED')]);
    }
  });

  test('behavior: amtool accepts the alertmanager’s configuration', () => {
    const result = tool('amtool', 'check-config', 'alertmanager.yml');
    if (result) expect([result.status, result.stdout + result.stderr]).toEqual([0, expect.stringContaining('SUCCESS')]);
  });
});

describe('what mutes what', () => {
  type Labels = Record<string, string>;
  const { inhibit_rules } = parse(read('deploy/prometheus/alertmanager.yml')) as {
    inhibit_rules: { source_matchers: string[]; target_matchers: string[]; equal: string[] }[];
  };

  /** As Alertmanager matches: a missing label is an empty one. */
  const matches = (matchers: readonly string[], labels: Labels) =>
    matchers.every((matcher) => {
      const [, name, operator, value] = /^(\w+)(=~|!~|!=|=)"(.*)"$/.exec(matcher) as unknown as [
        string,
        string,
        string,
        string,
      ];
      const found = labels[name] ?? '';
      const is = operator.endsWith('~') ? new RegExp(`^(?:${value})$`).test(found) : found === value;
      return operator.startsWith('!') ? !is : is;
    });
  const mutes = (source: Labels, target: Labels) =>
    inhibit_rules.some(
      (rule) =>
        matches(rule.source_matchers, source) &&
        matches(rule.target_matchers, target) &&
        rule.equal.every((label) => (source[label] ?? '') === (target[label] ?? '')),
    );
  const strategy = (alertname: string, more: Labels = {}): Labels => ({
    alertname,
    instance: 'n',
    chain_id: '1',
    strategy: 'a',
    severity: 'warning',
    ...more,
  });
  const down = { alertname: 'ValidatorDown', instance: 'n', severity: 'critical' };

  test.each([
    ['a node that is down mutes its strategies', down, strategy('StrategyStale'), true],
    ['but not those of another node', down, strategy('StrategyStale', { instance: 'm' }), false],
    ['nor that another is down', down, { ...down, instance: 'm' }, false],
    ['nor itself', down, { ...down }, false],
    ['paused mutes stale', strategy('StrategyPaused'), strategy('StrategyStale'), true],
    [
      'paused mutes what other nodes say of it too',
      strategy('StrategyPaused'),
      strategy('StrategyStale', { instance: 'm' }),
      true,
    ],
    ['paused mutes no other strategy', strategy('StrategyPaused'), strategy('StrategyStale', { strategy: 'b' }), false],
    [
      'paused mutes no failed transmission',
      strategy('StrategyPaused'),
      { alertname: 'TransmitFailures', instance: 'n', chain_id: '1' },
      false,
    ],
    ['unfunded takes the place of stale', strategy('StrategyUnfunded'), strategy('StrategyStale'), true],
    ['stale does not mute unfunded', strategy('StrategyStale'), strategy('StrategyUnfunded'), false],
    [
      'critical mutes the warning of the same',
      strategy('StrategyStale', { severity: 'critical' }),
      strategy('StrategyStale'),
      true,
    ],
  ] as [string, Labels, Labels, boolean][])('behavior: %s', (_, source, target, muted) => {
    expect(mutes(source, target)).toBe(muted);
  });

  test('behavior: each named alert exists', () => {
    const names = new Set(alerts.map(({ alert }) => alert));
    const text = read('deploy/prometheus/alertmanager.yml');
    for (const [, list] of text.matchAll(/alertname=~?"([\w|]+)"/g))
      for (const name of (list as string).split('|')) expect(names).toContain(name);
  });
});
