import type { IContainer, IPodSpec, IProbe, ISecurityContext, ITopologySpreadConstraint } from 'kubernetes-models/v1';
import type { Configuration } from './configuration.ts';
import { type Placement, type Pod, placementOf } from './pod-settings.ts';
import { bytesOf } from './quantity.ts';
import type { Resources } from './values.ts';

/** The user of the images, and of what runs beside them. */
export const user = 1000;

/** Where a service finds the files of its secrets. */
export const secretsPath = '/etc/castellan';

export const partOf = 'castellan';

/** Labels by which pods of one name are found. */
export const selectorOf = (name: string): Record<string, string> => ({ 'app.kubernetes.io/name': name });

export const labelsOf = (name: string): Record<string, string> => ({
  ...selectorOf(name),
  'app.kubernetes.io/part-of': partOf,
});

/** Nothing that a container of ours does needs more. */
export const closed: ISecurityContext = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

export const asUser: NonNullable<IPodSpec['securityContext']> = {
  runAsNonRoot: true,
  runAsUser: user,
  runAsGroup: user,
  fsGroup: user,
  // Volumes that are large would else be walked at every start.
  fsGroupChangePolicy: 'OnRootMismatch',
  seccompProfile: { type: 'RuntimeDefault' },
};

export const resourcesOf = ({ cpu, memory }: Resources): NonNullable<IContainer['resources']> => ({
  requests: { cpu, memory },
  limits: { memory },
});

/** Node takes half of the memory for its heap otherwise, and never more than 4 GiB. The rest is for buffers and code. */
export const heapOf = (memory: string): string =>
  `--max-old-space-size=${Math.floor((bytesOf(memory) * 0.75) / 2 ** 20)}`;

/** Across zones and hosts as evenly as may be; a pod starts all the same where that cannot be. */
export const spreadOf = (name: string): ITopologySpreadConstraint[] =>
  ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'].map((topologyKey) => ({
    maxSkew: 1,
    topologyKey,
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: { matchLabels: selectorOf(name) },
    // Pods of the version that is going away do not count.
    matchLabelKeys: ['pod-template-hash'],
  }));

const get = (path: string, port: string): IProbe => ({ httpGet: { path, port }, timeoutSeconds: 3 });

/** `/healthz` and `/readyz` of a port, as every process of ours serves them. */
export const probesOf = (port: string): Pick<IContainer, 'startupProbe' | 'livenessProbe' | 'readinessProbe'> => ({
  startupProbe: { ...get('/healthz', port), periodSeconds: 2, failureThreshold: 60 },
  livenessProbe: { ...get('/healthz', port), periodSeconds: 10, failureThreshold: 6 },
  readinessProbe: { ...get('/readyz', port), periodSeconds: 5, failureThreshold: 2 },
});

/** What is common to all pods. */
export const podOf = (
  { images, pod }: Configuration,
  own: Pod = {},
): Pick<IPodSpec, 'automountServiceAccountToken' | 'enableServiceLinks' | 'securityContext' | 'imagePullSecrets'> &
  Placement => ({
  automountServiceAccountToken: false,
  // Variables such as NATS_PORT, which the cluster would add, are no settings of ours.
  enableServiceLinks: false,
  securityContext: asUser,
  ...(images.pullSecrets.length > 0 && { imagePullSecrets: images.pullSecrets.map((name) => ({ name })) }),
  ...placementOf(pod, own),
});
