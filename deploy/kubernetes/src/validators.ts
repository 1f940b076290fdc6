import { readFileSync } from 'node:fs';
import { Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import type { IStatefulSet } from 'kubernetes-models/apps/v1';
import type { IContainer, IPodSpec, IProbe, IService } from 'kubernetes-models/v1';
import { authoritiesOf, authorityEnvironment, authoritySources } from './authorities.ts';
import type { Configuration } from './configuration.ts';
import { imageOf } from './images.ts';
import { add } from './manifest.ts';
import { closed, labelsOf, podOf, resourcesOf, selectorOf } from './pod.ts';
import { annotationsOf } from './pod-settings.ts';
import { repository } from './repository.ts';
import { serviceAccountOf } from './service-account.ts';
import { disruptionBudgetOf, jobLabel } from './services.ts';

type Validator = Configuration['validators'][number];

/** The name that all validators share: by it they are found, kept and scraped. */
export const validatorsName = 'validator';
/** What they share: config.toml and chains.toml. */
export const validatorsSecret = 'castellan-validators';
export const validatorSecretOf = (id: string): string => `castellan-validator-${id}`;
/** Files that the configuration in deploy/validators names. */
export const validatorKeys = ['bundle.json', 'password', 'bus-credentials', 'events-url', 'database-url'] as const;

/** The ports of deploy/validators/config.toml, which the secret's copy of it must keep. */
export function validatorPorts(): { metrics: number; health: number } {
  const text = readFileSync(repository('deploy/validators/config.toml'), 'utf8');
  const portOf = (key: string) => Number(new RegExp(`^${key} = (\\d+)$`, 'm').exec(text)?.[1]);
  return { metrics: portOf('metrics_port'), health: portOf('health_port') };
}

const authorityFolder = '/authority';

/** A node refuses keys that another user could read, and a mounted secret has the mode of its volume: so they are copied. */
const copyKeys = `const fs = require('node:fs');
fs.mkdirSync('/copy/keys', { recursive: true, mode: 0o700 });
for (const file of ${JSON.stringify(validatorKeys)})
  fs.writeFileSync('/copy/keys/' + file, fs.readFileSync('/secret/' + file), { mode: 0o600 });`;

function podSpec(configuration: Configuration, { id, pod }: Validator): IPodSpec {
  const image = imageOf(configuration, 'validator-node');
  const { metrics, health } = validatorPorts();
  const authorities = authoritiesOf(configuration);
  const authority = Object.entries(authorityEnvironment(authorities, authorityFolder));
  const sources = authoritySources(authorities);
  const probe = (path: string): IProbe => ({ httpGet: { path, port: 'health' }, timeoutSeconds: 3 });
  const node: IContainer = {
    name: validatorsName,
    image,
    imagePullPolicy: configuration.images.pullPolicy,
    env: [
      { name: 'VALIDATOR__NODE__NODE_ID', value: id },
      { name: 'VALIDATOR__EVENTS__URL_FILE', value: '/keys/events-url' },
      { name: 'VALIDATOR__DATABASE__URL_FILE', value: '/keys/database-url' },
      ...authority.map(([name, value]) => ({ name, value })),
    ],
    ports: [
      { name: 'metrics', containerPort: metrics },
      { name: 'health', containerPort: health },
    ],
    startupProbe: { ...probe('/healthz'), periodSeconds: 5, failureThreshold: 60 },
    livenessProbe: { ...probe('/healthz'), periodSeconds: 10, failureThreshold: 6 },
    resources: resourcesOf({ cpu: '250m', memory: '512Mi' }),
    securityContext: closed,
    volumeMounts: [
      { name: 'config', mountPath: '/config', readOnly: true },
      { name: 'keys', mountPath: '/keys', subPath: 'keys' },
      { name: 'tmp', mountPath: '/tmp' },
      ...(sources.length > 0 ? [{ name: 'authority', mountPath: authorityFolder, readOnly: true }] : []),
    ],
  };
  return {
    ...podOf(configuration, pod),
    serviceAccountName: validatorNameOf(id),
    terminationGracePeriodSeconds: 60,
    initContainers: [
      {
        name: 'keys',
        image,
        command: ['node', '-e', copyKeys],
        resources: resourcesOf({ cpu: '50m', memory: '128Mi' }),
        securityContext: closed,
        volumeMounts: [
          { name: 'secret', mountPath: '/secret', readOnly: true },
          { name: 'keys', mountPath: '/copy' },
        ],
      },
    ],
    containers: [node],
    volumes: [
      { name: 'config', secret: { secretName: validatorsSecret, defaultMode: 0o440 } },
      { name: 'secret', secret: { secretName: validatorSecretOf(id), defaultMode: 0o440 } },
      { name: 'keys', emptyDir: { medium: 'Memory', sizeLimit: '16Mi' } },
      { name: 'tmp', emptyDir: { sizeLimit: '64Mi' } },
      ...(sources.length > 0 ? [{ name: 'authority', projected: { defaultMode: 0o440, sources } }] : []),
    ],
  };
}

/** Of one validator: its pod, and the account that a role is bound to. */
export const validatorNameOf = (id: string): string => `${validatorsName}-${id}`;
/** The label of the pod of one validator. */
export const validatorLabel = 'castellan-validator';

/** One of each: two processes with one set of keys would contradict each other. A StatefulSet never runs two. */
function statefulSet(configuration: Configuration, validator: Validator): IStatefulSet {
  const { id, pod } = validator;
  const name = validatorNameOf(id);
  const own = { ...selectorOf(validatorsName), [validatorLabel]: id };
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name, labels: labelsOf(validatorsName) },
    spec: {
      replicas: 1,
      serviceName: validatorsName,
      selector: { matchLabels: own },
      template: {
        metadata: {
          labels: { ...labelsOf(validatorsName), ...own },
          ...annotationsOf(configuration.pod, pod),
        },
        spec: podSpec(configuration, validator),
      },
    },
  };
}

/** The validators of this operator, where there are any. */
export function validatorsChart(scope: Construct, configuration: Configuration): Chart | undefined {
  const { validators, namespace } = configuration;
  if (validators.length === 0) return undefined;
  const { metrics } = validatorPorts();
  const service: IService = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: validatorsName, labels: { ...labelsOf(validatorsName), [jobLabel]: 'castellan-validator' } },
    spec: {
      clusterIP: 'None',
      publishNotReadyAddresses: true,
      selector: selectorOf(validatorsName),
      ports: [{ name: 'metrics', port: metrics, targetPort: 'metrics' }],
    },
  };
  const chart = new Chart(scope, 'validators', { namespace });
  add(chart, service);
  // The network of validators does without one of them at a time.
  add(chart, disruptionBudgetOf(validatorsName));
  for (const validator of validators) {
    add(chart, serviceAccountOf(validatorNameOf(validator.id), validator));
    add(chart, statefulSet(configuration, validator));
  }
  return chart;
}
