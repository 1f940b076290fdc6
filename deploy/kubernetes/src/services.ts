import type { BusServiceName } from '@castellan/contracts';
import { Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import type { IDeployment } from 'kubernetes-models/apps/v1';
import type { IHorizontalPodAutoscaler, IMetricSpec } from 'kubernetes-models/autoscaling/v2';
import type { IIngress } from 'kubernetes-models/networking.k8s.io/v1';
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1';
import type { IEnvVar, IPodSpec, IService, IVolume } from 'kubernetes-models/v1';
import { authoritiesOf, authorityEnvironment, authoritySources } from './authorities.ts';
import { streamsMaxMb } from './bus-storage.ts';
import type { Configuration } from './configuration.ts';
import { imageOf } from './images.ts';
import { add } from './manifest.ts';
import { closed, heapOf, labelsOf, podOf, probesOf, resourcesOf, secretsPath, selectorOf, spreadOf } from './pod.ts';
import { annotationsOf } from './pod-settings.ts';
import { serviceAccountOf } from './service-account.ts';
import { Service, type ServiceSettings } from './service-settings.ts';
import type { Scaling, SecretFile, Workload } from './workloads.ts';

/** The label of a Service that names the Prometheus job of its pods. */
export const jobLabel = 'castellan-job';

/** The secret with what one service alone may know. */
export const secretOf = (name: string): string => `castellan-${name}`;
export const publicKeysSecret = 'castellan-public-keys';

/** What every service reads from files. */
const usualFiles: readonly SecretFile[] = [
  { variable: 'NATS_URL_FILE', key: 'nats-url' },
  { variable: 'MONGODB_URI_FILE', key: 'mongodb-uri' },
  { variable: 'SERVICE_KEY_FILE', key: 'service-key' },
  { variable: 'SERVICE_PUBLIC_KEYS_FILE', key: 'service-public-keys', secret: publicKeysSecret },
];

export const filesOf = ({ files }: Workload): readonly SecretFile[] => [...usualFiles, ...files];

/** The keys that each secret must have for a service. */
export function secretKeysOf(name: BusServiceName, workload: Workload): Map<string, string[]> {
  const keys = new Map<string, string[]>([[secretOf(name), [...(workload.keys ?? [])]]]);
  for (const { key, secret = secretOf(name) } of filesOf(workload))
    keys.set(secret, [...(keys.get(secret) ?? []), key]);
  return keys;
}

export const settingsOf = ({ services }: Configuration, name: BusServiceName): ServiceSettings =>
  services[name] ?? Service.parse({});

const streamReplicasOf = ({ bus }: Configuration): number =>
  bus.kind === 'cluster' ? Math.min(bus.servers, 3) : bus.streamReplicas;

/** All variables of a service. Those of the operator come last and may replace the others. */
export function environmentOf(
  configuration: Configuration,
  name: BusServiceName,
  workload: Workload,
): Record<string, string> {
  const { bus, shutdown, tracing } = configuration;
  const maxMb = bus.kind === 'cluster' ? streamsMaxMb(bus.storage) : bus.streamsMaxMb;
  const files = filesOf(workload).map(({ variable, key }) => [variable, `${secretsPath}/${key}`]);
  return {
    NODE_ENV: 'production',
    MONITORING_HOST: '0.0.0.0',
    MONITORING_PORT: `${workload.ports.monitoring}`,
    NATS_STREAM_REPLICAS: `${streamReplicasOf(configuration)}`,
    ...(maxMb !== undefined && { NATS_STREAMS_MAX_MB: `${maxMb}` }),
    SHUTDOWN_GRACE_SECONDS: `${shutdown.graceSeconds}`,
    ...(tracing && {
      OTEL_EXPORTER_OTLP_ENDPOINT: tracing.endpoint,
      OTEL_TRACES_SAMPLER_ARG: `${tracing.share}`,
    }),
    ...workload.environment,
    ...Object.fromEntries(files),
    ...settingsOf(configuration, name).environment,
  };
}

/** In the volume of the secrets. */
const authoritiesFolder = 'authorities';

function secretsVolume(configuration: Configuration, name: BusServiceName, workload: Workload): IVolume {
  const own = [...secretKeysOf(name, workload)].map(([secret, keys]) => ({
    secret: { name: secret, items: keys.map((key) => ({ key, path: key })) },
  }));
  const sources = [...own, ...authoritySources(authoritiesOf(configuration), authoritiesFolder)];
  return { name: 'secrets', projected: { defaultMode: 0o440, sources } };
}

const portsOf = ({ ports }: Workload) =>
  Object.entries(ports).map(([name, containerPort]) => ({ name, containerPort }));

function podSpec(configuration: Configuration, name: BusServiceName, workload: Workload): IPodSpec {
  const { waitSeconds, graceSeconds } = configuration.shutdown;
  const settings = settingsOf(configuration, name);
  const resources = settings.resources ?? workload.resources;
  const variables = {
    NODE_OPTIONS: heapOf(resources.memory),
    ...authorityEnvironment(authoritiesOf(configuration), `${secretsPath}/${authoritiesFolder}`),
    ...environmentOf(configuration, name, workload),
  };
  const env: IEnvVar[] = Object.entries(variables).map(([variable, value]) => ({ name: variable, value }));
  return {
    ...podOf(configuration, settings.pod),
    serviceAccountName: name,
    topologySpreadConstraints: spreadOf(name),
    // The wait, the orderly shutdown, and a little so that the process ends by itself.
    terminationGracePeriodSeconds: waitSeconds + graceSeconds + 5,
    containers: [
      {
        name,
        image: imageOf(configuration, workload.image),
        imagePullPolicy: configuration.images.pullPolicy,
        ...(workload.command && { command: [...workload.command] }),
        env,
        ports: portsOf(workload),
        ...probesOf('monitoring'),
        // A pod that ends is taken from its Service at once, but proxies learn of it later.
        ...(waitSeconds > 0 && { lifecycle: { preStop: { sleep: { seconds: waitSeconds } } } }),
        resources: resourcesOf(resources),
        securityContext: closed,
        volumeMounts: [
          { name: 'secrets', mountPath: secretsPath, readOnly: true },
          { name: 'tmp', mountPath: '/tmp' },
        ],
      },
    ],
    volumes: [secretsVolume(configuration, name, workload), { name: 'tmp', emptyDir: { sizeLimit: '256Mi' } }],
  };
}

function metricsOf({ cpuPercent, memoryPercent, custom }: Scaling, withCustom: boolean): IMetricSpec[] {
  const resource = (name: string, averageUtilization: number | undefined): IMetricSpec[] =>
    averageUtilization === undefined
      ? []
      : [{ type: 'Resource', resource: { name, target: { type: 'Utilization', averageUtilization } } }];
  const pods: IMetricSpec[] = Object.entries(withCustom ? (custom ?? {}) : {}).map(([name, value]) => ({
    type: 'Pods',
    pods: { metric: { name }, target: { type: 'AverageValue', averageValue: `${value}` } },
  }));
  return [...resource('cpu', cpuPercent), ...resource('memory', memoryPercent), ...pods];
}

function scale(chart: Chart, configuration: Configuration, name: BusServiceName, workload: Workload): void {
  const { min, max } = settingsOf(configuration, name).replicas ?? workload.replicas;
  const scaling = workload.scaling ?? {};
  const target = { apiVersion: 'apps/v1', kind: 'Deployment', name };
  const autoscaler: IHorizontalPodAutoscaler = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name, labels: labelsOf(name) },
    spec: {
      scaleTargetRef: target,
      minReplicas: min,
      maxReplicas: max,
      metrics: metricsOf(scaling, configuration.monitoring.customMetrics),
      // One at a time, and not because of a short lull: an instance warms up for minutes.
      behavior: {
        scaleDown: { stabilizationWindowSeconds: 600, policies: [{ type: 'Pods', value: 1, periodSeconds: 120 }] },
      },
    },
  };
  if (max > min) add(chart, autoscaler);
}

function deploymentOf(configuration: Configuration, name: BusServiceName, workload: Workload): IDeployment {
  const settings = settingsOf(configuration, name);
  const { min, max } = settings.replicas ?? workload.replicas;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels: labelsOf(name) },
    spec: {
      // Where an autoscaler decides, a number here would undo its decision at each rollout.
      ...(max === min && { replicas: min }),
      revisionHistoryLimit: 5,
      progressDeadlineSeconds: workload.readyWithinSeconds,
      selector: { matchLabels: selectorOf(name) },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      template: {
        metadata: { labels: labelsOf(name), ...annotationsOf(configuration.pod, settings.pod) },
        spec: podSpec(configuration, name, workload),
      },
    },
  };
}

function serviceOf(name: string, workload: Workload): IService {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, labels: { ...labelsOf(name), [jobLabel]: 'castellan' } },
    spec: {
      selector: selectorOf(name),
      ports: portsOf(workload).map(({ name: port, containerPort }) => ({
        name: port,
        port: containerPort,
        targetPort: port,
      })),
    },
  };
}

export const disruptionBudgetOf = (name: string): IPodDisruptionBudget => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name, labels: labelsOf(name) },
  spec: {
    maxUnavailable: 1,
    selector: { matchLabels: selectorOf(name) },
    // A pod that is not ready must not keep a host from being emptied.
    unhealthyPodEvictionPolicy: 'AlwaysAllow',
  },
});

/** One service: its pods, how they are found, scaled and kept. */
export function serviceChart(
  scope: Construct,
  configuration: Configuration,
  name: BusServiceName,
  workload: Workload,
): Chart {
  const chart = new Chart(scope, name, { namespace: configuration.namespace });
  add(chart, serviceAccountOf(name, settingsOf(configuration, name)));
  add(chart, deploymentOf(configuration, name, workload));
  add(chart, serviceOf(name, workload));
  add(chart, disruptionBudgetOf(name));
  scale(chart, configuration, name, workload);
  return chart;
}

/** What people reach: the gateway alone. Streams and chats stay open for as long as their readers. */
export function ingressChart(scope: Construct, configuration: Configuration): Chart | undefined {
  const { ingress, publicUrl, namespace } = configuration;
  if (!ingress) return undefined;
  const { hostname: host } = new URL(publicUrl);
  const manifest: IIngress = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'castellan', labels: labelsOf('gateway'), annotations: ingress.annotations },
    spec: {
      ingressClassName: ingress.className,
      tls: [{ hosts: [host], secretName: ingress.tlsSecret }],
      rules: [
        {
          host,
          http: {
            paths: [
              { path: '/', pathType: 'Prefix', backend: { service: { name: 'gateway', port: { name: 'http' } } } },
            ],
          },
        },
      ],
    },
  };
  const chart = new Chart(scope, 'ingress', { namespace });
  add(chart, manifest);
  return chart;
}
