import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { ArchivePlace } from '../ports.ts';

/** For one attempt, and how many are made: a range is half a megabyte, and its reader waits. */
const patience = { attemptMs: 10_000, attempts: 3 };

/**
 * Objects of a bucket. Credentials, region and endpoint are those of the SDK: a role, `AWS_PROFILE`, `AWS_REGION`, `AWS_ENDPOINT_URL_S3`.
 * @param prefix - In front of names, with a slash between; may be empty.
 */
export function s3Place(bucket: string, prefix: string, { attemptMs, attempts } = patience): ArchivePlace {
  // Stores other than that of AWS rarely have a host name for each bucket; AWS takes both.
  const client = new S3Client({
    forcePathStyle: true,
    maxAttempts: attempts,
    requestHandler: { connectionTimeout: attemptMs, requestTimeout: attemptMs, throwOnRequestTimeout: true },
  });
  const objectOf = (name: string) => ({ Bucket: bucket, Key: prefix === '' ? name : `${prefix}/${name}` });
  return {
    async write(name, content) {
      await client.send(new PutObjectCommand({ ...objectOf(name), Body: content }));
    },
    async read(name) {
      const { Body } = await client.send(new GetObjectCommand(objectOf(name)));
      if (!Body) throw new Error('The object has no content.');
      return Buffer.from(await Body.transformToByteArray());
    },
  };
}
