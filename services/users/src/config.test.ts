import { expect, test } from '@jest/globals';
import { loadConfig } from './config.ts';

const key = { NOTIFICATIONS_KEY: '7'.repeat(64) };
const trustedBy = (text: string) =>
  loadConfig({ ...key, NOTIFICATIONS_TRUSTED_ORIGINS: text }).notifications.trustedOrigins;

test('default: no origin of one’s own network is trusted', () => {
  expect(loadConfig(key).notifications.trustedOrigins).toEqual([]);
});

test('behavior: origins are read as a URL has them: lower case, without the usual port', () => {
  expect(trustedBy('http://127.0.0.1:8090, HTTPS://Hooks.Internal:443/')).toEqual([
    'http://127.0.0.1:8090',
    'https://hooks.internal',
  ]);
});

test.each([
  '127.0.0.1',
  'localhost:8090',
  'ftp://10.0.0.1',
  'http://10.0.0.1/path',
  'http://a@10.0.0.1',
  'http://',
  'null',
  'http://10.0.0.1,',
])('error: %s is no origin', (text) => {
  expect(() => trustedBy(text)).toThrow(/NOTIFICATIONS_TRUSTED_ORIGINS/);
});

test('error: without the key that seals channels nothing starts', () => {
  expect(() => loadConfig({})).toThrow(/NOTIFICATIONS_KEY: is required/);
});

const smtp = { SMTP_URL: 'smtps://alerts:pass@mail.example:465', SMTP_FROM: 'Castellan <alerts@fund.example>' };

test('default: without a mail server no mail is sent', () => {
  expect(loadConfig(key).notifications.mail).toBeUndefined();
});

test('behavior: mail goes to the domains that are named', () => {
  const { mail } = loadConfig({
    ...key,
    ...smtp,
    NOTIFICATIONS_EMAIL_DOMAINS: 'Fund.example, desk.fund.example',
  }).notifications;
  expect(mail).toEqual({
    server: { url: smtp.SMTP_URL, from: smtp.SMTP_FROM },
    domains: ['fund.example', 'desk.fund.example'],
  });
});

test('error: a mail server without domains is refused, and so is what is no domain', () => {
  expect(() => loadConfig({ ...key, ...smtp })).toThrow(/NOTIFICATIONS_EMAIL_DOMAINS: is required/);
  for (const domains of ['*', 'fund.example,', 'desk@fund.example'])
    expect(() => loadConfig({ ...key, ...smtp, NOTIFICATIONS_EMAIL_DOMAINS: domains })).toThrow(/must be domains/);
});
