import { z } from 'zod';
import { OfPods, variable } from './service-settings.ts';
import { label, Resources, secretKey, volumeSize } from './values.ts';

const field = String.raw`[\d*/,-]+`;
const schedule = z
  .string()
  .regex(new RegExp(`^${field}( ${field}){4}$`), 'must be minute, hour, day, month and day of the week, as of cron')
  .describe('As of cron, in UTC.');

const ofJobs = { resources: Resources.default({ cpu: '250m', memory: '1Gi' }), ...OfPods };

export const Backup = z.strictObject({
  schedule: schedule.default('30 2 * * *'),
  volume: z
    .union(
      [
        z.strictObject({ size: volumeSize, storageClass: label.optional() }),
        z.strictObject({
          claim: label.describe('A PersistentVolumeClaim of this namespace, such as of a volume elsewhere.'),
        }),
      ],
      'must be { size } with or without storageClass, or { claim }',
    )
    .describe('Where backups are kept: a claim that is made here, or one that exists.'),
  keepDays: z.int().min(1).max(3650).default(14).describe('After which a backup is deleted from there.'),
  ...ofJobs,
});

export const Archive = z.strictObject({
  schedule: schedule.default('0 4 * * 0'),
  chains: z.array(z.int().min(1)).min(1).describe('By their ids: each is archived to LOG_ARCHIVE of services.vaults.'),
  keepDays: z.int().min(2).max(3650).default(90).describe('Days of chain time that stay in the store.'),
  environment: z
    .record(variable, z.string())
    .default({})
    .describe(
      'Variables of the SDK of AWS, never a secret. Region and endpoints are those of services.vaults by default.',
    ),
  secretFiles: z
    .record(variable, secretKey)
    .default({})
    .describe(
      'Variables that name a file, such as AWS_SHARED_CREDENTIALS_FILE: the key of castellan-archive-log with its text.',
    ),
  ...ofJobs,
});
