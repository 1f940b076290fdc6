import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { SMTPServer } from 'smtp-server';
import { mailSender } from './mail.ts';

const got: { to: string[]; text: string }[] = [];
const server = new SMTPServer({
  disabledCommands: ['STARTTLS'],
  onAuth: ({ username, password }, _session, done) =>
    username === 'alerts' && password === 'right'
      ? done(null, { user: username })
      : done(Object.assign(new Error('wrong'), { responseCode: 535 })),
  onRcptTo: ({ address }, _session, done) =>
    address.startsWith('nobody@') ? done(Object.assign(new Error('unknown'), { responseCode: 550 })) : done(),
  onData: (stream, session, done) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      got.push({ to: session.envelope.rcptTo.map(({ address }) => address), text: Buffer.concat(chunks).toString() });
      done();
    });
  },
});
let port = 0;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.server.address() as AddressInfo);
});
afterAll(() => new Promise<void>((resolve) => server.close(resolve)));

const sender = (credentials: string, host = '127.0.0.1') =>
  mailSender({ url: `smtp://${credentials}@${host}:${port}`, from: 'Castellan <alerts@fund.example>' });
const message = { subject: 'New: zażółć', text: 'Body', messageId: '<ev_1@alerts.castellan.invalid>' };

test('default: a mail arrives as it was written', async () => {
  expect(await sender('alerts:right')({ ...message, to: 'desk@fund.example' })).toMatchObject({
    ok: true,
    reason: null,
  });
  expect(got).toHaveLength(1);
  expect(got[0]?.to).toEqual(['desk@fund.example']);
  for (const line of ['From: Castellan <alerts@fund.example>', 'Message-ID: <ev_1@alerts.castellan.invalid>', 'Body'])
    expect(got[0]?.text).toContain(line);
});

test.each([
  ['a wrong password', 'alerts:wrong', 'desk@fund.example', 'SMTP_535'],
  ['an address that is unknown', 'alerts:right', 'nobody@fund.example', 'SMTP_550'],
])('error: %s is said by its code', async (_what, credentials, to, reason) => {
  expect(await sender(credentials)({ ...message, to })).toMatchObject({ ok: false, reason });
});

test('behavior: a server elsewhere that offers no TLS gets neither mail nor password', async () => {
  const before = got.length;
  // Leads to this machine too, and is not one of its names.
  const outcome = await sender('alerts:right', '0.0.0.0')({ ...message, to: 'desk@fund.example' });
  expect([outcome.ok, got.length]).toEqual([false, before]);
});
