import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { servicesConf } from '@castellan/service-kit';
import { Yaml } from 'cdk8s';
import { stringify } from 'yaml';
import { manifestsOf } from './app.ts';
import type { Configuration } from './configuration.ts';
import { adapterValues } from './monitoring.ts';
import { repository } from './repository.ts';
import { secretsOf, secretsScript } from './secrets.ts';

/** Helm reads `{{` as its own, but alerts, dashboards and the bus have text with it. */
export const escapedForHelm = (text: string): string => text.replaceAll('{{', '{{ "{{" }}');

const version = (): string =>
  (JSON.parse(readFileSync(repository('package.json'), 'utf8')) as { version: string }).version;

const chartFile = (tag: string): string =>
  stringify({
    apiVersion: 'v2',
    name: 'castellan',
    description:
      'Castellan, made by npm run kubernetes: change its configuration and make it again, there are no values.',
    type: 'application',
    version: version(),
    appVersion: tag,
    kubeVersion: '>=1.30.0-0',
  });

/** The files of the output by their paths, and the secrets they refer to. */
export async function outputOf(configuration: Configuration) {
  const { manifests, workloads } = await manifestsOf(configuration);
  const secrets = secretsOf(configuration, workloads);
  const files = new Map<string, string>();
  for (const [part, list] of manifests) {
    const text = Yaml.stringify(...list);
    files.set(`manifests/${part}.yaml`, text);
    // Helm makes the namespace itself (--create-namespace), before it could read one here.
    if (part !== 'namespace') files.set(`helm/castellan/templates/${part}.yaml`, escapedForHelm(text));
  }
  files.set('helm/castellan/Chart.yaml', chartFile(configuration.images.tag));
  files.set('create-secrets.sh', secretsScript(configuration.namespace, secrets));
  if (configuration.bus.kind === 'external') files.set('castellan.conf', servicesConf('castellan'));
  if (configuration.monitoring.customMetrics) files.set('prometheus-adapter-values.yaml', stringify(adapterValues()));
  return { files, secrets };
}

/** Writes them. What an earlier run left in the two folders goes: it would be applied with the rest. */
export function write(folder: string, files: ReadonlyMap<string, string>): void {
  for (const part of ['manifests', 'helm']) rmSync(join(folder, part), { recursive: true, force: true });
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    if (path.endsWith('.sh')) chmodSync(join(folder, path), 0o755);
  }
}
