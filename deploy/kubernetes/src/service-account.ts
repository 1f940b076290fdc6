import type { IServiceAccount } from 'kubernetes-models/v1';
import { labelsOf } from './pod.ts';
import type { ServiceSettings } from './service-settings.ts';

/** What a cloud binds a role to: one for each service, so that a role is of one service alone. Its pods get no token of the cluster. */
export const serviceAccountOf = (
  name: string,
  { serviceAccount: { annotations } }: Pick<ServiceSettings, 'serviceAccount'>,
): IServiceAccount => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name, labels: labelsOf(name), ...(Object.keys(annotations).length > 0 && { annotations }) },
  automountServiceAccountToken: false,
});
