import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Yaml } from 'cdk8s';
import { manifestsOf } from '../src/app.ts';
import type { Manifest } from '../src/manifest.ts';
import { readConfiguration } from '../src/read.ts';
import { repository } from '../src/repository.ts';

const folder = repository('deploy/kubernetes/test/example');

export const readExample = () => readConfiguration(repository('deploy/kubernetes/example.yaml'));

/** More is a file of this repository, which has its own history and its own tests. */
const longest = 2000;

/** A manifest without what follows from other files of this repository. */
function shortened(manifest: Manifest): Manifest {
  const { kind } = manifest;
  if (kind === 'PrometheusRule') return { ...manifest, spec: 'groups of deploy/prometheus/rules' } as Manifest;
  return JSON.parse(JSON.stringify(manifest), (key, value: unknown) => {
    if (key === 'castellan/configuration') return 'sha256 of the files';
    return typeof value === 'string' && value.length > longest ? `a text of ${key}` : value;
  }) as Manifest;
}

/** The manifests of the example by their parts, as they are kept. */
export const snapshotOf = (manifests: ReadonlyMap<string, readonly Manifest[]>): Record<string, string> =>
  Object.fromEntries([...manifests].map(([part, list]) => [part, Yaml.stringify(...list.map(shortened))]));

export const keptSnapshot = (): Record<string, string> =>
  Object.fromEntries(globSync(`${folder}/*.yaml`).map((file) => [basename(file, '.yaml'), readFileSync(file, 'utf8')]));

/** `node deploy/kubernetes/test/snapshot.ts` after a change of the manifests: the difference is what to review. */
if (import.meta.main) {
  const { manifests } = await manifestsOf(readExample());
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const [part, text] of Object.entries(snapshotOf(manifests))) writeFileSync(`${folder}/${part}.yaml`, text);
}
