import { createHmac } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { verifyWebhook, WebhookRefused } from './webhook.ts';

const secret = 'a-secret_that-nobody~guesses';
const body = JSON.stringify({ event_id: 'al_1:opened', sequence: 4, data: { note: 'ä € 😀' } });
const sentAt = 1_780_000_000;
const now = sentAt * 1000;
const signatureOf = (text = body, key = secret) =>
  `v1,${createHmac('sha256', key).update(`al_1:opened.${sentAt}.${text}`).digest('base64')}`;
const headersWith = (signature: string) => ({
  'webhook-id': 'al_1:opened',
  'webhook-timestamp': String(sentAt),
  'webhook-signature': signature,
});

test.each([
  ['an object of headers', headersWith(signatureOf()), body],
  ['Headers and bytes', new Headers(headersWith(signatureOf())), new TextEncoder().encode(body)],
  ['a second signature, as while a secret changes', headersWith(`v1,AAAA v2,x ${signatureOf()}`), body],
])('default: the event of a delivery by %s', async (_, headers, given) => {
  expect(await verifyWebhook({ secret, headers, body: given, now })).toEqual(JSON.parse(body));
});

test.each([
  ['of another body', { body: body.replace('4', '5') }],
  ['under another secret', { secret: 'other' }],
  ['that is older than five minutes', { now: now + 301_000 }],
  ['that is of tomorrow', { now: now - 86_400_000 }],
  ['without a signature', { headers: { ...headersWith(''), 'webhook-signature': undefined } }],
  ['of another id', { headers: { ...headersWith(signatureOf()), 'webhook-id': 'al_2:opened' } }],
  ['whose time is no time', { headers: { ...headersWith(signatureOf()), 'webhook-timestamp': 'now' } }],
  ['with a signature that is none', { headers: headersWith('v1,$$$') }],
  ['of another scheme', { headers: headersWith(signatureOf().replace('v1,', 'v9,')) }],
])('security: a delivery %s is refused', async (_, parts) => {
  const delivery = { secret, headers: headersWith(signatureOf()), body, now, ...parts };
  await expect(verifyWebhook(delivery)).rejects.toBeInstanceOf(WebhookRefused);
});
