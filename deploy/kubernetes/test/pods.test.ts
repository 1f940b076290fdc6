import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import type { IDeployment, IStatefulSet } from 'kubernetes-models/apps/v1';
import { parse } from 'yaml';
import { manifestsOf } from '../src/app.ts';
import { configurationOf } from '../src/read.ts';
import { repository } from '../src/repository.ts';
import { unknownFields } from './fields.ts';
import { refusalsOf } from './schemas.ts';

const text = readFileSync(repository('deploy/kubernetes/example.yaml'), 'utf8');
const withImages = (more: string) => text.replace('  tag: 0.1.0\n', `  tag: 0.1.0\n${more}`);

/** Pod templates by the names of their workloads. */
async function templatesOf(configuration: string) {
  const { manifests } = await manifestsOf(configurationOf(configuration, '.'));
  const workloads = [...manifests.values()]
    .flat()
    .filter(({ kind }) => /^(Deployment|StatefulSet)$/.test(`${kind}`)) as (IDeployment | IStatefulSet)[];
  for (const workload of workloads) expect([...refusalsOf(workload), ...unknownFields(workload)]).toEqual([]);
  return new Map(workloads.map(({ metadata, spec }) => [`${metadata?.name}`, spec?.template]));
}

async function imagesOf(configuration: string): Promise<string[]> {
  const templates = [...(await templatesOf(configuration)).values()];
  const containers = templates.flatMap((template) => [
    ...(template?.spec?.initContainers ?? []),
    ...(template?.spec?.containers ?? []),
  ]);
  return containers.map(({ image }) => `${image}`);
}

describe('images', () => {
  test('default: those of others are the ones that compose runs', async () => {
    const { services } = parse(readFileSync(repository('docker-compose.yml'), 'utf8'), {
      merge: true,
      maxAliasCount: -1,
    }) as { services: Record<string, { image?: string }> };
    const others = (await imagesOf(text)).filter((image) => !image.startsWith('registry.example.org/'));
    const ofCompose = ['nats', 'nats-exporter', 'mongodb-exporter'].map((name) => services[name]?.image);
    expect(others.sort()).toEqual(ofCompose.sort());
  });

  test('behavior: all come from one registry, by their digests, where the configuration says so', async () => {
    const digest = (letter: string) => `sha256:${letter.repeat(64)}`;
    const pinned = withImages(`  digests: { vaults: "${digest('a')}", validator-node: "${digest('b')}" }
  exporters:
    nats: registry.example.org/mirror/prometheus-nats-exporter:0.17.3
    mongodb: registry.example.org/mirror/mongodb_exporter@${digest('c')}
`).replace('  servers: 3\n', `  servers: 3\n  image: registry.example.org/mirror/nats:2.12-alpine@${digest('d')}\n`);
    const images = await imagesOf(pinned);
    expect(images.filter((image) => !image.startsWith('registry.example.org/'))).toEqual([]);
    const digested = images.filter((image) => image.includes('@')).sort();
    expect(digested).toEqual([
      `registry.example.org/mirror/mongodb_exporter@${digest('c')}`,
      `registry.example.org/mirror/nats:2.12-alpine@${digest('d')}`,
      // The node and what copies its keys.
      ...Array.from({ length: 2 }, () => `registry.example.org/platform/castellan-validator-node:0.1.0@${digest('b')}`),
      // The keeper is of this image, too.
      ...Array.from({ length: 2 }, () => `registry.example.org/platform/castellan-vaults:0.1.0@${digest('a')}`),
    ]);
  });

  test.each([
    ['the digest of no image of ours', '  digests: { keeper: "sha256:00" }\n', /keeper/],
    ['a digest that is none', '  digests: { vaults: "sha256:00" }\n', /64 hexadecimal digits/],
    ['an exporter without a version', '  exporters: { nats: natsio/prometheus-nats-exporter }\n', /tag or a digest/],
  ])('error: %s is refused', (_, more, message) => {
    expect(() => configurationOf(withImages(more), '.')).toThrow(message);
  });
});

describe('what an operator adds to pods', () => {
  const added = text
    .replace('  keeper: {}\n', '  keeper: { pod: { nodeSelector: { pool: keys }, annotations: { team: keys } } }\n')
    .replace('  - id: oracle-0\n', '  - { id: oracle-0, pod: { priorityClassName: high } }\n')
    .replace('  servers: 3\n', '  servers: 3\n  pod: { tolerations: [] }\n')
    .concat(`pod:
  nodeSelector: { pool: castellan }
  tolerations: [{ key: dedicated, operator: Equal, value: castellan, effect: NoSchedule }]
  priorityClassName: normal
  annotations: { team: curators, cost: vaults }
`);

  test('behavior: is of all pods, and what one has of its own takes its place', async () => {
    const templates = await templatesOf(added);
    const tolerations = [{ key: 'dedicated', operator: 'Equal', value: 'castellan', effect: 'NoSchedule' }];
    const ofAll = { nodeSelector: { pool: 'castellan' }, tolerations, priorityClassName: 'normal' };
    const own: Record<string, object> = {
      keeper: { ...ofAll, nodeSelector: { pool: 'keys' } },
      'validator-oracle-0': { ...ofAll, priorityClassName: 'high' },
      nats: { ...ofAll, tolerations: [] },
    };
    expect([...templates.keys()]).toEqual(expect.arrayContaining(Object.keys(own)));
    for (const [name, template] of templates) {
      const { nodeSelector, tolerations: tolerated, priorityClassName } = template?.spec ?? {};
      const placed = { nodeSelector, tolerations: tolerated, priorityClassName };
      expect([name, placed]).toEqual([name, own[name] ?? ofAll]);
      const team = name === 'keeper' ? 'keys' : 'curators';
      expect([name, template?.metadata?.annotations]).toEqual([
        name,
        expect.objectContaining({ team, cost: 'vaults' }),
      ]);
    }
    expect(Object.keys(templates.get('nats')?.metadata?.annotations ?? {})).toContain('castellan/configuration');
  });

  test('error: a toleration of an unknown effect is refused', () => {
    expect(() => configurationOf(`${text}pod: { tolerations: [{ effect: Never }] }\n`, '.')).toThrow(/effect/);
  });
});
