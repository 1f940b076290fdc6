import type { IVolumeProjection } from 'kubernetes-models/v1';
import { busTlsSecretOf, type Configuration } from './configuration.ts';

/** A certificate of an authority that Node does not know. */
type Authority = { secret: string; key: string; file: string };

/** The authority alone of the bus's secret, whose key is none of those who ask the bus. */
const busAuthority = (configuration: Configuration): Authority[] => {
  const secret = busTlsSecretOf(configuration);
  return secret ? [{ secret, key: 'ca.crt', file: 'bus-ca.crt' }] : [];
};

export const storeAuthority = ({ store: { caSecret } }: Configuration): Authority[] =>
  caSecret ? [{ secret: caSecret.name, key: caSecret.key, file: 'store-ca.crt' }] : [];

/** Authorities of bus and store, which everybody who asks both must trust. */
export const authoritiesOf = (configuration: Configuration): Authority[] => [
  ...busAuthority(configuration),
  ...storeAuthority(configuration),
];

/** Of these certificates what a volume holds, in a folder of it or at its top. */
export const authoritySources = (authorities: readonly Authority[], folder?: string): IVolumeProjection[] =>
  authorities.map(({ secret: name, key, file }) => ({
    secret: { name, items: [{ key, path: folder ? `${folder}/${file}` : file }] },
  }));

/** The folder of certificates, for Node beside those that it has itself. NODE_EXTRA_CA_CERTS would take one file alone. */
export const authorityEnvironment = (authorities: readonly Authority[], folder: string): Record<string, string> =>
  authorities.length > 0 ? { NODE_USE_SYSTEM_CA: '1', SSL_CERT_DIR: folder } : {};

/** Secrets that are made elsewhere, with the keys that are read. */
export function foreignSecretsOf(configuration: Configuration): Map<string, string[]> {
  const busSecret = busTlsSecretOf(configuration);
  const secrets = new Map<string, string[]>(busSecret ? [[busSecret, ['tls.crt', 'tls.key', 'ca.crt']]] : []);
  for (const { secret, key } of storeAuthority(configuration))
    secrets.set(secret, [...new Set([...(secrets.get(secret) ?? []), key])]);
  return secrets;
}
