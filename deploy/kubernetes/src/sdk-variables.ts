import type { z } from 'zod';

/** Variables of a service that name keys of a key service or a bucket, for which it has the SDK of a cloud. */
const namesKeys = ['AUTH_KMS_KEYS', 'ATTESTATION_KMS_KEYS', 'KEEPER_KMS_KEY'];
const namesBucket = ['LOG_ARCHIVE'];

/** Where a service of AWS is and how it is asked: the same for all who ask it. */
export const placesOfAws: readonly string[] = [
  'AWS_REGION',
  'AWS_ENDPOINT_URL',
  'AWS_ENDPOINT_URL_KMS',
  'AWS_ENDPOINT_URL_S3',
  'AWS_ENDPOINT_URL_STS',
  'AWS_USE_FIPS_ENDPOINT',
  'AWS_USE_DUALSTACK_ENDPOINT',
  'AWS_REQUEST_CHECKSUM_CALCULATION',
  'AWS_RESPONSE_CHECKSUM_VALIDATION',
];
export const ofAws: readonly string[] = [
  ...placesOfAws,
  'AWS_ROLE_ARN',
  'AWS_ROLE_SESSION_NAME',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'AWS_PROFILE',
  'AWS_CONFIG_FILE',
  'AWS_SHARED_CREDENTIALS_FILE',
];
const ofGoogle = ['GOOGLE_APPLICATION_CREDENTIALS', 'GOOGLE_CLOUD_PROJECT', 'GOOGLE_CLOUD_QUOTA_PROJECT'];

/** These hold a secret themselves; a file of credentials does instead. */
export const sdkSecrets: readonly string[] = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'];

/** Variables that the SDKs in a service read by themselves. */
export function sdkVariablesOf(schema: z.ZodObject): readonly string[] {
  const hasOne = (variables: readonly string[]) => variables.some((variable) => variable in schema.shape);
  return [...(hasOne([...namesKeys, ...namesBucket]) ? ofAws : []), ...(hasOne(namesKeys) ? ofGoogle : [])];
}
