import { globSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { root, rulesOf } from './alert-checks.fixture.ts';
import { receiverFiles, secretFile } from './alert-receivers.ts';

const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
type Config = { route: unknown; inhibit_rules: unknown; receivers: Record<string, unknown>[] };
type Inhibition = { source_matchers: string[]; equal?: string[] };
const configOf = (text: string) => parse(text) as Config;

test('default: the receivers are made of alertmanager.yml; else run node tools/alert-receivers.ts', () => {
  for (const [name, text] of Object.entries(receiverFiles())) expect(read(`deploy/alertmanager/${name}`)).toBe(text);
});

test('behavior: each sends pages and tickets to the address of the secret, and what is for nobody nowhere', () => {
  const plain = configOf(read('deploy/alertmanager/alertmanager.yml'));
  for (const text of Object.values(receiverFiles())) {
    const { receivers, ...routes } = configOf(text);
    expect(routes).toEqual({ route: plain.route, inhibit_rules: plain.inhibit_rules });
    expect(receivers.map(({ name }) => name)).toEqual(plain.receivers.map(({ name }) => name));
    for (const { name, ...sends } of receivers) {
      expect([name, Object.keys(sends).length]).toEqual([name, name === 'nobody' ? 0 : 1]);
      if (name !== 'nobody') expect(JSON.stringify(sends)).toContain(`_file":"${secretFile}"`);
    }
  }
});

test('behavior: critical mutes the warning about the same thing alone: by every label that the rules of the two keep', () => {
  const rules = globSync('deploy/prometheus/rules/*.yml', { cwd: root }).flatMap(rulesOf);
  const { inhibit_rules } = configOf(read('deploy/alertmanager/alertmanager.yml')) as { inhibit_rules: Inhibition[] };
  const equal = inhibit_rules.find(({ source_matchers: [matcher] }) => matcher === 'severity="critical"')?.equal;
  const critical = rules.filter(({ labels }) => labels?.severity === 'critical');
  const kept = rules
    .filter(({ alert, labels }) => labels?.severity === 'warning' && critical.some((other) => other.alert === alert))
    .flatMap(({ alert, expr }) =>
      (/^\w+ by \(([^)]+)\)/.exec(expr)?.[1]?.split(', ') ?? []).map((label) => [alert, label] as const),
    );
  expect(kept.map(([, label]) => label)).toContain('server');
  expect(kept.filter(([, label]) => !equal?.includes(label))).toEqual([]);
});

test('behavior: compose mounts the secret and chooses the file by ALERT_RECEIVER', () => {
  const { services } = parse(read('docker-compose.yml'), { merge: true, maxAliasCount: -1 }) as {
    services: Record<string, { command?: string[]; secrets?: string[] }>;
  };
  expect(services.alertmanager?.secrets).toEqual(['alert-receiver']);
  const file = services.alertmanager?.command?.find((argument) => argument.startsWith('--config.file='));
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of compose.
  expect(file).toBe('--config.file=/etc/alertmanager/${ALERT_RECEIVER:-alertmanager}.yml');
});
