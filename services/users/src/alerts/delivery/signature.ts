import { createHmac } from 'node:crypto';

const timestampHeader = 'x-castellan-timestamp';
const signatureHeader = 'x-castellan-signature';
const eventIdHeader = 'x-castellan-event-id';
const sequenceHeader = 'x-castellan-sequence';

/** HMAC-SHA256 over `<timestamp>.<body>`, hex, behind the version of the scheme. */
export const signatureOf = (secret: string, timestamp: string, body: string): string =>
  `v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;

/**
 * Headers of Standard Webhooks (https://www.standardwebhooks.com): HMAC-SHA256 over `<id>.<timestamp>.<body>` in base64. The key is the
 * secret's own bytes, which its libraries take as `whsec_` and the secret in base64, or in the format `raw`.
 */
const standardHeaders = (secret: string, at: number, body: string, id: string) => ({
  'webhook-id': id,
  'webhook-timestamp': String(at),
  'webhook-signature': `v1,${createHmac('sha256', secret).update(`${id}.${at}.${body}`).digest('base64')}`,
});

/** Headers by which a receiver knows an event to be ours, fresh, and whether it had it before. `at` in Unix seconds. */
export const signedHeaders = (
  secret: string,
  at: number,
  body: string,
  event: { event_id: string; sequence: number | null },
) => ({
  'content-type': 'application/json; charset=utf-8',
  'user-agent': 'castellan-notifications/1',
  [timestampHeader]: String(at),
  [signatureHeader]: signatureOf(secret, String(at), body),
  [eventIdHeader]: event.event_id,
  ...standardHeaders(secret, at, body, event.event_id),
  ...(event.sequence === null ? {} : { [sequenceHeader]: String(event.sequence) }),
});
