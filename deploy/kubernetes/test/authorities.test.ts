import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { IDeployment, IStatefulSet } from 'kubernetes-models/apps/v1';
import type { IContainer, IPodSpec } from 'kubernetes-models/v1';
import { manifestsOf } from '../src/app.ts';
import { authoritiesOf, authorityEnvironment, foreignSecretsOf } from '../src/authorities.ts';
import type { Configuration } from '../src/configuration.ts';
import type { Manifest } from '../src/manifest.ts';
import { workloadsOf } from '../src/workloads.ts';
import { unknownFields } from './fields.ts';
import { refusalsOf } from './schemas.ts';
import { readExample } from './snapshot.ts';

const example = readExample();
const { bus, store } = example;
if (bus.kind !== 'cluster') throw new Error('The example has a bus of its own.');
const withBus: Configuration = { ...example, bus: { ...bus, tlsSecret: 'nats-tls' } };
const caSecret = { name: 'mongo-ca', key: 'ca-bundle.pem' };
const withBoth: Configuration = { ...withBus, store: { ...store, caSecret } };
const users = [...workloadsOf(example).keys(), 'validator-oracle-0'].sort();

type Pods = IDeployment | IStatefulSet;
const podOf = ({ spec }: Pods): IPodSpec => spec?.template.spec as IPodSpec;

async function podsOf(configuration: Configuration): Promise<Pods[]> {
  const made = [...(await manifestsOf(configuration)).manifests.values()].flat();
  for (const manifest of made)
    expect([manifest.metadata?.name, ...refusalsOf(manifest), ...unknownFields(manifest)]).toEqual([
      manifest.metadata?.name,
    ]);
  return made.filter(({ kind }: Manifest) => /^(Deployment|StatefulSet)$/.test(`${kind}`)) as Pods[];
}

/** Certificates in the folder that SSL_CERT_DIR of a pod names, each as secret/key. */
function trustedBy(pod: Pods): string[] {
  const { env = [], volumeMounts = [] } = podOf(pod).containers[0] as IContainer;
  const folder = `${env.find(({ name }) => name === 'SSL_CERT_DIR')?.value}/`;
  const mount = volumeMounts.find(({ mountPath }) => folder.startsWith(`${mountPath}/`));
  const volume = podOf(pod).volumes?.find(({ name }) => name === mount?.name);
  return (volume?.projected?.sources ?? []).flatMap(({ secret }) =>
    (secret?.items ?? [])
      .filter(({ path }) => `${mount?.mountPath}/${path}` === `${folder}${basename(path)}`)
      .map(({ key }) => `${secret?.name}/${key}`),
  );
}

const trusting = (pods: Pods[]) =>
  Object.fromEntries(
    pods.map((pod) => [`${pod.metadata?.name}`, trustedBy(pod)] as const).filter(([, trusted]) => trusted.length > 0),
  );

test('security: with a certificate of the bus its servers alone have the key, and all who ask it trust its authority', async () => {
  const pods = await podsOf(withBus);
  const withKey = pods.filter((pod) => JSON.stringify(podOf(pod)).includes('"secretName":"nats-tls"'));
  expect(withKey.map(({ metadata }) => metadata?.name)).toEqual(['nats']);
  expect(trusting(pods)).toEqual(Object.fromEntries(users.map((name) => [name, ['nats-tls/ca.crt']])));
});

test('default: all who ask the store trust its authority, the exporter as well, and beside it that of the bus', async () => {
  expect(trusting(await podsOf(withBoth))).toEqual({
    ...Object.fromEntries(users.map((name) => [name, ['nats-tls/ca.crt', 'mongo-ca/ca-bundle.pem']])),
    'mongodb-exporter': ['mongo-ca/ca-bundle.pem'],
  });
  expect([...foreignSecretsOf(withBoth)]).toEqual([
    ['nats-tls', ['tls.crt', 'tls.key', 'ca.crt']],
    ['mongo-ca', ['ca-bundle.pem']],
  ]);
  expect(trusting(await podsOf(example))).toEqual({});
});

test('behavior: Node trusts each certificate of the folder, which kubelet fills with links, beside its own', () => {
  const folder = mkdtempSync(join(tmpdir(), 'castellan-authorities-'));
  try {
    mkdirSync(join(folder, '..2026'));
    symlinkSync('..2026', join(folder, '..data'));
    const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    const subjects = authoritiesOf(withBoth).map(({ file }) => {
      const key = join(folder, `${file}.key`);
      spawnSync('openssl', [...request, '-subj', `/CN=${file}`, '-keyout', key, '-out', join(folder, '..2026', file)]);
      rmSync(key);
      symlinkSync(`..data/${file}`, join(folder, file));
      return readFileSync(join(folder, file), 'utf8').trim();
    });
    const script = 'console.log(JSON.stringify(require("node:tls").getCACertificates("default").map((c) => c.trim())))';
    const env = { PATH: process.env.PATH, ...authorityEnvironment(authoritiesOf(withBoth), folder) };
    const { stdout } = spawnSync(process.execPath, ['-e', script], { env, encoding: 'utf8', maxBuffer: 2 ** 24 });
    const trusted = JSON.parse(stdout) as string[];
    expect(trusted).toEqual(expect.arrayContaining(subjects));
    expect(trusted.length).toBeGreaterThan(100);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
