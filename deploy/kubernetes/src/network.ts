import type { BusServiceName } from '@castellan/contracts';
import { Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import type {
  INetworkPolicy,
  INetworkPolicyEgressRule,
  INetworkPolicyIngressRule,
  INetworkPolicyPeer,
} from 'kubernetes-models/networking.k8s.io/v1';
import { natsPorts } from './bus.ts';
import type { Configuration } from './configuration.ts';
import { asksOutside, type Environments } from './environments.ts';
import { archiveName, backupName } from './jobs.ts';
import { add } from './manifest.ts';
import { labelsOf, selectorOf } from './pod.ts';
import type { CloudIdentity, ServiceSettings } from './service-settings.ts';
import { settingsOf } from './services.ts';
import { storeExporter } from './store-exporter.ts';
import { validatorLabel, validatorNameOf, validatorPorts, validatorsName } from './validators.ts';
import type { Address } from './values.ts';
import type { Workload } from './workloads.ts';

const namespaceOf = (name: string): INetworkPolicyPeer => ({
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
});
const podsOf = (name: string): INetworkPolicyPeer => ({ podSelector: { matchLabels: selectorOf(name) } });
const onPort = (port: number) => [{ protocol: 'TCP' as const, port }];

const privateNetworks = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', '100.64.0.0/10'];

/** Hosts of the internet by HTTPS and some other ports, and nothing of the networks around the cluster. */
const internetOn = (ports: readonly number[]): INetworkPolicyEgressRule => ({
  to: [{ ipBlock: { cidr: '0.0.0.0/0', except: privateNetworks } }],
  ports: [443, ...ports].flatMap(onPort),
});

const peerOf = (address: Address): INetworkPolicyPeer =>
  'cidr' in address
    ? { ipBlock: { cidr: address.cidr } }
    : { ...namespaceOf(address.namespace), podSelector: { matchLabels: { ...address.labels } } };

const toAddresses = (addresses: readonly Address[]): INetworkPolicyEgressRule[] =>
  addresses.map((address) => ({ to: [peerOf(address)], ports: onPort(address.port) }));

/** Where a host gives credentials to its pods. That of GKE is another one on hosts without Dataplane V2. */
const credentials: Readonly<Record<CloudIdentity, readonly Address[]>> = {
  'eks-pod-identity': [
    { cidr: '169.254.170.23/32', port: 80 },
    { cidr: 'fd00:ec2::23/128', port: 80 },
  ],
  ec2: [
    { cidr: '169.254.169.254/32', port: 80 },
    { cidr: 'fd00:ec2::254/128', port: 80 },
  ],
  gke: [
    { cidr: '169.254.169.254/32', port: 80 },
    { cidr: '169.254.169.252/32', port: 988 },
  ],
};

const toCredentials = ({ cloudIdentity }: Pick<ServiceSettings, 'cloudIdentity'>): INetworkPolicyEgressRule[] =>
  cloudIdentity ? toAddresses(credentials[cloudIdentity]) : [];

const toBus = ({ bus }: Configuration): INetworkPolicyEgressRule[] =>
  bus.kind === 'cluster' ? [{ to: [podsOf('nats')], ports: onPort(natsPorts.client) }] : toAddresses(bus.addresses);

function toCollector({ tracing, network }: Configuration): INetworkPolicyEgressRule[] {
  if (!tracing) return [];
  const { port, protocol } = new URL(tracing.endpoint);
  const usual = protocol === 'https:' ? 443 : 80;
  return [{ to: [namespaceOf(network.tracingNamespace)], ports: onPort(Number(port) || usual) }];
}

type Rules = { ingress: INetworkPolicyIngressRule[]; egress: INetworkPolicyEgressRule[] };

const policyOf = (name: string, selector: Record<string, string>, { ingress, egress }: Rules): INetworkPolicy => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name, labels: labelsOf(name) },
  spec: { podSelector: { matchLabels: selector }, policyTypes: ['Ingress', 'Egress'], ingress, egress },
});

/** Nothing enters and nothing leaves but names, unless another policy says so. */
const denyAll = ({ network }: Configuration): INetworkPolicy => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: 'default', labels: labelsOf('default') },
  spec: {
    podSelector: {},
    policyTypes: ['Ingress', 'Egress'],
    egress: [
      {
        // The second one: the cache of names that some clusters run on each host.
        to: [namespaceOf(network.dnsNamespace), { ipBlock: { cidr: '169.254.0.0/16' } }],
        ports: [
          { protocol: 'UDP', port: 53 },
          { protocol: 'TCP', port: 53 },
        ],
      },
    ],
  },
});

const scraped = ({ network }: Configuration, port: number): INetworkPolicyIngressRule => ({
  from: [namespaceOf(network.monitoringNamespace)],
  ports: onPort(port),
});

/** Who asks a port beside the bus: people the gateway, and the gateway what its variables name. */
function askedBy(configuration: Configuration, name: BusServiceName, workloads: ReadonlyMap<BusServiceName, Workload>) {
  const port = workloads.get(name)?.ports.http;
  if (port === undefined) return [];
  if (name === 'gateway') return [{ from: [namespaceOf(configuration.network.ingressNamespace)], ports: onPort(port) }];
  const url = `http://${name}:${port}`;
  const callers = [...workloads].filter(([, { environment }]) => Object.values(environment).includes(url));
  return callers.map(([caller]) => ({ from: [podsOf(caller)], ports: onPort(port) }));
}

function toOthers(workload: Workload, workloads: ReadonlyMap<BusServiceName, Workload>): INetworkPolicyEgressRule[] {
  const urls = Object.values(workload.environment);
  return [...workloads].flatMap(
    ([
      name,
      {
        ports: { http },
      },
    ]) =>
      http !== undefined && urls.includes(`http://${name}:${http}`)
        ? [{ to: [podsOf(name)], ports: onPort(http) }]
        : [],
  );
}

function busPolicy(configuration: Configuration, users: readonly string[]): INetworkPolicy {
  return policyOf('nats', selectorOf('nats'), {
    ingress: [
      { from: users.map(podsOf), ports: onPort(natsPorts.client) },
      { from: [podsOf('nats')], ports: onPort(natsPorts.cluster) },
      scraped(configuration, natsPorts.metrics),
    ],
    egress: [{ to: [podsOf('nats')], ports: onPort(natsPorts.cluster) }],
  });
}

/** One for all validators, and another for each that a host gives credentials. */
function validatorPolicies(configuration: Configuration, egress: INetworkPolicyEgressRule[]): INetworkPolicy[] {
  const { validators } = configuration;
  if (validators.length === 0) return [];
  const ingress = [scraped(configuration, validatorPorts().metrics)];
  return [
    policyOf(validatorsName, selectorOf(validatorsName), { ingress, egress }),
    ...validators
      .filter(({ cloudIdentity }) => cloudIdentity)
      .map((validator) =>
        policyOf(
          validatorNameOf(validator.id),
          { [validatorLabel]: validator.id },
          { ingress: [], egress: toCredentials(validator) },
        ),
      ),
  ];
}

/** Jobs reach the store, and that of the archive the storage where it is. */
function jobPolicies(configuration: Configuration, world: INetworkPolicyEgressRule[]): INetworkPolicy[] {
  const { backup, archive, store } = configuration;
  const toStore = toAddresses(store.addresses);
  const closedTo = (name: string, egress: INetworkPolicyEgressRule[]) =>
    policyOf(name, selectorOf(name), { ingress: [], egress });
  return [
    ...(backup ? [closedTo(backupName, [...toStore, ...toCredentials(backup)])] : []),
    ...(archive ? [closedTo(archiveName, [...toStore, ...world, ...toCredentials(archive)])] : []),
  ];
}

/** Who may reach whom. Services ask each other over the bus alone, whose own permissions say what. */
export function networkChart(
  scope: Construct,
  configuration: Configuration,
  workloads: ReadonlyMap<BusServiceName, Workload>,
  environments: Environments,
): Chart | undefined {
  const { network, store, bus, validators, namespace } = configuration;
  if (!network.policies) return undefined;
  const chart = new Chart(scope, 'network', { namespace });
  add(chart, denyAll(configuration));
  const common = [...toBus(configuration), ...toAddresses(store.addresses), ...toCollector(configuration)];
  const world = (ports: readonly number[] = []) => [internetOn(ports), ...toAddresses(network.nodes)];
  for (const [name, workload] of workloads) {
    const schema = environments.get(name);
    const toWorld = schema && asksOutside(schema) ? world(workload.outsidePorts) : [];
    const egress = [
      ...common,
      ...toOthers(workload, workloads),
      ...toWorld,
      ...toCredentials(settingsOf(configuration, name)),
    ];
    const ingress = [scraped(configuration, workload.ports.monitoring), ...askedBy(configuration, name, workloads)];
    add(chart, policyOf(name, selectorOf(name), { ingress, egress }));
  }
  for (const policy of validatorPolicies(configuration, [...common, ...world()])) add(chart, policy);
  for (const policy of jobPolicies(configuration, world())) add(chart, policy);
  const users = [...workloads.keys(), ...(validators.length > 0 ? [validatorsName] : [])];
  if (bus.kind === 'cluster') add(chart, busPolicy(configuration, users));
  if (store.exporter)
    add(
      chart,
      policyOf(storeExporter, selectorOf(storeExporter), {
        ingress: [scraped(configuration, 9216)],
        egress: toAddresses(store.addresses),
      }),
    );
  return chart;
}
