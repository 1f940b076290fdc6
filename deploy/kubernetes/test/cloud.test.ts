import { describe, expect, test } from '@jest/globals';
import type { IDeployment, IStatefulSet } from 'kubernetes-models/apps/v1';
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import type { IServiceAccount } from 'kubernetes-models/v1';
import { manifestsOf } from '../src/app.ts';
import { configurationOf } from '../src/read.ts';
import { secretsOf } from '../src/secrets.ts';
import { unknownFields } from './fields.ts';
import { refusalsOf } from './schemas.ts';

/** The least that must be said, with what a test is about. */
const configured = (more: string) =>
  configurationOf(
    `
images: { registry: registry.example.org, tag: "1" }
publicUrl: https://castellan.example.org
trustedProxies: [10.0.0.1]
bus: { kind: external, addresses: [{ cidr: 10.1.0.0/16, port: 4222 }] }
store: { addresses: [{ cidr: 10.2.0.0/16, port: 27017 }], exporter: false }
monitoring: { operator: false, dashboards: false }
${more}
`,
    '.',
  );

async function made(more: string) {
  const { manifests, workloads } = await manifestsOf(configured(more));
  const all = [...manifests.values()].flat();
  for (const manifest of all) {
    const named = `${manifest.kind} ${manifest.metadata?.name}`;
    expect([named, ...refusalsOf(manifest), ...unknownFields(manifest)]).toEqual([named]);
  }
  const ofKind = <T>(kind: string): T[] => all.filter((manifest) => manifest.kind === kind) as T[];
  return { ofKind, workloads, pods: [...ofKind<IDeployment>('Deployment'), ...ofKind<IStatefulSet>('StatefulSet')] };
}

describe('accounts', () => {
  test('security: each service and validator has one of its own, to which a role is bound, and no token of the cluster', async () => {
    const { ofKind, pods } = await made(`
services:
  keeper: { serviceAccount: { annotations: { eks.amazonaws.com/role-arn: "arn:aws:iam::1:role/keeper" } } }
validators:
  - { id: oracle-0, serviceAccount: { annotations: { iam.gke.io/gcp-service-account: oracle@p.iam.gserviceaccount.com } } }
  - id: oracle-1
`);
    const used = pods.map(({ metadata, spec }) => [metadata?.name, spec?.template.spec?.serviceAccountName]);
    expect(used).toHaveLength(9);
    for (const [name, account] of used) expect(account).toBe(name);
    const accounts = ofKind<IServiceAccount>('ServiceAccount');
    expect(accounts.map(({ metadata }) => metadata?.name).sort()).toEqual(used.map(([name]) => name).sort());
    for (const { automountServiceAccountToken } of accounts) expect(automountServiceAccountToken).toBe(false);
    const bound = accounts.filter(({ metadata }) => metadata?.annotations).map(({ metadata }) => metadata?.name);
    expect(bound).toEqual(['keeper', 'validator-oracle-0']);
  });
});

describe('addresses that give credentials', () => {
  const linkLocal = ({ spec }: INetworkPolicy) =>
    (spec?.egress ?? []).flatMap(({ to = [], ports = [] }) =>
      to.flatMap(({ ipBlock }) =>
        /^(169\.254|fd00:ec2)/.test(`${ipBlock?.cidr}`) ? [`${ipBlock?.cidr} ${ports.map(({ port }) => port)}`] : [],
      ),
    );

  test('security: are open to those alone of whom the configuration says so', async () => {
    const { ofKind } = await made(`
services:
  auth: { cloudIdentity: gke }
  vaults: { cloudIdentity: ec2 }
  keeper: { cloudIdentity: eks-pod-identity }
validators: [{ id: oracle-0, cloudIdentity: eks-pod-identity }, { id: oracle-1 }]
`);
    const opened = ofKind<INetworkPolicy>('NetworkPolicy').flatMap((policy) => {
      const addresses = linkLocal(policy);
      return addresses.length > 0 ? [[policy.metadata?.name, policy.spec?.podSelector, addresses]] : [];
    });
    const agent = ['169.254.170.23/32 80', 'fd00:ec2::23/128 80'];
    const named = (name: string) => ({ matchLabels: { 'app.kubernetes.io/name': name } });
    expect(opened).toEqual([
      ['default', {}, ['169.254.0.0/16 53,53']],
      ['auth', named('auth'), ['169.254.169.254/32 80', '169.254.169.252/32 988']],
      ['vaults', named('vaults'), ['169.254.169.254/32 80', 'fd00:ec2::254/128 80']],
      ['keeper', named('keeper'), agent],
      ['validator-oracle-0', { matchLabels: { 'castellan-validator': 'oracle-0' } }, agent],
    ]);
  });
});

describe('files of secrets', () => {
  test('default: the variable names the file, and the secret of the service has its key', async () => {
    const { pods, workloads } = await made(`
services:
  auth:
    environment: { AUTH_KMS_KEYS: "vault:https://vault.example.org/transit/tokens/1" }
    secretFiles: { AUTH_VAULT_TOKEN_FILE: vault-token, GOOGLE_APPLICATION_CREDENTIALS: google.json }
`);
    const auth = pods.find(({ metadata }) => metadata?.name === 'auth')?.spec?.template.spec;
    const env = auth?.containers[0]?.env ?? [];
    expect(env).toContainEqual({ name: 'AUTH_VAULT_TOKEN_FILE', value: '/etc/castellan/vault-token' });
    expect(env).toContainEqual({ name: 'GOOGLE_APPLICATION_CREDENTIALS', value: '/etc/castellan/google.json' });
    const items = auth?.volumes?.[0]?.projected?.sources?.find(({ secret }) => secret?.name === 'castellan-auth');
    expect(items?.secret?.items).toContainEqual({ key: 'vault-token', path: 'vault-token' });
    expect(secretsOf(configured(''), workloads).get('castellan-auth')).toEqual(
      expect.arrayContaining(['vault-token', 'google.json']),
    );
  });

  test.each([
    ['no variable of the service', 'secretFiles: { VAULT_TOKEN_FILE: a }', /VAULT_TOKEN_FILE is no variable/],
    [
      'the name of another file',
      'secretFiles: { AUTH_VAULT_TOKEN_FILE: service-key }',
      /service-key is the name of two files/,
    ],
    [
      'a variable that stands in the open as well',
      'environment: { AUTH_VAULT_TOKEN_FILE: /a }, secretFiles: { AUTH_VAULT_TOKEN_FILE: a }',
      /not in both/,
    ],
  ])('error: %s is refused', async (_, settings, message) => {
    await expect((async () => made(`services: { auth: { ${settings} } }`))()).rejects.toThrow(message);
  });
});

describe('variables of the SDKs', () => {
  const withVariables = (service: string, variables: string) =>
    made(`services: { ${service}: { environment: { ${variables} } } }`);

  test.each([
    ['auth', 'AWS_REGION: eu-west-1, GOOGLE_APPLICATION_CREDENTIALS: /etc/castellan/google.json'],
    ['users', 'AWS_ROLE_ARN: "arn:aws:iam::1:role/users"'],
    ['keeper', 'AWS_REGION: eu-west-1'],
    ['vaults', 'LOG_ARCHIVE: "s3://logs/castellan", AWS_ENDPOINT_URL_S3: "https://s3.example.org"'],
  ])('default: %s has the SDK that reads them', async (service, variables) => {
    const { pods } = await withVariables(service, variables);
    const env = pods.find(({ metadata }) => metadata?.name === service)?.spec?.template.spec?.containers[0]?.env;
    expect(env?.map(({ name }) => name)).toContain(/\w+/.exec(variables)?.[0]);
  });

  test.each([
    ['of a service without an SDK', 'analytics', 'AWS_REGION: eu-west-1', /^analytics: AWS_REGION is no variable/],
    ['of another SDK', 'vaults', 'GOOGLE_CLOUD_PROJECT: p', /^vaults: GOOGLE_CLOUD_PROJECT is no variable/],
    ['that are a secret', 'auth', 'AWS_SECRET_ACCESS_KEY: x', /^auth: AWS_SECRET_ACCESS_KEY is a secret/],
  ])('error: those %s are refused', async (_, service, variables, message) => {
    await expect(withVariables(service, variables)).rejects.toThrow(message);
  });
});
