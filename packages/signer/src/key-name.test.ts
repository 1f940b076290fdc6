import { expect, test } from '@jest/globals';
import { keyNameFault, openKey } from './key-name.ts';

const point = `0x${'ab'.repeat(64)}`;
const version = 'projects/p/locations/eu/keyRings/r/cryptoKeys/k/cryptoKeyVersions/3';

test.each([
  'aws-kms:alias/castellan-keeper',
  'aws-kms:arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab',
  `gcp-kms:${version}`,
  `web3signer:http://127.0.0.1:9000/${point}`,
  `web3signer:https://signer.example.net/behind/a/path/${point}`,
])('default: %s is opened, and says its name', async (name) => {
  expect(keyNameFault(name)).toBeNull();
  expect((await openKey(name)).name).toBe(name);
});

test.each([
  ['no service', 'castellan-keeper', /a key service and the name of the key there/],
  ['a property of every object', 'constructor:x', /a key service/],
  ['an unknown service', 'azure:k', /a key service/],
  ['Vault', 'vault:https://h/transit/k/1', /vault has none of secp256k1/],
  ['a name with a blank', 'aws-kms:alias/a b', /aws-kms:arn/],
  ['a key without its version', `gcp-kms:${version.replace(/\/cryptoKeyVersions.*/, '')}`, /cryptoKeyVersions\/1/],
  ['credentials in a URL', `web3signer:http://user:password@host/${point}`, /64 bytes/],
  ['a short public key', 'web3signer:http://host/0xab', /64 bytes/],
])('error: %s', async (_, name, fault) => {
  expect(keyNameFault(name)).toMatch(fault);
  await expect(openKey(name)).rejects.toThrow(fault);
});
