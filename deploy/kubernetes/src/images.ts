import { z } from 'zod';
import { label } from './values.ts';

/** What Dockerfile makes; the keeper is a command of vaults. */
const names = ['gateway', 'auth', 'vaults', 'analytics', 'users', 'ai', 'validator-node'] as const;
export type ImageName = (typeof names)[number];

const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'must be sha256: and 64 hexadecimal digits');

/** Of others: a name with a tag, a digest or both, so that it is known what runs. */
const image = z
  .string()
  .regex(
    /^[\w.-]+(:\d+)?(\/[\w.-]+)*(:\w[\w.-]{0,127}(@sha256:[0-9a-f]{64})?|@sha256:[0-9a-f]{64})$/,
    'must be an image with a tag or a digest, such as registry.example.org/nats:2.12-alpine',
  );

export const Images = z.strictObject({
  registry: z
    .string()
    .regex(/^[\w.-]+(:\d+)?(\/[\w.-]+)*$/)
    .describe('Before the names: <registry>/castellan-gateway:<tag>.'),
  tag: z.string().regex(/^\w[\w.-]{0,127}$/),
  digests: z
    .partialRecord(z.enum(names), digest)
    .default({})
    .describe('By the names of the images: what is pulled whatever the tag says; digests.txt of a release has them.'),
  exporters: z
    .strictObject({
      nats: image.default('natsio/prometheus-nats-exporter:0.17.3'),
      mongodb: image.default('percona/mongodb_exporter:0.51.0'),
    })
    .prefault({})
    .describe('Of others, as the bus (bus.image): name those of a registry of yours where Docker Hub is not reached.'),
  pullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']).default('IfNotPresent'),
  pullSecrets: z.array(label).default([]),
});

type Images = z.output<typeof Images>;

export function imageOf({ images: { registry, tag, digests } }: { images: Images }, name: ImageName): string {
  const pinned = digests[name];
  return `${registry}/castellan-${name}:${tag}${pinned ? `@${pinned}` : ''}`;
}
