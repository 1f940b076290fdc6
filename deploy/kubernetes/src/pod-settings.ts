import type { IPodSpec } from 'kubernetes-models/v1';
import { z } from 'zod';
import { annotations, label } from './values.ts';

const Toleration = z.strictObject({
  key: z.string().min(1).optional(),
  operator: z.enum(['Equal', 'Exists']).optional(),
  value: z.string().optional(),
  effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']).optional(),
  tolerationSeconds: z.int().min(0).optional(),
});

/** What an operator adds to pods. */
export const Pod = z.strictObject({
  nodeSelector: z.record(z.string(), z.string()).optional().describe('Labels of the hosts on which they run.'),
  tolerations: z.array(Toleration).optional().describe('Taints of hosts that do not keep them away.'),
  priorityClassName: label.optional().describe('A PriorityClass of the cluster.'),
  annotations: annotations.optional().describe('For what else in the cluster reads them.'),
});

export type Pod = z.output<typeof Pod>;

/** Annotations of a pod: its own beside those of all, where a name is in both its own. */
export const annotationsOf = (ofAll: Pod, own: Pod, more: Record<string, string> = {}) => {
  const all = { ...ofAll.annotations, ...own.annotations, ...more };
  return Object.keys(all).length > 0 ? { annotations: all } : {};
};

export type Placement = Pick<IPodSpec, 'nodeSelector' | 'tolerations' | 'priorityClassName'>;

/** Where a pod runs: what is its own takes the place of what all have. */
export function placementOf(ofAll: Pod, own: Pod): Placement {
  const { annotations: _, ...placement } = { ...ofAll, ...own };
  return placement as Placement;
}
