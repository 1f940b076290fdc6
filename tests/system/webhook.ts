import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';

export type WebhookEvent = {
  event_id: string;
  event_type: string;
  sequence: number | null;
  chain_id: number | null;
  vault_address: string | null;
  data: { alert: { alert_id: string; rule_id: string } | null; note: string | null };
};
/** One request as it came. */
export type Delivered = { at: number; headers: IncomingHttpHeaders; body: string; event: WebhookEvent };

/** A receiver of webhooks that can be killed and come back at the same address. */
export class WebhookReceiver {
  readonly got: Delivered[] = [];
  readonly #origin: string;
  #server: Server | undefined;

  constructor(origin: string) {
    this.#origin = origin;
  }

  get url(): string {
    return `${this.#origin}/in/the-path-is-a-secret`;
  }

  async start(): Promise<void> {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        this.got.push({ at: Date.now(), headers: request.headers, body, event: JSON.parse(body) as WebhookEvent });
        response.end('ok');
      });
    });
    const { port, hostname } = new URL(this.#origin);
    await new Promise<void>((resolve) => this.#server?.listen(Number(port), hostname, resolve));
  }

  async kill(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    server?.closeAllConnections();
    await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
  }
}

/** What is wrong with a delivery by the rules that docs/webhooks.md gives to receivers; undefined when it is ours and fresh. */
export function faultOf({ at, headers, body, event }: Delivered, secret: string): string | undefined {
  const stamp = String(headers['x-castellan-timestamp']);
  const wanted = Buffer.from(`v1=${createHmac('sha256', secret).update(`${stamp}.${body}`).digest('hex')}`);
  const given = Buffer.from(String(headers['x-castellan-signature']));
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return 'the signature is not of this body';
  if (!/^\d+$/.test(stamp) || Math.abs(at / 1000 - Number(stamp)) > 15)
    return `signed at ${stamp}, come at ${at / 1000}`;
  if (headers['x-castellan-event-id'] !== event.event_id) return 'the header names another event';
  const sequence = headers['x-castellan-sequence'];
  return sequence === (event.sequence === null ? undefined : String(event.sequence))
    ? undefined
    : 'the header names another sequence';
}
