import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseDocument } from 'yaml';

/**
 * Writes `deploy/alertmanager/slack.yml`, `pagerduty.yml` and `webhook.yml`: the routes of `alertmanager.yml` with receivers that send
 * to the address in the secret `alert-receiver`: `node tools/alert-receivers.ts`. A test notices when they are stale.
 */
const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'deploy/alertmanager');
export const secretFile = '/run/secrets/alert-receiver';

const title = '{{ .CommonLabels.severity }}: {{ .CommonLabels.alertname }} ({{ .Alerts.Firing | len }})';
const text =
  '{{ range .Alerts }}{{ .Annotations.summary }}{{ with .Annotations.action }} {{ . }}{{ end }} {{ .Annotations.runbook_url }}\n{{ end }}';

/** What each kind says of a severity; `info` goes nowhere, and the managers of a vault get no page. */
const kinds: Readonly<Record<string, (severity: 'critical' | 'warning') => object>> = {
  slack: () => ({ slack_configs: [{ api_url_file: secretFile, send_resolved: true, title, text }] }),
  pagerduty: (severity) => ({
    pagerduty_configs: [
      { routing_key_file: secretFile, send_resolved: true, severity, description: title, details: { alerts: text } },
    ],
  }),
  webhook: () => ({ webhook_configs: [{ url_file: secretFile, send_resolved: true }] }),
};

const severities = { pages: 'critical', tickets: 'warning', 'vault-managers': 'warning' } as const;

/** The three files by their names. */
export function receiverFiles(): Record<string, string> {
  const source = readFileSync(join(folder, 'alertmanager.yml'), 'utf8');
  const made = Object.entries(kinds).map(([kind, configOf]) => {
    const document = parseDocument(source);
    const receivers = Object.entries(severities).map(([name, severity]) => ({ name, ...configOf(severity) }));
    document.set('receivers', [...receivers, { name: 'nobody' }]);
    document.commentBefore = ` Made of alertmanager.yml by node tools/alert-receivers.ts; the secret alert-receiver holds the ${kind === 'pagerduty' ? 'routing key' : 'URL'}.`;
    return [`${kind}.yml`, document.toString({ lineWidth: 0 })];
  });
  return Object.fromEntries(made) as Record<string, string>;
}

if (import.meta.main)
  for (const [name, content] of Object.entries(receiverFiles())) writeFileSync(join(folder, name), content);
