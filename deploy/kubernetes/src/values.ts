import { z } from 'zod';

export const label = z.string().regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'must be a DNS label: a-z, 0-9 and -');
export const cidr = z.union([z.cidrv4(), z.cidrv6()]);
export const port = z.int().min(1).max(65_535);
/** Of a secret, and the name of the file it becomes. */
export const secretKey = z.string().regex(/^[\w.-]{1,253}$/, 'must be a key of a secret: letters, digits, -, _ and .');
export const volumeSize = z.string().regex(/^[1-9]\d*Gi$/, 'must be whole gibibytes, such as 20Gi');
export const annotations = z.record(z.string(), z.string());

const quantity = z.string().regex(/^\d+(\.\d+)?(m|k|M|G|T|Ki|Mi|Gi|Ti)?$/, 'must be a quantity such as 500m or 2Gi');

/** Who is reached: hosts of a network, or pods of another namespace, whose addresses change. */
export const Address = z.union(
  [
    z.strictObject({ cidr: cidr.describe('Network that is reached; 10.0.7.12/32 for one host.'), port }),
    z.strictObject({
      namespace: label.describe('Of this cluster.'),
      labels: z
        .record(z.string(), z.string())
        .refine((labels) => Object.keys(labels).length > 0, 'must have a label')
        .describe('Of the pods that are reached.'),
      port: port.describe('Of the pods, not of their Service.'),
    }),
  ],
  'must be a network, { cidr, port }, or pods, { namespace, labels, port }',
);

export const Resources = z.strictObject({
  cpu: quantity.describe('CPU that is reserved; there is no limit, so that a burst is not throttled.'),
  memory: quantity.describe('Memory that is reserved, and the limit.'),
});

export type Resources = z.output<typeof Resources>;
export type Address = z.output<typeof Address>;
