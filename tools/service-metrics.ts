import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRegistry, type Registry } from '@castellan/service-kit';
import { createDurableMetrics } from '../packages/service-kit/src/durable/telemetry.ts';
import { peerCertificateMetric } from '../packages/service-kit/src/peer-certificates.ts';
import { modelMeter } from '../services/ai/src/analyst/langchain/usage.ts';
import { aiMetrics } from '../services/ai/src/telemetry/metrics.ts';
import { analyticsMetrics } from '../services/analytics/src/telemetry.ts';
import { authMetrics } from '../services/auth/src/telemetry.ts';
import { gatewayMetrics } from '../services/gateway/src/telemetry.ts';
import { deliveryMetrics } from '../services/users/src/alerts/delivery/telemetry.ts';
import { evaluationMetrics } from '../services/users/src/alerts/evaluator/telemetry.ts';
import { backupMetrics } from '../services/users/src/backups/telemetry.ts';
import { keeperMetrics } from '../services/vaults/src/keeper/telemetry.ts';
import { vaultsMetrics } from '../services/vaults/src/telemetry.ts';
import { figureMetrics } from '../services/vaults/src/vault/figures-telemetry.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

export type ServiceMetric = {
  readonly name: string;
  /** `counter`, `gauge`, `histogram` or `summary`. */
  readonly type: string;
  readonly help: string;
  readonly labels: readonly string[];
};

/** What each process makes by functions of its own. Keeper and vaults have metrics of the same names. */
const makers: Readonly<Record<string, (registry: Registry) => unknown>> = {
  'every service': (registry) => [createDurableMetrics(registry), peerCertificateMetric(registry)],
  gateway: gatewayMetrics,
  auth: authMetrics,
  vaults: (registry) => [vaultsMetrics(registry), figureMetrics([registry], async () => [])],
  keeper: keeperMetrics,
  analytics: analyticsMetrics,
  users: (registry) => [
    deliveryMetrics(registry, Date.now),
    evaluationMetrics(registry, Date.now),
    backupMetrics(registry, async () => undefined),
  ],
  ai: (registry) => [aiMetrics(registry), modelMeter(registry, 'test', { inputPerMillion: 1, outputPerMillion: 1 })],
};

type Described = { name: string; help: string; labelNames?: readonly string[] };

/** What a registry holds. */
export async function metricsIn(
  registry: Pick<Registry, 'getMetricsAsJSON' | 'getMetricsAsArray'>,
): Promise<ServiceMetric[]> {
  const types = new Map((await registry.getMetricsAsJSON()).map(({ name, type }) => [name, String(type)]));
  return (registry.getMetricsAsArray() as unknown as Described[]).map(({ name, help, labelNames = [] }) => ({
    name,
    type: types.get(name) ?? 'gauge',
    help,
    labels: labelNames,
  }));
}

/** Those that are made together with a broker or a connection, which only a running service has: by their sources. */
function metricsOfConnections(): ServiceMetric[] {
  return ['broker', 'mongo'].flatMap((file) => {
    const source = readFileSync(join(root, `packages/service-kit/src/${file}.ts`), 'utf8');
    const found = source.matchAll(
      /new (Histogram|Counter)\(\{\s*name: '(\w+)',\s*help: '([^']*)',[\s\S]*?labelNames: \[([^\]]*)\]/g,
    );
    return [...found].map(([, kind = '', name = '', help = '', labels = '']) => ({
      name,
      type: kind.toLowerCase(),
      help,
      labels: [...labels.matchAll(/'(\w+)'/g)].map(([, label]) => `${label}`),
    }));
  });
}

/** The metrics of services by the process that shows them; `every service` has those of all of them. */
export async function serviceMetrics(): Promise<ReadonlyMap<string, readonly ServiceMetric[]>> {
  const byProcess = new Map<string, readonly ServiceMetric[]>();
  for (const [process, make] of Object.entries(makers)) {
    const registry = createRegistry('docs');
    const common = new Set((await metricsIn(registry)).map(({ name }) => name));
    make(registry);
    const own = (await metricsIn(registry)).filter(({ name }) => process === 'every service' || !common.has(name));
    byProcess.set(process, process === 'every service' ? [...own, ...metricsOfConnections()] : own);
  }
  return byProcess;
}
