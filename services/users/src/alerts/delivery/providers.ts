import { type AlertEvent, type ChannelProvider, VaultUpdated } from '@castellan/contracts';
import type { Outbox } from '@castellan/service-kit';
import type { ChannelConfig, StoredChannel } from '../channels/models/collections.ts';
import type { SendMail } from './mail.ts';
import { mail, opsgenieRequest, pagerDutyEvent, slackMessage, telegramMessage } from './messages.ts';
import type { Post, PostOutcome } from './safe-post.ts';
import { signedHeaders } from './signature.ts';

export type Send = (
  channel: Pick<StoredChannel, 'channel_id' | 'provider'>,
  config: ChannelConfig,
  event: AlertEvent,
) => Promise<PostOutcome>;

export type SendPorts = {
  post: Post;
  /** Undefined where the operator has set no mail server. */
  sendMail?: SendMail | undefined;
  outbox: Pick<Outbox, 'add'>;
  now: () => Date;
};

const json = { 'content-type': 'application/json; charset=utf-8', 'user-agent': 'castellan-notifications/1' };
const unsent = (reason: string): PostOutcome => ({ ok: false, status: null, reason, durationMs: 0 });
/** Names whose mails these are in their ids; it is the address of nothing. */
const MAIL_DOMAIN = 'alerts.castellan.invalid';

/** Sends one event through a channel. It never throws for what the other side does. */
export function sendThrough({ post, sendMail, outbox, now }: SendPorts): Send {
  const posted = (url: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
    post(url, JSON.stringify(body), { ...json, ...headers });
  const below = (url: string | null, path: string) => new URL(path, url ?? undefined).href;

  const ways: Readonly<
    Record<Exclude<ChannelProvider, 'websocket'>, (config: ChannelConfig, event: AlertEvent) => Promise<PostOutcome>>
  > = {
    slack: ({ url }, event) => posted(url ?? '', slackMessage(event)),
    telegram: ({ url, secret, to }, event) =>
      posted(below(url, `/bot${secret}/sendMessage`), telegramMessage(event, to ?? '')),
    pagerduty: ({ url, secret }, event) => posted(below(url, '/v2/enqueue'), pagerDutyEvent(event, secret ?? '')),
    opsgenie: ({ url, secret }, event) => {
      const { path, body } = opsgenieRequest(event);
      return posted(below(url, path), body, { authorization: `GenieKey ${secret}` });
    },
    webhook: ({ url, secret }, event) => {
      const body = JSON.stringify(event);
      return post(url ?? '', body, signedHeaders(secret ?? '', Math.floor(now().getTime() / 1000), body, event));
    },
    email: async ({ to }, event) =>
      sendMail ? sendMail({ to: to ?? '', ...mail(event, MAIL_DOMAIN) }) : unsent('NO_MAIL_SERVER'),
  };

  return async ({ channel_id, provider }, config, event) => {
    if (provider !== 'websocket') return ways[provider](config, event);
    const { chain_id, vault_address } = event;
    if (chain_id === null || vault_address === null) return unsent('NOT_BOUND');
    const block_number = event.data.alert?.block_number ?? 0;
    const notification = { ...event, channel_id };
    const update = { chain_id, vault_address, kind: 'alert' as const, block_number, notification };
    await outbox.add(VaultUpdated, update, { msgId: `notification:${channel_id}:${event.event_id}` });
    return { ok: true, status: null, reason: null, durationMs: 0 };
  };
}
