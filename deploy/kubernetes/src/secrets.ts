import type { BusServiceName } from '@castellan/contracts';
import { busUsers, passwordVariableOf } from '@castellan/service-kit';
import { natsSecret, routePassword } from './bus.ts';
import type { Configuration } from './configuration.ts';
import { jobSecretsOf } from './jobs.ts';
import { publicKeysSecret, secretKeysOf } from './services.ts';
import { storeExporterSecret } from './store-exporter.ts';
import { validatorKeys, validatorSecretOf, validatorsSecret } from './validators.ts';
import type { Workload } from './workloads.ts';

/** The secrets that must exist, with their keys. Their values never pass through here. */
export function secretsOf(
  configuration: Configuration,
  workloads: ReadonlyMap<BusServiceName, Workload>,
): Map<string, string[]> {
  const { bus, store, validators } = configuration;
  const secrets = new Map<string, string[]>();
  const need = (secret: string, keys: readonly string[]) =>
    secrets.set(secret, [...new Set([...(secrets.get(secret) ?? []), ...keys])]);
  for (const [name, workload] of workloads)
    for (const [secret, keys] of secretKeysOf(name, workload)) need(secret, keys);
  if (bus.kind === 'cluster') need(natsSecret, [...busUsers.map(passwordVariableOf), routePassword]);
  if (store.exporter) need(storeExporterSecret, ['uri']);
  for (const [secret, keys] of jobSecretsOf(configuration)) need(secret, keys);
  if (validators.length > 0) need(validatorsSecret, ['config.toml', 'chains.toml']);
  for (const { id } of validators) need(validatorSecretOf(id), validatorKeys);
  return secrets;
}

/** The file of `tools/deploy-secrets.ts` with the value of a key; else one that the operator puts beside them. */
function fileOf(secret: string, key: string): string {
  const name = secret.replace(/^castellan-/, '');
  if (key === 'service-key') return `service-keys/${name}.json`;
  if (secret === publicKeysSecret) return 'service-keys/public.json';
  if (key === 'nats-url' || key === 'mongodb-uri') return `${key}-${name}`;
  if (secret === storeExporterSecret) return 'mongodb-uri-exporter';
  if (key === 'chains') return 'chains.json';
  if (secret.startsWith('castellan-validator')) return `${name}/${key}`;
  return key;
}

/** A script that makes the secrets of a folder of files, and brings those that exist to what the files say. */
export function secretsScript(namespace: string, secrets: ReadonlyMap<string, readonly string[]>): string {
  const commands = [...secrets].map(([secret, keys]) => {
    const sources =
      secret === natsSecret
        ? ['--from-env-file="$folder/nats.env"']
        : keys.map((key) => `--from-file=${key}="$folder/${fileOf(secret, key)}"`);
    return `make_secret ${secret} \\\n  ${sources.join(' \\\n  ')}`;
  });
  return `#!/bin/sh
# Makes the secrets of castellan: sh create-secrets.sh deploy/secrets
# The folder is that of \`tools/deploy-secrets.ts\`; docs/operations/kubernetes.md says which files are added to it.
set -eu
folder="\${1:?names the folder with the files}"

make_secret() {
  name="$1"
  shift
  # By the server: kubectl alone would note the values in an annotation, which more people read than secrets, and did so once.
  kubectl -n ${namespace} create secret generic "$name" "$@" --dry-run=client -o yaml |
    kubectl -n ${namespace} apply --server-side --force-conflicts -f -
  kubectl -n ${namespace} annotate secret "$name" kubectl.kubernetes.io/last-applied-configuration-
}

${commands.join('\n\n')}
`;
}
