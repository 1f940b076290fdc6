import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createInstruments } from '../services/validator-node/src/monitoring/instruments.ts';
import { metricsIn, type ServiceMetric, serviceMetrics } from './service-metrics.ts';

/** docs/metrics.md, made of what the services register: `node tools/metrics-docs.ts`. A test notices when it is stale. */
export const target = fileURLToPath(new URL('../docs/metrics.md', import.meta.url));

const row = ({ name, type, labels, help }: ServiceMetric): string =>
  `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help.replace(/\.$/, '').replaceAll('|', '\\|')} |\n`;

const section = (title: string, metrics: readonly ServiceMetric[]): string =>
  `\n## ${title}\n\n| Metric | Kind | Labels | |\n|---|---|---|---|\n${[...metrics]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(row)
    .join('')}`;

/** The page's text. */
export async function metricsPage(): Promise<string> {
  let text = `# Metrics

Each process serves its metrics for Prometheus at \`/metrics\` of \`MONITORING_PORT\` ([settings](configuration.md)), a validator at
\`monitoring.metrics_port\`. A service's carry the label \`service\`; a histogram has \`_bucket\`, \`_sum\` and \`_count\`, and Prometheus adds \`job\` and
\`instance\`. Which alerts are made of them: [alerts of the platform](operations/alerts.md). This page is made from what the processes register, by
\`node tools/metrics-docs.ts\`.
`;
  for (const [process, metrics] of await serviceMetrics())
    text += section(process === 'every service' ? 'Every service' : process, metrics);
  const { registry } = createInstruments({ chainIds: [1], version: '', processMetrics: false });
  return text + section('validator', await metricsIn(registry));
}

if (import.meta.main) writeFileSync(target, await metricsPage());
