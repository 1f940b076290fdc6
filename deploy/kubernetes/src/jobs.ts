import { Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import type { ICronJob } from 'kubernetes-models/batch/v1';
import type { IPersistentVolumeClaim, IPodSpec, IVolume, IVolumeMount } from 'kubernetes-models/v1';
import { authoritiesOf, authorityEnvironment, authoritySources } from './authorities.ts';
import type { Configuration } from './configuration.ts';
import { imageOf } from './images.ts';
import { add } from './manifest.ts';
import { closed, heapOf, labelsOf, podOf, resourcesOf } from './pod.ts';
import { annotationsOf } from './pod-settings.ts';
import { ofAws, placesOfAws } from './sdk-variables.ts';
import { serviceAccountOf } from './service-account.ts';
import type { ServiceSettings } from './service-settings.ts';
import { secretOf } from './services.ts';
import type { Resources } from './values.ts';

export const backupName = 'backup';
export const archiveName = 'archive-log';

/** Kept in a folder of which the commands know that its modes are the cluster's to decide. */
const secretsFolder = '/run/secrets/castellan';
const authoritiesFolder = '/authorities';
const backupsFolder = '/backups';

const passphraseFile = 'backup.passphrase';

/** What hangs is ended before the next one is due, and what failed is seen for a day. */
const longest = { runSeconds: 12 * 3600, seenSeconds: 24 * 3600 };

type Settings = Pick<ServiceSettings, 'serviceAccount' | 'pod'> & { schedule: string; resources: Resources };
type Job = {
  /** Of its pods, their account, policy and secret. */
  name: string;
  /** Of the schedule: one of several with the same name above. */
  cronJob: string;
  settings: Settings;
  command: readonly string[];
  environment: Readonly<Record<string, string>>;
  /** Of `castellan secrets`: with the URI of a user who may do this. */
  uriFile: string;
  /** Other files of its secret. */
  files: readonly string[];
  volume?: { claim: string; mountPath: string };
};

/** Databases that do not have the names which the commands know. */
const databasesOf = ({ services }: Configuration): string[] =>
  Object.entries(services).flatMap(([name, settings]) => {
    const database = name !== 'keeper' && settings?.environment.MONGODB_DATABASE;
    return database ? ['--database', `${name}=${database}`] : [];
  });

const claimOf = ({ volume }: NonNullable<Configuration['backup']>) => ('claim' in volume ? volume.claim : 'backups');

function backupJob(configuration: Configuration, settings: NonNullable<Configuration['backup']>): Job {
  // A volume may have a folder lost+found that nobody else may enter; a backup that was killed ends in .partial.
  const script = `bin/castellan backup --to "${backupsFolder}/$(date -u +%Y-%m-%dT%H%M%SZ).castellan" "$@" &&
  exec find ${backupsFolder} -maxdepth 1 -type f -name '*.castellan*' -mtime +${settings.keepDays} -delete`;
  return {
    name: backupName,
    cronJob: backupName,
    settings,
    command: ['/bin/sh', '-c', script, 'backup', ...databasesOf(configuration)],
    environment: { CASTELLAN_BACKUP_PASSPHRASE_FILE: `${secretsFolder}/${passphraseFile}` },
    uriFile: 'mongodb-uri-operator',
    files: [passphraseFile],
    volume: { claim: claimOf(settings), mountPath: backupsFolder },
  };
}

function archiveJobs(configuration: Configuration, settings: NonNullable<Configuration['archive']>): Job[] {
  const ofVaults = configuration.services.vaults.environment;
  const shared = Object.entries(ofVaults).filter(([variable]) => placesOfAws.includes(variable));
  const files = Object.entries(settings.secretFiles).map(([name, key]) => [name, `${secretsFolder}/${key}`]);
  return settings.chains.map((chain) => ({
    name: archiveName,
    cronJob: `${archiveName}-${chain}`,
    settings,
    command: [
      'bin/castellan',
      'archive-log',
      `--chain=${chain}`,
      `--to=${ofVaults.LOG_ARCHIVE}`,
      `--keep-days=${settings.keepDays}`,
      ...databasesOf(configuration),
    ],
    environment: { ...Object.fromEntries(shared), ...settings.environment, ...Object.fromEntries(files) },
    uriFile: 'mongodb-uri-vaults',
    files: Object.values(settings.secretFiles),
  }));
}

const jobsOf = (configuration: Configuration): Job[] => [
  ...(configuration.backup ? [backupJob(configuration, configuration.backup)] : []),
  ...(configuration.archive ? archiveJobs(configuration, configuration.archive) : []),
];

const secretKeysOf = ({ uriFile, files }: Job): string[] => [uriFile, ...files];

/** The secrets of the jobs, each with its keys. */
export const jobSecretsOf = (configuration: Configuration): Map<string, string[]> =>
  new Map(jobsOf(configuration).map((job) => [secretOf(job.name), secretKeysOf(job)]));

function podSpec(configuration: Configuration, job: Job): IPodSpec {
  const { name, settings, volume } = job;
  const authorities = authoritiesOf(configuration);
  const variables = {
    NODE_OPTIONS: heapOf(settings.resources.memory),
    ...authorityEnvironment(authorities, authoritiesFolder),
    MONGODB_URI_FILE: `${secretsFolder}/${job.uriFile}`,
    ...job.environment,
  };
  const items = secretKeysOf(job).map((key) => ({ key, path: key }));
  const volumes: (IVolume & Pick<IVolumeMount, 'mountPath' | 'readOnly'>)[] = [
    {
      name: 'secrets',
      mountPath: secretsFolder,
      readOnly: true,
      secret: { secretName: secretOf(name), defaultMode: 0o440, items },
    },
    { name: 'tmp', mountPath: '/tmp', emptyDir: { sizeLimit: '256Mi' } },
  ];
  if (authorities.length > 0) {
    const projected = { defaultMode: 0o440, sources: authoritySources(authorities) };
    volumes.push({ name: 'authorities', mountPath: authoritiesFolder, readOnly: true, projected });
  }
  if (volume)
    volumes.push({
      name: 'backups',
      mountPath: volume.mountPath,
      persistentVolumeClaim: { claimName: volume.claim },
    });
  return {
    ...podOf(configuration, settings.pod),
    serviceAccountName: name,
    restartPolicy: 'Never',
    containers: [
      {
        name,
        image: imageOf(configuration, 'vaults'),
        imagePullPolicy: configuration.images.pullPolicy,
        command: [...job.command],
        env: Object.entries(variables).map(([variable, value]) => ({ name: variable, value })),
        resources: resourcesOf(settings.resources),
        securityContext: closed,
        volumeMounts: volumes.map(({ name: mounted, mountPath, readOnly }) => ({
          name: mounted,
          mountPath,
          ...(readOnly && { readOnly }),
        })),
      },
    ],
    volumes: volumes.map(({ mountPath: _, readOnly: __, ...each }) => each),
  };
}

const cronJobOf = (configuration: Configuration, job: Job): ICronJob => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: job.cronJob, labels: labelsOf(job.name) },
  spec: {
    schedule: job.settings.schedule,
    timeZone: 'Etc/UTC',
    concurrencyPolicy: 'Forbid',
    // A cluster that was away at the time makes up for it within the hour.
    startingDeadlineSeconds: 3600,
    jobTemplate: {
      spec: {
        backoffLimit: 2,
        activeDeadlineSeconds: longest.runSeconds,
        ttlSecondsAfterFinished: longest.seenSeconds,
        template: {
          metadata: { labels: labelsOf(job.name), ...annotationsOf(configuration.pod, job.settings.pod) },
          spec: podSpec(configuration, job),
        },
      },
    },
  },
});

function claim({ volume }: NonNullable<Configuration['backup']>): IPersistentVolumeClaim[] {
  if ('claim' in volume) return [];
  const { size, storageClass } = volume;
  return [
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      // Backups outlive what they are backups of.
      metadata: { name: 'backups', labels: labelsOf(backupName), annotations: { 'helm.sh/resource-policy': 'keep' } },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: size } },
        ...(storageClass && { storageClassName: storageClass }),
      },
    },
  ];
}

/** What is wrong with the archive: where it is, and what its SDK reads. */
export function jobFaults({ archive, services }: Configuration): string[] {
  if (!archive) return [];
  const place = services.vaults.environment.LOG_ARCHIVE;
  const given = [...Object.keys(archive.environment), ...Object.keys(archive.secretFiles)];
  const unknown = given.filter((variable) => !ofAws.includes(variable));
  return [
    ...(place?.startsWith('s3://') ? [] : ['archive: LOG_ARCHIVE of services.vaults.environment must name a bucket']),
    ...unknown.map((variable) => `archive: ${variable} is no variable of the SDK of AWS, or a secret`),
  ];
}

/** What runs by a schedule: backups, and the archive of the log. */
export function jobsChart(scope: Construct, configuration: Configuration): Chart | undefined {
  const { backup, archive, namespace } = configuration;
  const jobs = jobsOf(configuration);
  if (jobs.length === 0) return undefined;
  const chart = new Chart(scope, 'jobs', { namespace });
  if (backup) for (const manifest of [serviceAccountOf(backupName, backup), ...claim(backup)]) add(chart, manifest);
  if (archive) add(chart, serviceAccountOf(archiveName, archive));
  for (const job of jobs) add(chart, cronJobOf(configuration, job));
  return chart;
}
