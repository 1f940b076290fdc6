import type { RemoteKey } from './remote-key.ts';

/** What a key is for: the chain's curve, or that of tokens. */
export type Curve = 'secp256k1' | 'P-256';

/** What a key service needs beside the name of a key. */
export type KeyOptions = {
  /** The file with the token of Vault. */
  vaultTokenFile?: string | undefined;
};

type Service = {
  curves: readonly Curve[];
  /** Of what follows the name of the service. */
  form: RegExp;
  example: string;
  /** Loads the client of this service, and of no other. */
  open(rest: string, options: KeyOptions): Promise<RemoteKey>;
};

const services: Readonly<Record<string, Service>> = {
  'aws-kms': {
    curves: ['secp256k1', 'P-256'],
    // An id, an ARN, or an alias.
    form: /^[\w:/-]{1,2048}$/,
    example: 'aws-kms:arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab',
    open: async (rest) => (await import('./aws-kms.ts')).awsKmsKey(rest),
  },
  'gcp-kms': {
    curves: ['secp256k1', 'P-256'],
    form: /^projects\/[\w.:-]+\/locations\/[\w-]+\/keyRings\/[\w-]+\/cryptoKeys\/[\w-]+\/cryptoKeyVersions\/\d+$/,
    example: 'gcp-kms:projects/P/locations/europe-west3/keyRings/R/cryptoKeys/K/cryptoKeyVersions/1',
    open: async (rest) => (await import('./gcp-kms.ts')).gcpKmsKey(rest),
  },
  vault: {
    curves: ['P-256'],
    form: /^https?:\/\/[^\s/@?#]+(\/[\w.-]+)+\/[\w-]+\/[1-9]\d*$/,
    example: 'vault:https://vault.example.net:8200/transit/KEY/1, which ends with the version of the key',
    async open(rest, { vaultTokenFile }) {
      if (vaultTokenFile === undefined) throw new Error('A key of Vault needs the file with its token.');
      return (await import('./vault-transit.ts')).vaultTransitKey(rest, vaultTokenFile);
    },
  },
  web3signer: {
    curves: ['secp256k1'],
    // Credentials in a URL would be in every message that names the key.
    form: /^https?:\/\/[^\s/@?#]+(\/[^\s@?#]*)?\/0x[0-9a-f]{128}$/,
    example: 'web3signer:http://127.0.0.1:9000/0x… with the 64 bytes of the public key',
    async open(rest) {
      const at = rest.lastIndexOf('/');
      return (await import('./web3signer.ts')).web3signerKey(rest.slice(0, at), rest.slice(at + 1));
    },
  },
};

const split = (name: string) => {
  const at = name.indexOf(':');
  return { service: name.slice(0, Math.max(0, at)), rest: name.slice(at + 1) };
};

const serviceOf = (name: string): Service | undefined => {
  const { service } = split(name);
  return Object.hasOwn(services, service) ? services[service] : undefined;
};

/** What is wrong with the name of a key for a curve, as the end of a sentence on what it must be; null for a good one. */
export function keyNameFault(name: string, curve: Curve = 'secp256k1'): string | null {
  const service = serviceOf(name);
  if (!service) return `a key service and the name of the key there, such as ${services['aws-kms']?.example}`;
  if (!service.curves.includes(curve)) return `a key of another service: ${split(name).service} has none of ${curve}`;
  return service.form.test(split(name).rest) ? null : service.example;
}

/**
 * Opens a key by its name, `SERVICE:NAME`. Nothing is asked yet.
 * @throws Error for a name that `keyNameFault` finds fault with.
 */
export async function openKey(name: string, curve: Curve = 'secp256k1', options: KeyOptions = {}): Promise<RemoteKey> {
  const fault = keyNameFault(name, curve);
  const service = serviceOf(name);
  if (fault !== null || !service) throw new Error(`A key must be named by ${fault}.`);
  return service.open(split(name).rest, options);
}
