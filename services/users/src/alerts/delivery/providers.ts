import { type AlertEvent, VaultUpdated } from '@castellan/contracts';
import type { Outbox } from '@castellan/service-kit';
import type { ChannelConfig, StoredChannel } from '../channels/models/collections.ts';
import type { Post, PostOutcome } from './safe-post.ts';
import { signedHeaders } from './signature.ts';

export type Send = (
  channel: Pick<StoredChannel, 'channel_id' | 'provider'>,
  config: ChannelConfig,
  event: AlertEvent,
) => Promise<PostOutcome>;

const signs = { critical: ':red_circle:', warning: ':large_orange_circle:', info: ':large_blue_circle:' } as const;
const words: Readonly<Record<AlertEvent['event_type'], string>> = {
  'alert.opened': 'New',
  'alert.acknowledged': 'Acknowledged',
  'alert.resolved': 'Resolved',
  'alert.unmuted': 'No longer muted',
  'alert.renamed': 'Changed',
  test: 'Test',
};

/** What Slack reads as markup, written so that it does not: names and notes are other people's text. */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** A message of an incoming webhook of Slack. */
export function slackMessage({ event_type, data: { alert, note } }: AlertEvent): { text: string } {
  if (!alert) return { text: 'Test: this channel gets the alerts of your vaults.' };
  const head = `${signs[alert.severity]} *${words[event_type]}: ${escaped(alert.title)}*, ${escaped(alert.vault_name)}`;
  const lines = [head, escaped(alert.message), ...(note ? [`> ${escaped(note)}`] : [])];
  return { text: lines.join('\n') };
}

/** Sends one event through a channel. It never throws for what the other side does. */
export const sendThrough =
  ({ post, outbox, now }: { post: Post; outbox: Pick<Outbox, 'add'>; now: () => Date }): Send =>
  async ({ channel_id, provider }, { url, secret }, event) => {
    if (provider === 'websocket') {
      const { chain_id, vault_address } = event;
      if (chain_id === null || vault_address === null)
        return { ok: false, status: null, reason: 'NOT_BOUND', durationMs: 0 };
      const block_number = event.data.alert?.block_number ?? 0;
      const notification = { ...event, channel_id };
      const update = { chain_id, vault_address, kind: 'alert' as const, block_number, notification };
      await outbox.add(VaultUpdated, update, { msgId: `notification:${channel_id}:${event.event_id}` });
      return { ok: true, status: null, reason: null, durationMs: 0 };
    }
    const body = JSON.stringify(provider === 'slack' ? slackMessage(event) : event);
    const headers =
      provider === 'slack'
        ? { 'content-type': 'application/json; charset=utf-8' }
        : signedHeaders(secret ?? '', Math.floor(now().getTime() / 1000), body, event);
    return post(url ?? '', body, headers);
  };
