import { describe, expect, test } from '@jest/globals';
import { configFor, type GivenConfig, shownConfig } from './channel-config.ts';

const policy = { trustedOrigins: ['http://127.0.0.1:4000'], emailDomains: ['fund.example'] };
const bot = '123456789:AAabcdefghijklmnopqrstuvwxyz012345678';
const pagerKey = 'a1'.repeat(16);
const genieKey = '01234567-89ab-cdef-0123-456789abcdef';

describe('what each kind goes to', () => {
  test.each([
    ['telegram', { secret: bot, to: '-1001234' }, 'https://api.telegram.org/'],
    ['telegram', { secret: bot, to: '@desk_alerts', url: 'http://127.0.0.1:4000/' }, 'http://127.0.0.1:4000/'],
    ['pagerduty', { secret: pagerKey }, 'https://events.pagerduty.com/'],
    ['pagerduty', { secret: pagerKey, url: 'https://events.eu.pagerduty.com/' }, 'https://events.eu.pagerduty.com/'],
    ['opsgenie', { secret: genieKey }, 'https://api.opsgenie.com/'],
  ] as const)('default: %s with %j goes to %s', (provider, given, url) => {
    expect(configFor(provider, given, policy)).toEqual({
      url,
      secret: given.secret,
      to: 'to' in given ? given.to : null,
    });
  });
  test('default: email goes to an address of an allowed domain, of any case', () => {
    expect(configFor('email', { to: 'Desk@Fund.Example' }, policy)).toEqual({
      url: null,
      secret: null,
      to: 'Desk@Fund.Example',
    });
  });
});

describe('what is refused', () => {
  const refused: [Parameters<typeof configFor>[0], GivenConfig, string][] = [
    ['telegram', { secret: bot }, 'VALIDATION_FAILED'],
    ['telegram', { secret: bot, to: '1/../../setWebhook' }, 'VALIDATION_FAILED'],
    ['telegram', { secret: `${bot}/../../x`, to: '1' }, 'VALIDATION_FAILED'],
    ['telegram', { secret: bot, to: '1', url: 'https://evil.example/' }, 'ADDRESS_FORBIDDEN'],
    ['pagerduty', { secret: genieKey }, 'VALIDATION_FAILED'],
    ['pagerduty', { secret: pagerKey, url: 'https://events.pagerduty.com.evil.example/' }, 'ADDRESS_FORBIDDEN'],
    ['pagerduty', { secret: pagerKey, to: 'me' }, 'VALIDATION_FAILED'],
    ['opsgenie', {}, 'VALIDATION_FAILED'],
    ['opsgenie', { secret: genieKey, url: 'https://10.0.0.1/' }, 'ADDRESS_FORBIDDEN'],
    ['email', {}, 'VALIDATION_FAILED'],
    ['email', { to: 'desk@other.example' }, 'ADDRESS_FORBIDDEN'],
    ['email', { to: 'desk@other.example,desk@fund.example' }, 'VALIDATION_FAILED'],
    ['email', { to: 'desk@fund.example\r\nBcc: all@other.example' }, 'VALIDATION_FAILED'],
    ['email', { to: 'desk@sub.fund.example' }, 'ADDRESS_FORBIDDEN'],
    ['email', { to: 'desk@fund.example', url: 'https://example.com/' }, 'VALIDATION_FAILED'],
    ['slack', { url: 'https://hooks.slack.com/x', to: 'me' }, 'VALIDATION_FAILED'],
    ['websocket', { secret: pagerKey }, 'VALIDATION_FAILED'],
  ];
  test.each(refused)('error: %s with %j is %s', (provider, given, code) => {
    expect(() => configFor(provider, given, policy)).toThrow(expect.objectContaining({ code }));
  });
  test('error: without a mail server nothing is mailed', () => {
    expect(() => configFor('email', { to: 'desk@fund.example' }, { trustedOrigins: [] })).toThrow(
      expect.objectContaining({ code: 'ADDRESS_FORBIDDEN', message: expect.stringContaining('SMTP_URL') }),
    );
  });
});

test('behavior: of an address its domain is shown, of a chat all, of a URL the origin', () => {
  expect(shownConfig({ url: null, secret: null, to: 'desk@fund.example' })).toEqual({
    origin: null,
    to: 'd…@fund.example',
  });
  expect(shownConfig({ url: 'https://api.telegram.org/', secret: bot, to: '@desk_alerts' })).toEqual({
    origin: 'https://api.telegram.org/…',
    to: '@desk_alerts',
  });
});
