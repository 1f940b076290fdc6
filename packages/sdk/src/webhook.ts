import type { AlertEvent } from '@castellan/contracts';

/** A delivery that is not to be believed. Answer 400 to it, and do nothing else. */
export class WebhookRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WebhookRefused';
  }
}

/** A delivery as it came. */
export type WebhookDelivery = {
  /** The channel's secret, as it was shown when the channel was made. */
  secret: string;
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The bytes as they came, before they are parsed: other bytes have another signature. */
  body: string | Uint8Array;
  /** Milliseconds since 1970. Default: now. */
  now?: number;
  /** How far its clock and this one may be apart. Default 300 s; an older delivery could be a recording. */
  toleranceSeconds?: number;
};

const headerOf = (headers: WebhookDelivery['headers'], name: string): string => {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value !== 'string' || value === '') throw new WebhookRefused(`The header ${name} is missing.`);
  return value;
};

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined; // Not base64: no signature of ours.
  }
};

/**
 * The event of a delivery whose signature is right and which is fresh. Deliveries come at least once, in the order of `sequence`:
 * remember `event_id`, and ask for what is missing where `sequence` skips a number.
 * @throws WebhookRefused for anything else.
 * @see https://www.standardwebhooks.com, whose headers are read.
 */
export async function verifyWebhook(delivery: WebhookDelivery): Promise<AlertEvent> {
  const { secret, headers, body, now = Date.now(), toleranceSeconds = 300 } = delivery;
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature').split(' ');
  if (!(Math.abs(now / 1000 - Number(timestamp)) <= toleranceSeconds))
    throw new WebhookRefused('The delivery is too old, or the clocks are apart.');

  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const encoder = new TextEncoder();
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), hmac, false, ['verify']);
  const signed = encoder.encode(`${id}.${timestamp}.${text}`);
  for (const signature of signatures) {
    const bytes = signature.startsWith('v1,') ? bytesOf(signature.slice(3)) : undefined;
    if (bytes !== undefined && (await crypto.subtle.verify('HMAC', key, bytes, signed)))
      return JSON.parse(text) as AlertEvent;
  }
  throw new WebhookRefused('The signature is not one of this body under the secret.');
}
