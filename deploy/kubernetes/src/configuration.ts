import { z } from 'zod';
import { Images } from './images.ts';
import { Archive, Backup } from './job-settings.ts';
import { Pod } from './pod-settings.ts';
import { Keeper, OfPods, Service } from './service-settings.ts';
import { Address, annotations, cidr, label, Resources, secretKey, volumeSize } from './values.ts';

const Bus = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('cluster').describe('NATS with JetStream in this namespace.'),
    servers: z.union([z.literal(1), z.literal(3), z.literal(5)]).default(3),
    storage: volumeSize.default('20Gi').describe('Volume of each server; JetStream may fill nine tenths of it.'),
    storageClass: label.optional(),
    image: z.string().default('nats:2.12-alpine').describe('With a tag, a digest or both.'),
    resources: Resources.default({ cpu: '500m', memory: '1Gi' }),
    pod: Pod.prefault({}),
    tlsSecret: label
      .optional()
      .describe(
        'Secret with tls.crt, tls.key and ca.crt of the servers: services and servers then speak TLS; without it, passwords and calls cross the network as they are.',
      ),
    validatorsConf: z
      .string()
      .optional()
      .describe(
        'File that `castellan-validator bus permissions` wrote, relative to this one; without it validators have no users.',
      ),
  }),
  z.strictObject({
    kind: z.literal('external').describe('NATS elsewhere; castellan.conf of the output has the users it needs.'),
    addresses: z.array(Address).min(1),
    streamReplicas: z.int().min(1).max(5).default(3),
    streamsMaxMb: z
      .int()
      .min(100)
      .max(10_000_000)
      .optional()
      .describe(
        'What all streams may take on each server, in megabytes, below its max_file_store; without it no limit.',
      ),
  }),
]);

const CaSecret = z.strictObject({ name: label, key: secretKey.default('ca.crt') });

const Store = z.strictObject({
  addresses: z
    .array(Address)
    .min(1)
    .describe('Members of the replica set; their URIs are in the secrets of the services.'),
  caSecret: CaSecret.optional().describe(
    'Certificates of the authority of the store, where it is one of your own: services, validators and exporter trust it.',
  ),
  exporter: z
    .boolean()
    .default(true)
    .describe('Runs mongodb-exporter with the URI of the secret castellan-mongodb-exporter.'),
});

const Validator = z.strictObject({
  id: label.describe('node_id; the secret castellan-validator-<id> has its keys.'),
  ...OfPods,
});

const Network = z.strictObject({
  policies: z.boolean().default(true),
  ingressNamespace: label.default('ingress-nginx').describe('Namespace from which the gateway is asked.'),
  monitoringNamespace: label.default('monitoring').describe('Namespace that scrapes metrics.'),
  dnsNamespace: label.default('kube-system'),
  tracingNamespace: label.default('monitoring').describe('Namespace of the collector of traces.'),
  nodes: z
    .array(Address)
    .default([])
    .describe('Chain nodes, models and mail servers that are not on port 443 (mail: 465 and 587) of the internet.'),
});

/** What deploy/prometheus/rules/validator-expectations.yml says where this does not. */
const Expectations = z.strictObject({
  configVersion: z.int().min(1).optional().describe('Version of the newest configuration on chain.'),
  signers: z.int().min(1).max(31).optional().describe('How many validators it names.'),
  heartbeatSeconds: z.int().min(1).optional().describe('heartbeatSeconds of the same configuration.'),
  priceExpirationSeconds: z
    .int()
    .min(1)
    .optional()
    .describe('After which a price expires where the vaults service does not know it.'),
  transmissionCostWei: z.number().positive().optional().describe('What one transmission costs.'),
  transmissionCostWeiOf: z
    .record(z.string().regex(/^\d+$/, 'must be a chain id'), z.number().positive())
    .default({})
    .describe('The same for single chains, by their ids.'),
  freshnessObjective: z.number().gt(0).lt(1).optional().describe('Share of minutes in which a price is fresh.'),
  transmitObjective: z.number().gt(0).lt(1).optional().describe('Share of transmissions that succeed.'),
});

const Monitoring = z.strictObject({
  operator: z
    .boolean()
    .default(true)
    .describe('Writes ServiceMonitors and PrometheusRules for the Prometheus operator.'),
  labels: z
    .record(z.string(), z.string())
    .default({})
    .describe('By which the operator finds them, such as release: prometheus.'),
  inhibitions: z
    .boolean()
    .default(true)
    .describe('Writes an AlertmanagerConfig by which an alert that explains others mutes them; it routes nothing.'),
  dashboards: z
    .boolean()
    .default(true)
    .describe('Writes a ConfigMap for each dashboard, with the label that Grafana looks for.'),
  runbooks: z
    .url()
    .optional()
    .describe('Where docs/runbooks of this repository can be read; links of alerts begin with it.'),
  prober: z
    .string()
    .regex(/^[\w.-]+:\d+$/)
    .optional()
    .describe('A blackbox-exporter, as host:port: asks publicUrl from outside and reads its certificate.'),
  validators: Expectations.prefault({}).describe(
    'What alerts about validators compare with; to be changed after each change of the configuration on chain.',
  ),
  customMetrics: z
    .boolean()
    .default(false)
    .describe(
      'Scales on requests, connections and pending messages too; needs prometheus-adapter with the rules of the output.',
    ),
});

/** What an operator decides. Everything else follows from the services. */
export const Configuration = z.strictObject({
  $schema: z.string().optional(),
  namespace: label.default('castellan'),
  images: Images,
  pod: Pod.prefault({}).describe(
    'What all pods have; services, validators and the bus may have their own in its place.',
  ),
  publicUrl: z.url({ protocol: /^https$/ }).describe('The address people use.'),
  trustedProxies: z
    .array(z.union([cidr, z.ipv4(), z.ipv6()]))
    .min(1)
    .describe('Addresses of the ingress controller: whom X-Forwarded-For is believed.'),
  ingress: z
    .strictObject({
      className: z.string().default('nginx'),
      tlsSecret: label,
      annotations: annotations.default({}),
    })
    .optional()
    .describe('Without it, point your own at port 8080 of the service gateway.'),
  bus: Bus.prefault({ kind: 'cluster' }),
  store: Store,
  services: z
    .strictObject({
      gateway: Service.prefault({}),
      auth: Service.prefault({}),
      vaults: Service.prefault({}),
      analytics: Service.prefault({}),
      users: Service.prefault({}),
      ai: Service.prefault({}),
      keeper: Keeper.optional().describe('Only where it is named: it holds a key.'),
    })
    .prefault({}),
  validators: z.array(Validator).max(31).default([]),
  backup: Backup.optional().describe('A sealed backup of all databases by a schedule.'),
  archive: Archive.optional().describe('Moves older entries of the log to LOG_ARCHIVE by a schedule.'),
  network: Network.prefault({}),
  monitoring: Monitoring.prefault({}),
  formerAuthKeySecret: z
    .boolean()
    .default(false)
    .describe('While the secret of the identity keys is replaced: castellan-auth also has auth-key-secret-previous.'),
  tracing: z
    .strictObject({
      endpoint: z.url().describe('A collector, Tempo or Jaeger, by OTLP over HTTP: http://tempo.monitoring:4318.'),
      share: z
        .number()
        .min(0)
        .max(1)
        .default(0.1)
        .describe('Of the traces that begin here, the part that is recorded.'),
    })
    .optional(),
  shutdown: z
    .strictObject({
      waitSeconds: z
        .int()
        .min(0)
        .max(120)
        .default(10)
        .describe('Between the end of readiness and the signal: until every proxy knows.'),
      graceSeconds: z.int().min(1).max(300).default(30).describe('SHUTDOWN_GRACE_SECONDS of each service.'),
    })
    .prefault({}),
});

export type Configuration = z.output<typeof Configuration>;
/** The secret with the certificate of the bus, where it speaks TLS. */
export const busTlsSecretOf = ({ bus }: Configuration): string | undefined =>
  bus.kind === 'cluster' ? bus.tlsSecret : undefined;

/** For editors, and for those who write the file by a program. */
export const configurationSchema = (): unknown => z.toJSONSchema(Configuration, { io: 'input' });
