import type { BusServiceName } from '@castellan/contracts';
import { App, Chart } from 'cdk8s';
import { busChart } from './bus.ts';
import type { Configuration } from './configuration.ts';
import { environmentFaults, readEnvironments } from './environments.ts';
import { jobFaults, jobsChart } from './jobs.ts';
import { add, type Manifest } from './manifest.ts';
import { dashboardsChart, monitoringChart } from './monitoring.ts';
import { networkChart } from './network.ts';
import { ingressChart, serviceChart } from './services.ts';
import { storeExporterChart } from './store-exporter.ts';
import { validatorsChart } from './validators.ts';
import { type Workload, workloadsOf } from './workloads.ts';

/** Manifests by the part they belong to. */
export type Manifests = ReadonlyMap<string, readonly Manifest[]>;

/** The configuration asks for something that a service would refuse. */
export class ConfigurationFault extends Error {}

/** Pods that would need more than ours do are refused in this namespace. */
function namespaceChart(app: App, { namespace }: Configuration): void {
  const chart = new Chart(app, 'namespace');
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  add(chart, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } } as Manifest);
}

/**
 * Everything that a configuration means.
 * @throws ConfigurationFault when a service would refuse its variables.
 */
export async function manifestsOf(
  configuration: Configuration,
): Promise<{ manifests: Manifests; workloads: Map<BusServiceName, Workload> }> {
  const workloads = workloadsOf(configuration);
  const environments = await readEnvironments(workloads.keys());
  const faults = [...environmentFaults(configuration, workloads, environments), ...jobFaults(configuration)];
  if (faults.length > 0) throw new ConfigurationFault(faults.join('\n'));
  const app = new App();
  namespaceChart(app, configuration);
  busChart(app, configuration);
  for (const [name, workload] of workloads) serviceChart(app, configuration, name, workload);
  validatorsChart(app, configuration);
  jobsChart(app, configuration);
  ingressChart(app, configuration);
  networkChart(app, configuration, workloads, environments);
  storeExporterChart(app, configuration);
  monitoringChart(app, configuration);
  dashboardsChart(app, configuration);
  const manifests = app.charts.map((chart) => [chart.node.id, chart.toJson() as Manifest[]] as const);
  return { manifests: new Map(manifests), workloads };
}
