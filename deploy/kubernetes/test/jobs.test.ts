import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { ICronJob } from 'kubernetes-models/batch/v1';
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import type { IPersistentVolumeClaim } from 'kubernetes-models/v1';
import { operatorCommands } from '../../../tools/castellan/commands.ts';
import { isHandedOver } from '../../../tools/castellan/handed-over.ts';
import { manifestsOf } from '../src/app.ts';
import { configurationOf } from '../src/read.ts';
import { secretsOf } from '../src/secrets.ts';
import { unknownFields } from './fields.ts';
import { refusalsOf } from './schemas.ts';

async function made(more: string) {
  const configuration = configurationOf(
    `
images: { registry: registry.example.org, tag: "1" }
publicUrl: https://castellan.example.org
trustedProxies: [10.0.0.1]
bus: { kind: external, addresses: [{ cidr: 10.1.0.0/16, port: 4222 }] }
store: { addresses: [{ cidr: 10.2.0.0/16, port: 27017 }], exporter: false, caSecret: { name: mongo-ca } }
monitoring: { operator: false, dashboards: false }
${more}
`,
    '.',
  );
  const { manifests, workloads } = await manifestsOf(configuration);
  const all = [...manifests.values()].flat();
  for (const manifest of all) {
    const named = `${manifest.kind} ${manifest.metadata?.name}`;
    expect([named, ...refusalsOf(manifest), ...unknownFields(manifest)]).toEqual([named]);
  }
  const ofKind = <T>(kind: string): T[] => all.filter((manifest) => manifest.kind === kind) as T[];
  const policyOf = (name: string) =>
    ofKind<INetworkPolicy>('NetworkPolicy').find(({ metadata }) => metadata?.name === name)?.spec;
  return { ofKind, policyOf, jobs: ofKind<ICronJob>('CronJob'), secrets: secretsOf(configuration, workloads) };
}

const podOf = ({ spec }: ICronJob) => spec?.jobTemplate.spec?.template.spec;
const commandOf = (job: ICronJob) => podOf(job)?.containers[0]?.command ?? [];
const environmentOf = (job: ICronJob) =>
  Object.fromEntries((podOf(job)?.containers[0]?.env ?? []).map(({ name, value }) => [name, value]));
const networksOf = (policy: INetworkPolicy['spec']) =>
  (policy?.egress ?? []).flatMap(({ to = [] }) => to.map(({ ipBlock }) => ipBlock?.cidr));
/** Options of a command line that the command does not have. */
const unknownOptionsOf = (path: string, words: readonly string[]) => {
  const known = Object.keys(operatorCommands.find((command) => command.path === path)?.options ?? {});
  const given = words.flatMap((word) => [...word.matchAll(/(?:^|\s)--([\w-]+)/g)].map(([, name]) => `${name}`));
  return given.filter((name) => !known.includes(name));
};

describe('the backup', () => {
  const settings = 'backup: { volume: { size: 50Gi, storageClass: slow } }\n';

  test('default: is a job of a hardened pod, with secrets of its own, a volume that stays, and a way to the store alone', async () => {
    const { jobs, secrets, policyOf, ofKind } = await made(settings);
    expect(jobs.map(({ metadata, spec }) => [metadata?.name, spec?.schedule])).toEqual([['backup', '30 2 * * *']]);
    const [job] = jobs as [ICronJob];
    expect(podOf(job)).toMatchObject({
      automountServiceAccountToken: false,
      serviceAccountName: 'backup',
      securityContext: { runAsNonRoot: true },
      containers: [{ securityContext: { readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } } }],
    });
    expect(secrets.get('castellan-backup')).toEqual(['mongodb-uri-operator', 'backup.passphrase']);
    expect(environmentOf(job)).toMatchObject({ SSL_CERT_DIR: '/authorities' });
    const claims = ofKind<IPersistentVolumeClaim>('PersistentVolumeClaim');
    expect(claims).toMatchObject([
      {
        metadata: { name: 'backups', annotations: { 'helm.sh/resource-policy': 'keep' } },
        spec: { storageClassName: 'slow', resources: { requests: { storage: '50Gi' } } },
      },
    ]);
    expect(networksOf(policyOf('backup'))).toEqual(['10.2.0.0/16']);
    expect(policyOf('backup')?.ingress).toEqual([]);
  });

  test('behavior: the command has these options, and takes the passphrase from where the cluster puts it', async () => {
    const { jobs } = await made(`${settings}services: { users: { environment: { MONGODB_DATABASE: our_users } } }`);
    const [job] = jobs as [ICronJob];
    expect(commandOf(job).slice(-2)).toEqual(['--database', 'users=our_users']);
    expect(unknownOptionsOf('backup', commandOf(job))).toEqual([]);
    const { CASTELLAN_BACKUP_PASSPHRASE_FILE: passphrase, MONGODB_URI_FILE: uri } = environmentOf(job);
    expect([passphrase, uri].map((file) => isHandedOver(`${file}`))).toEqual([true, true]);
  });

  test('behavior: what it keeps is of the last days, and a backup that fails deletes nothing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'castellan-backups-'));
    try {
      const { jobs } = await made('backup: { volume: { claim: ours }, keepDays: 3 }\n');
      const [job] = jobs as [ICronJob];
      expect(podOf(job)?.volumes).toContainEqual({
        name: 'backups',
        persistentVolumeClaim: { claimName: 'ours' },
      });
      const [shell = '', ...args] = commandOf(job);
      mkdirSync(join(folder, 'backups/lost+found'), { recursive: true });
      mkdirSync(join(folder, 'bin'));
      const old = ['old.castellan', 'old.castellan.1.partial', 'lost+found/old.castellan', 'other'];
      for (const name of old) {
        writeFileSync(join(folder, 'backups', name), '');
        utimesSync(join(folder, 'backups', name), 0, 0);
      }
      const run = (script: string) => {
        writeFileSync(join(folder, 'bin/castellan'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
        const local = args.map((word) => word.replaceAll('/backups', join(folder, 'backups')));
        const { status } = spawnSync(shell, local, { cwd: folder });
        return [status, readdirSync(join(folder, 'backups')).sort()];
      };
      expect(run('exit 1')).toEqual([1, ['lost+found', 'old.castellan', 'old.castellan.1.partial', 'other']]);
      expect(run('touch "$3"')).toEqual([
        0,
        [expect.stringMatching(/^\d{4}-\d\d-\d\dT\d{6}Z\.castellan$/), 'lost+found', 'other'],
      ]);
      expect(readdirSync(join(folder, 'backups/lost+found'))).toEqual(['old.castellan']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('the archive of the log', () => {
  const archive = (more = '', ofVaults = '') => `
services: { vaults: { environment: { LOG_ARCHIVE: "s3://our-logs/castellan", ${ofVaults} } } }
archive: { chains: [1, 8453], keepDays: 30, cloudIdentity: eks-pod-identity, ${more} }
`;

  test('default: is a job for each chain, which writes where vaults reads, under an account of its own', async () => {
    const { jobs, secrets, policyOf } = await made(
      archive('environment: { AWS_REGION: eu-west-1 }, secretFiles: { AWS_SHARED_CREDENTIALS_FILE: aws }'),
    );
    expect(jobs.map(({ metadata }) => metadata?.name)).toEqual(['archive-log-1', 'archive-log-8453']);
    for (const job of jobs) expect(podOf(job)?.serviceAccountName).toBe('archive-log');
    const [, job] = jobs as [ICronJob, ICronJob];
    expect(commandOf(job)).toEqual([
      'bin/castellan',
      'archive-log',
      '--chain=8453',
      '--to=s3://our-logs/castellan',
      '--keep-days=30',
    ]);
    expect(unknownOptionsOf('archive-log', commandOf(job))).toEqual([]);
    expect(environmentOf(job)).toMatchObject({
      AWS_REGION: 'eu-west-1',
      AWS_SHARED_CREDENTIALS_FILE: '/run/secrets/castellan/aws',
    });
    expect(secrets.get('castellan-archive-log')).toEqual(['mongodb-uri-vaults', 'aws']);
    expect(networksOf(policyOf('archive-log'))).toEqual([
      '10.2.0.0/16',
      '0.0.0.0/0',
      '169.254.170.23/32',
      'fd00:ec2::23/128',
    ]);
  });

  test('behavior: region and endpoint are those of vaults where it has none of its own, and no identity is', async () => {
    const ofVaults =
      'AWS_REGION: eu-west-1, AWS_ENDPOINT_URL_S3: "https://s3.example.org", AWS_PROFILE: vaults, AWS_ROLE_ARN: x, AWS_CONFIG_FILE: /etc/castellan/aws';
    const { jobs } = await made(archive('environment: { AWS_REGION: eu-west-2 }', ofVaults));
    const given = Object.entries(environmentOf(jobs[0] as ICronJob)).filter(([name]) => name.startsWith('AWS_'));
    expect(Object.fromEntries(given)).toEqual({
      AWS_REGION: 'eu-west-2',
      AWS_ENDPOINT_URL_S3: 'https://s3.example.org',
    });
  });

  test.each([
    ['no place', 'archive: { chains: [1] }', /^archive: LOG_ARCHIVE of services.vaults.environment must name a bucket/],
    ['a secret in the open', archive('environment: { AWS_SECRET_ACCESS_KEY: x }'), /^archive: AWS_SECRET_ACCESS_KEY/],
    ['a schedule that is none', archive('schedule: daily'), /must be minute, hour, day/],
  ])('error: with %s is refused', async (_, settings, message) => {
    await expect((async () => made(settings))()).rejects.toThrow(message);
  });
});

test('behavior: without either nothing runs by a schedule', async () => {
  expect((await made('')).jobs).toEqual([]);
});
