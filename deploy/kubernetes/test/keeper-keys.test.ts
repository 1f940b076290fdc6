import { expect, test } from '@jest/globals';
import type { IDeployment } from 'kubernetes-models/apps/v1';
import { manifestsOf } from '../src/app.ts';
import { secretsOf } from '../src/secrets.ts';
import { Keeper } from '../src/service-settings.ts';
import { readExample } from './snapshot.ts';

const example = readExample();

/** Variables of the keeper's keys and the files of its secret, under its settings. */
async function keeperWith(settings: Parameters<typeof Keeper.parse>[0]) {
  const configuration = { ...example, services: { ...example.services, keeper: Keeper.parse(settings) } };
  const { manifests, workloads } = await manifestsOf(configuration);
  const deployment = manifests.get('keeper')?.find(({ kind }) => kind === 'Deployment') as IDeployment;
  const pod = deployment.spec?.template.spec;
  const names = pod?.containers[0]?.env
    ?.map(({ name }) => name)
    .filter((name) => /KEYSTORE|UNLOCK|KMS|PRIVATE_KEY/.test(name));
  const source = pod?.volumes?.[0]?.projected?.sources?.find(({ secret }) => secret?.name === 'castellan-keeper');
  const mounted = source?.secret?.items?.map(({ key }) => key) ?? [];
  expect(mounted).toEqual(secretsOf(configuration, workloads).get('castellan-keeper'));
  return { variables: names, files: mounted.filter((key) => !/^(nats-url|mongodb-uri|service-key)$/.test(key)) };
}

const keystore = ['KEEPER_KEYSTORE_FILE', 'KEEPER_UNLOCK_FILE'];
const chains = (...own: unknown[]) => ({ KEEPER_CHAINS: JSON.stringify(own) });
const base = { chain_id: 8453, keystore_file: '/etc/castellan/base.json', unlock_file: '/etc/castellan/base-unlock' };

test('default: the common key is a keystore, and none with a key service', async () => {
  expect(await keeperWith({})).toEqual({ variables: keystore, files: ['keystore.json', 'unlock'] });
  expect(await keeperWith({ environment: { KEEPER_KMS_KEY: 'aws-kms:alias/keeper' } })).toEqual({
    variables: ['KEEPER_KMS_KEY'],
    files: [],
  });
});

test('behavior: the key in a file of the secret is the common key, with or without a word about the keystore', async () => {
  const expected = { variables: ['KEEPER_PRIVATE_KEY_FILE'], files: ['keeper-key'] };
  const secretFiles = { KEEPER_PRIVATE_KEY_FILE: 'keeper-key' };
  expect(await keeperWith({ secretFiles })).toEqual(expected);
  expect(await keeperWith({ keystore: false, secretFiles })).toEqual(expected);
});

test('behavior: keystores of single chains are mounted beside the common one, each once', async () => {
  const environment = chains(base, { ...base, chain_id: 10 }, { chain_id: 1, kms_key: 'aws-kms:alias/mainnet' });
  expect(await keeperWith({ environment })).toEqual({
    variables: keystore,
    files: ['keystore.json', 'unlock', 'base.json', 'base-unlock'],
  });
});

test('behavior: where each chain has a key of its own, no keystore is asked for', async () => {
  const kms = chains({ chain_id: 1, kms_key: 'aws-kms:alias/mainnet' });
  expect(await keeperWith({ keystore: false, environment: kms })).toEqual({ variables: [], files: [] });
  const own = await keeperWith({ keystore: false, environment: chains(base) });
  expect(own).toEqual({ variables: [], files: ['base.json', 'base-unlock'] });
});

test.each([
  ['no key at all', { keystore: false }, /^keeper: without a keystore it needs KEEPER_KMS_KEY/],
  [
    'two common keys',
    { keystore: true, environment: { KEEPER_KMS_KEY: 'aws-kms:alias/keeper' } },
    /^keeper: takes a keystore or KEEPER_KMS_KEY, not both/,
  ],
  [
    'a keystore beside a key in a file',
    { keystore: true, secretFiles: { KEEPER_PRIVATE_KEY_FILE: 'keeper-key' } },
    /^keeper: takes a keystore or KEEPER_PRIVATE_KEY_FILE, not both/,
  ],
  [
    'a key of a key service beside one in a file',
    { environment: { KEEPER_KMS_KEY: 'aws-kms:alias/keeper' }, secretFiles: { KEEPER_PRIVATE_KEY_FILE: 'keeper-key' } },
    /^keeper: takes KEEPER_KMS_KEY or KEEPER_PRIVATE_KEY_FILE, not both/,
  ],
  [
    'a list of chains in a file',
    { keystore: false, secretFiles: { KEEPER_CHAINS_FILE: 'keeper-chains' } },
    /^keeper: KEEPER_CHAINS_FILE is not read here, .*: put the list, .* into environment as KEEPER_CHAINS$/,
  ],
  [
    'a keystore that no volume has',
    { environment: chains({ ...base, keystore_file: '/keys/base.json' }) },
    /^keeper: KEEPER_CHAINS names \/keys\/base.json: its files must be in \/etc\/castellan/,
  ],
  [
    'the file of a variable as a keystore',
    { environment: chains({ ...base, unlock_file: '/etc/castellan/nats-url' }) },
    /^keeper: nats-url is the name of two files/,
  ],
  ['a text that is no list', { environment: { KEEPER_CHAINS: '{' } }, /^keeper: KEEPER_CHAINS must be a JSON list/],
])('error: %s is refused', async (_, settings, message) => {
  await expect(keeperWith(settings)).rejects.toThrow(message);
});
