import type { AlertEvent } from '@castellan/contracts';
import { describe, expect, test } from '@jest/globals';
import { sendThrough } from './providers.ts';

const alert = {
  alert_id: 'al_7',
  rule_id: 'vault_paused',
  severity: 'critical',
  chain_id: 1,
  vault_address: '0x5555555555555555555555555555555555555555',
  vault_name: 'USDC\r\nBcc: all@example.com',
  subject: 'vault',
  title: 'The vault is paused',
  message: 'No deposit is taken.',
  facts: { paused: true },
  runbook_url: 'docs/runbooks/alerts.md#vault_paused',
  opened_at: '2026-01-01T00:00:00.000Z',
} as unknown as AlertEvent['data']['alert'];
const event = (event_type: AlertEvent['event_type'], note: string | null = null): AlertEvent => ({
  event_id: 'ev_1',
  event_type,
  sequence: event_type === 'test' ? null : 3,
  timestamp: '2026-01-01T00:00:05.000Z',
  vault_address: alert?.vault_address ?? null,
  chain_id: 1,
  data: { alert: event_type === 'test' ? null : alert, note },
});

/** What is sent for an event through a channel of this kind. */
async function sent(provider: 'telegram' | 'pagerduty' | 'opsgenie' | 'email', of: AlertEvent, url: string | null) {
  const requests: { url: string; body: object; headers: Record<string, string> }[] = [];
  const mails: object[] = [];
  const fine = { ok: true, status: 200, reason: null, durationMs: 1 };
  const send = sendThrough({
    post: async (to, body, headers) => {
      requests.push({ url: to, body: JSON.parse(body), headers: { ...headers } });
      return fine;
    },
    sendMail: async (message) => {
      mails.push(message);
      return fine;
    },
    outbox: { add: async () => undefined },
    now: () => new Date(0),
  });
  await send(
    { channel_id: 'ch_1', provider },
    { url, secret: 'the-key', to: provider === 'telegram' ? '-100' : 'a@b.example' },
    of,
  );
  return { request: requests[0], mail: mails[0] };
}

describe('telegram', () => {
  test('default: a plain text by the bot to the chat, at most 4 096 characters', async () => {
    const { request } = await sent('telegram', event('alert.opened', '<b>'.repeat(3_000)), 'https://api.telegram.org/');
    expect(request?.url).toBe('https://api.telegram.org/botthe-key/sendMessage');
    const body = request?.body as { chat_id: string; text: string };
    expect(body).not.toHaveProperty('parse_mode');
    expect(body).toMatchObject({ chat_id: '-100', link_preview_options: { is_disabled: true } });
    expect(body.text).toMatch(
      /^\[critical] New: The vault is paused, USDC Bcc: all@example.com\nNo deposit is taken.\nNote: <b>/,
    );
    expect(body.text).toHaveLength(4_096);
  });
});

describe('pagerduty', () => {
  const steps = [
    ['alert.opened', 'trigger'],
    ['alert.unmuted', 'trigger'],
    ['alert.renamed', 'trigger'],
    ['alert.acknowledged', 'acknowledge'],
    ['alert.resolved', 'resolve'],
  ] as const;
  test.each(steps)('behavior: %s is the step %s of one incident', async (type, event_action) => {
    const { request } = await sent('pagerduty', event(type), 'https://events.eu.pagerduty.com/');
    expect(request?.url).toBe('https://events.eu.pagerduty.com/v2/enqueue');
    expect(request?.body).toMatchObject({ routing_key: 'the-key', event_action, dedup_key: 'al_7' });
  });
  test('default: an incident says what, where and how bad', async () => {
    const { request } = await sent('pagerduty', event('alert.opened', 'mine'), 'https://events.pagerduty.com/');
    expect(request?.body).toMatchObject({
      payload: {
        severity: 'critical',
        source: '1/0x5555555555555555555555555555555555555555',
        timestamp: '2026-01-01T00:00:05.000Z',
        custom_details: { message: 'No deposit is taken.', paused: true, note: 'mine' },
      },
    });
  });
  test('behavior: a test pages nobody for an alert that there is', async () => {
    const { request } = await sent('pagerduty', event('test'), 'https://events.pagerduty.com/');
    expect(request?.body).toMatchObject({ event_action: 'trigger', dedup_key: 'ev_1', payload: { severity: 'info' } });
  });
});

describe('opsgenie', () => {
  const steps = [
    ['alert.opened', '/v2/alerts'],
    ['alert.acknowledged', '/v2/alerts/al_7/acknowledge?identifierType=alias'],
    ['alert.resolved', '/v2/alerts/al_7/close?identifierType=alias'],
  ] as const;
  test.each(steps)('behavior: %s goes to %s', async (type, path) => {
    const { request } = await sent('opsgenie', event(type, 'seen'), 'https://api.opsgenie.com/');
    expect(request?.url).toBe(`https://api.opsgenie.com${path}`);
    expect(request?.headers.authorization).toBe('GenieKey the-key');
    expect(request?.body).toMatchObject(type === 'alert.opened' ? { alias: 'al_7', priority: 'P1' } : { note: 'seen' });
  });
});

describe('email', () => {
  test('default: one thread for an alert, one id for an event, and no line break in the subject', async () => {
    const { mail } = await sent('email', event('alert.resolved', 'over'), null);
    expect(mail).toMatchObject({
      to: 'a@b.example',
      subject: '[critical] Resolved: The vault is paused, USDC Bcc: all@example.com',
      messageId: '<ev_1@alerts.castellan.invalid>',
      inReplyTo: '<al_7@alerts.castellan.invalid>',
    });
    expect((mail as { text: string }).text).toContain('What to do: docs/runbooks/alerts.md#vault_paused');
  });
  test('error: where no mail server is set any more, the delivery fails and says so', async () => {
    const send = sendThrough({
      post: () => Promise.reject(new Error('not by HTTP')),
      outbox: { add: async () => undefined },
      now: () => new Date(0),
    });
    const outcome = await send(
      { channel_id: 'c', provider: 'email' },
      { url: null, secret: null, to: 'a@b.example' },
      event('test'),
    );
    expect(outcome).toMatchObject({ ok: false, reason: 'NO_MAIL_SERVER' });
  });
});
