import { Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import type { IDeployment } from 'kubernetes-models/apps/v1';
import type { IContainer, IEnvVar, IService } from 'kubernetes-models/v1';
import { authoritySources, storeAuthority } from './authorities.ts';
import type { Configuration } from './configuration.ts';
import { add } from './manifest.ts';
import { closed, labelsOf, podOf, resourcesOf, selectorOf } from './pod.ts';
import { annotationsOf } from './pod-settings.ts';
import { jobLabel } from './services.ts';

export const storeExporter = 'mongodb-exporter';
export const storeExporterSecret = `castellan-${storeExporter}`;
const port = 9216;

/** Not directly: its URI names all members, of which a direct connection takes one alone and refuses more. */
export const storeExporterArgs: readonly string[] = [
  '--no-mongodb.direct-connect',
  '--collector.diagnosticdata',
  '--collector.replicasetstatus',
  '--collector.dbstats',
];

const authorityFolder = '/authority';

/** Go, too, reads a folder of certificates; its driver takes those of the system where the URI names none. */
function authorityOf(configuration: Configuration) {
  const sources = authoritySources(storeAuthority(configuration));
  if (sources.length === 0) return { env: [], volumeMounts: [], volumes: [] };
  return {
    env: [{ name: 'SSL_CERT_DIR', value: authorityFolder }],
    volumeMounts: [{ name: 'authority', mountPath: authorityFolder, readOnly: true }],
    volumes: [{ name: 'authority', projected: { defaultMode: 0o440, sources } }],
  };
}

function deployment(configuration: Configuration): IDeployment {
  const { env, volumeMounts, volumes } = authorityOf(configuration);
  const uri: IEnvVar = { name: 'MONGODB_URI', valueFrom: { secretKeyRef: { name: storeExporterSecret, key: 'uri' } } };
  const container: IContainer = {
    name: storeExporter,
    image: configuration.images.exporters.mongodb,
    args: [...storeExporterArgs],
    env: [uri, ...env],
    ports: [{ name: 'metrics', containerPort: port }],
    readinessProbe: { httpGet: { path: '/', port: 'metrics' }, periodSeconds: 10 },
    resources: resourcesOf({ cpu: '50m', memory: '128Mi' }),
    securityContext: closed,
    ...(volumeMounts.length > 0 && { volumeMounts }),
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: storeExporter, labels: labelsOf(storeExporter) },
    spec: {
      replicas: 1,
      selector: { matchLabels: selectorOf(storeExporter) },
      template: {
        metadata: { labels: labelsOf(storeExporter), ...annotationsOf(configuration.pod, {}) },
        spec: { ...podOf(configuration), containers: [container], ...(volumes.length > 0 && { volumes }) },
      },
    },
  };
}

const service: IService = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: storeExporter, labels: { ...labelsOf(storeExporter), [jobLabel]: 'mongodb' } },
  spec: { selector: selectorOf(storeExporter), ports: [{ name: 'metrics', port, targetPort: 'metrics' }] },
};

/** What measures the store, which itself is outside. */
export function storeExporterChart(scope: Construct, configuration: Configuration): Chart | undefined {
  if (!configuration.store.exporter) return undefined;
  const chart = new Chart(scope, storeExporter, { namespace: configuration.namespace });
  add(chart, deployment(configuration));
  add(chart, service);
  return chart;
}
