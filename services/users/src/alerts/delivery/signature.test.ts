import { expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { signedHeaders } from './signature.ts';

const secret = 'a-secret_that-nobody~guesses';
const event = { event_id: 'al_1:opened', sequence: 4 };
const body = JSON.stringify({ ...event, data: { note: 'ä € 😀' } });
const now = () => Math.floor(Date.now() / 1000);

test.each([
  ['raw', () => new Webhook(secret, { format: 'raw' })],
  ['base64', () => new Webhook(`whsec_${Buffer.from(secret).toString('base64')}`)],
])('default: the library of Standard Webhooks accepts a delivery, its secret %s', (_format, make) => {
  expect(make().verify(body, signedHeaders(secret, now(), body, event))).toEqual(JSON.parse(body));
});

test('security: it refuses another body, another id, another secret and an old delivery', () => {
  const webhook = new Webhook(secret, { format: 'raw' });
  const headers = signedHeaders(secret, now(), body, event);
  expect(() => webhook.verify(body.replace('4', '5'), headers)).toThrow('No matching signature found');
  expect(() => webhook.verify(body, { ...headers, 'webhook-id': 'al_2:opened' })).toThrow(
    'No matching signature found',
  );
  expect(() => webhook.verify(body, signedHeaders('other', now(), body, event))).toThrow('No matching signature found');
  expect(() => webhook.verify(body, signedHeaders(secret, now() - 3_600, body, event))).toThrow(/too old/);
});
