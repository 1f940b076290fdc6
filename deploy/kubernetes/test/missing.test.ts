import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Archive } from '../src/job-settings.ts';
import { missingRules } from '../src/missing.ts';
import { repository } from '../src/repository.ts';
import { workloadsOf } from '../src/workloads.ts';
import { readExample } from './snapshot.ts';

const example = { ...readExample(), archive: Archive.parse({ chains: [1] }) };
const rules = missingRules(example);
const services = [...workloadsOf(example).keys()];

/** A sample each minute for a quarter of an hour. */
const seriesOf = (job: string, labels: string, values = '1x15') => ({
  series: `up{job="${job}",namespace="castellan",${labels}}`,
  values,
});
const jobOf = (name: string, values: string) => ({
  series: `kube_job_failed{namespace="castellan",job_name="${name}",condition="true"}`,
  values,
});
const natsOf = (instance: string) => [
  seriesOf('nats', `instance="${instance}"`),
  {
    series: `gnatsd_healthz_status{namespace="castellan",instance="${instance}",server_id="of ${instance}"}`,
    values: '0x15',
  },
];
const nats = ['nats-0', 'nats-1', 'nats-2'].flatMap(natsOf);
const whole = [
  ...services.map((service) => seriesOf('castellan', `service="${service}",instance="${service}"`)),
  ...nats,
  seriesOf('mongodb', 'instance="m"'),
  seriesOf('castellan-validator', 'node="oracle-0",instance="o"'),
  jobOf('backup-1', '0x15'),
  jobOf('archive-log-1-1', '0x15'),
];
type Series = (typeof whole)[number];

/** What promtool says of the alerts of one name after ten minutes. */
function judge(series: readonly Series[], alertname: string, labels: readonly Record<string, string>[], value = '2') {
  const folder = mkdtempSync(join(tmpdir(), 'castellan-missing-'));
  try {
    // JSON is YAML, too.
    writeFileSync(join(folder, 'rules.yml'), JSON.stringify({ groups: [{ name: 'missing', rules }] }));
    const firing = labels.map((exp_labels) => ({ exp_labels: { severity: 'critical', ...exp_labels } }));
    const expected = firing.map((alert) => ({
      ...alert,
      exp_annotations: annotationsOf(alertname, alert.exp_labels, value),
    }));
    const tests = [
      {
        interval: '1m',
        input_series: series,
        alert_rule_test: [{ eval_time: '10m', alertname, exp_alerts: expected }],
      },
    ];
    writeFileSync(join(folder, 'test.yml'), JSON.stringify({ rule_files: ['rules.yml'], tests }));
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', join(folder, 'test.yml')], {
      encoding: 'utf8',
      env: { ...process.env, GOGC: 'off', GOMEMLIMIT: '400MiB' },
    });
    return { status, said: `${stdout}${stderr}` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const annotationsOf = (alertname: string, labels: Record<string, string>, value: string) => {
  const { service = '', node = '', quorum } = labels;
  const rule = rules.find(
    ({ alert, expr, labels: given }) =>
      alert === alertname && expr.includes(service) && expr.includes(node) && given?.quorum === quorum,
  );
  const { summary = '', ...more } = rule?.annotations ?? {};
  return {
    ...more,
    summary: summary.replace('{{ $value }}', value).replace('{{ $labels.job_name }}', `${labels.job_name}`),
  };
};
const passes = { status: 0, said: expect.not.stringContaining('FAILED') };
const hasPromtool = process.env.CI === 'true' || spawnSync('promtool', ['--version']).error === undefined;
const withPromtool = hasPromtool ? test : test.skip;

test('default: each workload, the servers of the bus, the exporter and each validator are missed, with a page that exists', () => {
  expect(rules.map(({ alert }) => alert)).toEqual([
    ...services.map(() => 'ServiceDown'),
    'BusDown',
    'BusDown',
    'StoreDown',
    'ValidatorDown',
    'BackupFailed',
    'ArchiveFailed',
  ]);
  for (const { annotations } of rules)
    expect([annotations?.runbook_url, existsSync(repository(`${annotations?.runbook_url}`))]).toEqual([
      annotations?.runbook_url,
      true,
    ]);
});

withPromtool.each(['ServiceDown', 'BusDown', 'StoreDown', 'ValidatorDown', 'BackupFailed', 'ArchiveFailed'])(
  'behavior: %s says nothing while all are there',
  (alertname) => expect(judge(whole, alertname, [])).toEqual(passes),
);

const without = (text: string) => whole.filter(({ series }) => !series.includes(text));
const of = { namespace: 'castellan' };

withPromtool.each([
  ['a service', 'ServiceDown', without('service="vaults"'), [{ ...of, job: 'castellan', service: 'vaults' }]],
  ['one server of the bus', 'BusDown', without('nats-1'), [{}]],
  ['the exporter', 'StoreDown', without('mongodb'), [{ ...of, job: 'mongodb' }]],
  ['a validator', 'ValidatorDown', without('oracle-0'), [{ ...of, job: 'castellan-validator', node: 'oracle-0' }]],
])('error: %s that has no pod pages %s', (_name, alertname, series, labels) => {
  expect(judge(series, alertname, labels)).toEqual(passes);
});

withPromtool('error: with most servers of the bus away, the alert says so by a label', () => {
  const series = without('nats-1').filter(({ series: name }) => !name.includes('nats-2'));
  const said = judge(series, 'BusDown', [{}, { quorum: 'lost' }], '1');
  expect(said).toEqual(passes);
});

withPromtool('error: a server of the bus that died beside its exporter is away, though the exporter answers', () => {
  const series = whole.filter(({ series: name }) => !/^gnatsd.*nats-[12]/.test(name));
  expect(judge(series, 'BusDown', [{}, { quorum: 'lost' }], '1')).toEqual(passes);
});

withPromtool('error: a backup that failed pages while its job is there', () => {
  const series = [...whole, jobOf('backup-2', '1x15'), jobOf('archive-log-1-2', '1x15'), jobOf('backup-shell', '1x15')];
  expect(judge(series, 'BackupFailed', [{ job_name: 'backup-2' }])).toEqual(passes);
});

withPromtool('error: an archive of a chain that failed is a ticket while its job is there', () => {
  const series = [
    ...whole,
    jobOf('archive-log-1-2', '1x15'),
    jobOf('archive-log-1', '1x15'),
    jobOf('backup-2', '1x15'),
  ];
  const labels = [{ severity: 'warning', job_name: 'archive-log-1-2' }];
  expect(judge(series, 'ArchiveFailed', labels)).toEqual(passes);
});

test('behavior: where nothing is archived or backed up by a schedule, no rule asks for its jobs', () => {
  const { archive: _, backup: __, ...without } = example;
  const asked = missingRules(without).filter(({ expr }) => expr.includes('kube_job'));
  expect(asked).toEqual([]);
});

withPromtool('error: a service of the same name in another namespace is not taken for it', () => {
  const elsewhere = whole.map((each) =>
    each.series.includes('service="vaults"')
      ? { ...each, series: each.series.replace('"castellan",s', '"other",s') }
      : each,
  );
  const labels = [{ ...of, job: 'castellan', service: 'vaults' }];
  expect(judge(elsewhere, 'ServiceDown', labels)).toEqual(passes);
});
