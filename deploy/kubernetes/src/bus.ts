import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { servicesConf } from '@castellan/service-kit';
import { Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import type { IStatefulSet } from 'kubernetes-models/apps/v1';
import type { IConfigMap, IContainer, IEnvVar, IPodSpec, IProbe, IService } from 'kubernetes-models/v1';
import { fileStoreMiB } from './bus-storage.ts';
import type { Configuration } from './configuration.ts';
import { add } from './manifest.ts';
import { closed, labelsOf, podOf, resourcesOf, selectorOf } from './pod.ts';
import { annotationsOf } from './pod-settings.ts';
import { bytesOf } from './quantity.ts';
import { disruptionBudgetOf, jobLabel } from './services.ts';

type Cluster = Extract<Configuration['bus'], { kind: 'cluster' }>;

const name = 'nats';
const members = 'nats-members';
export const natsSecret = 'castellan-nats';
export const natsPorts = { client: 4222, cluster: 6222, monitor: 8222, metrics: 7777 } as const;
/** The variable with the password of the servers among each other. */
export const routePassword = 'NATS_ROUTE_PASSWORD';

const hostOf = (index: number) => `${name}-${index}.${members}`;
const routesOf = ({ servers }: Cluster) => Array.from({ length: servers }, (_, index) => `NATS_ROUTE_${index}`);

/** Where a server finds what the secret holds. */
export const tlsFolder = '/etc/nats-tls';
const certificate = `cert_file: ${tlsFolder}/tls.crt, key_file: ${tlsFolder}/tls.key`;

const clusterBlock = (bus: Cluster): string => `cluster {
  name: castellan
  listen: 0.0.0.0:${natsPorts.cluster}
  authorization { user: route, password: $${routePassword} }
  routes: [${routesOf(bus)
    .map((route) => `$${route}`)
    .join(', ')}]
${bus.tlsSecret ? `  # Servers show each other their certificates.\n  tls { ${certificate}, ca_file: ${tlsFolder}/ca.crt, timeout: 5 }\n` : ''}}
`;

/** The configuration of a server; what is in it is the same for all of them. */
export const natsConf = (bus: Cluster): string => `server_name: $POD_NAME
listen: 0.0.0.0:${natsPorts.client}
http: 0.0.0.0:${natsPorts.monitor}
pid_file: /run/nats/nats.pid
max_payload: 1MB
# A server that ends hands its clients and leaderships over first.
lame_duck_grace_period: 10s
lame_duck_duration: 30s
jetstream {
  store_dir: /data
  max_file_store: ${fileStoreMiB(bus.storage)}MB
}
${bus.tlsSecret ? `tls { ${certificate} }\n` : ''}${bus.servers > 1 ? clusterBlock(bus) : ''}accounts {
  include ./castellan.conf
  include ./validators.conf
}
`;

/** The validators' account, which that of the services names, must exist. */
const noValidators = 'VALIDATORS {}\n';

/** The files of a server's configuration: users and permissions follow from the contracts. */
export const natsFiles = (bus: Cluster): Record<string, string> => ({
  'nats.conf': natsConf(bus),
  'castellan.conf': servicesConf('castellan'),
  'validators.conf': bus.validatorsConf ? readFileSync(bus.validatorsConf, 'utf8') : noValidators,
});

const health = (query: string): IProbe => ({
  httpGet: { path: `/healthz${query}`, port: 'monitor' },
  timeoutSeconds: 5,
  periodSeconds: 10,
});

function environmentOf(bus: Cluster): IEnvVar[] {
  const pod: IEnvVar = { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } };
  const password: IEnvVar = {
    name: routePassword,
    valueFrom: { secretKeyRef: { name: natsSecret, key: routePassword } },
  };
  const routes = routesOf(bus).map((route, index) => ({
    name: route,
    value: `nats://route:$(${routePassword})@${hostOf(index)}:${natsPorts.cluster}`,
  }));
  // Else the runtime collects its garbage too late for the limit of the container.
  const memory: IEnvVar = {
    name: 'GOMEMLIMIT',
    value: `${Math.floor((bytesOf(bus.resources.memory) * 0.9) / 2 ** 20)}MiB`,
  };
  return bus.servers > 1 ? [pod, memory, password, ...routes] : [pod, memory];
}

const server = (bus: Cluster): IContainer => ({
  name,
  image: bus.image,
  command: ['nats-server'],
  args: ['-c', '/etc/nats/nats.conf'],
  env: environmentOf(bus),
  // Passwords of the users, which the accounts name as variables.
  envFrom: [{ secretRef: { name: natsSecret } }],
  ports: [
    { name: 'client', containerPort: natsPorts.client },
    { name: 'cluster', containerPort: natsPorts.cluster },
    { name: 'monitor', containerPort: natsPorts.monitor },
  ],
  startupProbe: { ...health(''), failureThreshold: 90 },
  livenessProbe: { ...health('?js-enabled-only=true'), failureThreshold: 6 },
  readinessProbe: { ...health('?js-server-only=true'), failureThreshold: 3 },
  lifecycle: { preStop: { exec: { command: ['nats-server', '--signal', 'ldm=/run/nats/nats.pid'] } } },
  resources: resourcesOf(bus.resources),
  securityContext: closed,
  volumeMounts: [
    { name: 'data', mountPath: '/data' },
    { name: 'config', mountPath: '/etc/nats', readOnly: true },
    { name: 'run', mountPath: '/run/nats' },
    ...(bus.tlsSecret ? [{ name: 'tls', mountPath: tlsFolder, readOnly: true }] : []),
  ],
});

const exporter = (image: string): IContainer => ({
  name: 'exporter',
  image,
  args: [`-port=${natsPorts.metrics}`, '-varz', '-healthz', '-jsz=all', `http://127.0.0.1:${natsPorts.monitor}`],
  ports: [{ name: 'metrics', containerPort: natsPorts.metrics }],
  resources: resourcesOf({ cpu: '20m', memory: '64Mi' }),
  securityContext: closed,
});

function podSpec(configuration: Configuration, bus: Cluster): IPodSpec {
  return {
    ...podOf(configuration, bus.pod),
    // Each server on a host of its own: the loss of a host is that of one copy.
    ...(bus.servers > 1 && {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: selectorOf(name) } },
          ],
        },
      },
    }),
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'topology.kubernetes.io/zone',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: selectorOf(name) },
      },
    ],
    terminationGracePeriodSeconds: 60,
    containers: [server(bus), exporter(configuration.images.exporters.nats)],
    volumes: [
      { name: 'config', configMap: { name: 'nats-config' } },
      { name: 'run', emptyDir: {} },
      ...(bus.tlsSecret ? [{ name: 'tls', secret: { secretName: bus.tlsSecret, defaultMode: 0o440 } }] : []),
    ],
  };
}

function statefulSet(configuration: Configuration, bus: Cluster, files: Record<string, string>): IStatefulSet {
  const checksum = createHash('sha256').update(JSON.stringify(files)).digest('hex');
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name, labels: labelsOf(name) },
    spec: {
      replicas: bus.servers,
      serviceName: members,
      // All at once: a cluster has no leader before most of them are there.
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: selectorOf(name) },
      template: {
        metadata: {
          labels: labelsOf(name),
          ...annotationsOf(configuration.pod, bus.pod, { 'castellan/configuration': checksum }),
        },
        spec: podSpec(configuration, bus),
      },
      volumeClaimTemplates: [
        {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata: { name: 'data', labels: labelsOf(name) },
          spec: {
            accessModes: ['ReadWriteOnce'],
            resources: { requests: { storage: bus.storage } },
            ...(bus.storageClass && { storageClassName: bus.storageClass }),
          },
        },
      ],
    },
  };
}

const port = (portName: keyof typeof natsPorts) => ({
  name: portName,
  port: natsPorts[portName],
  targetPort: portName,
});

const client: IService = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, labels: labelsOf(name) },
  spec: { selector: selectorOf(name), ports: [port('client')] },
};

const membersService: IService = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: members, labels: { ...labelsOf(name), [jobLabel]: 'nats' } },
  spec: {
    clusterIP: 'None',
    // They must find each other to become ready.
    publishNotReadyAddresses: true,
    selector: selectorOf(name),
    ports: [port('client'), port('cluster'), port('monitor'), port('metrics')],
  },
};

/** The bus in this namespace; nothing where it is elsewhere. */
export function busChart(scope: Construct, configuration: Configuration): Chart | undefined {
  const { bus, namespace } = configuration;
  if (bus.kind !== 'cluster') return undefined;
  const files = natsFiles(bus);
  const config: IConfigMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'nats-config', labels: labelsOf(name) },
    data: files,
  };
  const chart = new Chart(scope, 'bus', { namespace });
  for (const manifest of [
    config,
    statefulSet(configuration, bus, files),
    client,
    membersService,
    disruptionBudgetOf(name),
  ])
    add(chart, manifest);
  return chart;
}
