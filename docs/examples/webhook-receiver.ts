/**
 * A receiver of Castellan's webhooks that handles each event once, misses none and survives a restart: docs/guides/receive-webhooks.md.
 * Environment: WEBHOOK_SECRET, CASTELLAN_TOKEN (scope read), CASTELLAN_URL, PORT, HANDLED_FILE.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { createClient, verifyWebhook, WebhookRefused } from '@castellan/sdk';

type Event = Awaited<ReturnType<typeof verifyWebhook>>;
type Vault = { chain_id: string; vault_address: string };

/** What was handled, kept where it survives a restart. With a database, a row of the same transaction as the effect. */
export type Memory = {
  has: (eventId: string) => boolean;
  /** The newest sequence of a vault; undefined before its first event. */
  last: (vault: string) => number | undefined;
  add: (event: Event) => void;
};

const vaultOf = ({ chain_id, vault_address }: Event): string => `${chain_id}:${vault_address}`;

type Row = { event_id: string; vault: string; sequence: number | null };

/** A line that a crash cut short says nothing. */
function rowOf(line: string): Row[] {
  try {
    return [JSON.parse(line) as Row];
  } catch {
    return [];
  }
}

/** A memory in a file of lines, each on the disk before `add` returns. */
export function memoryIn(file: string): Memory {
  const ids = new Set<string>();
  const newest = new Map<string, number>();
  const note = ({ event_id, vault, sequence }: Row): void => {
    ids.add(event_id);
    if (sequence !== null) newest.set(vault, Math.max(newest.get(vault) ?? 0, sequence));
  };
  if (existsSync(file)) readFileSync(file, 'utf8').split('\n').flatMap(rowOf).forEach(note);
  return {
    has: (eventId) => ids.has(eventId),
    last: (vault) => newest.get(vault),
    add: (event) => {
      const row = { event_id: event.event_id, vault: vaultOf(event), sequence: event.sequence };
      // Begins a line of its own, also behind one that was cut short.
      appendFileSync(file, `\n${JSON.stringify(row)}`, { flush: true });
      note(row);
    },
  };
}

type Options = {
  secret: string;
  memory: Memory;
  /** The effect of an event. What it throws has the event delivered again, so it may run twice when the machine stops within it. */
  handle: (event: Event) => Promise<void> | void;
  /** Events of a vault behind a sequence, in order. */
  missed: (vault: Vault, afterSequence: number) => Promise<readonly Event[]>;
  now?: () => number;
};

/** Takes deliveries, one after another: a repeat that comes while its event is handled waits, and is a repeat then. */
export function createReceiver({ secret, memory, handle, missed, now = Date.now }: Options) {
  let busy: Promise<unknown> = Promise.resolve();

  /** Effect first, then remember: the other way round an event whose effect fails would be lost. */
  async function take(event: Event): Promise<'new' | 'repeated'> {
    if (memory.has(event.event_id)) return 'repeated';
    await handle(event);
    memory.add(event);
    return 'new';
  }

  async function receive(headers: IncomingHttpHeaders, body: string | Uint8Array) {
    const event = await verifyWebhook({ secret, headers, body, now: now() });
    const { chain_id, vault_address, sequence } = event;
    const last = memory.last(vaultOf(event));
    if (sequence !== null && vault_address !== null && last !== undefined && sequence > last + 1) {
      const between = await missed({ chain_id: String(chain_id), vault_address }, last);
      for (const each of between) if ((each.sequence ?? sequence) < sequence) await take(each);
    }
    return take(event);
  }

  /** @returns what to answer 200 to. @throws WebhookRefused to answer 400 to; anything else is 500, and comes again. */
  return (headers: IncomingHttpHeaders, body: string | Uint8Array): Promise<'new' | 'repeated'> => {
    const done = busy.then(() => receive(headers, body));
    busy = done.catch(() => undefined);
    return done;
  };
}

const mostBytes = 1_000_000;

async function bodyOf(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > mostBytes) throw new WebhookRefused('The body is too long.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Answers 200 only to what was handled and remembered. No request ends the process, not even one that is cut within its body. */
export function serve(receive: ReturnType<typeof createReceiver>, log: (text: string) => void = console.error): Server {
  return createServer(async (request, response) => {
    try {
      await receive(request.headers, await bodyOf(request));
      response.writeHead(200).end();
    } catch (error) {
      log(`${error}`);
      response.writeHead(error instanceof WebhookRefused ? 400 : 500).end();
    }
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const {
    WEBHOOK_SECRET: secret,
    CASTELLAN_TOKEN: token,
    HANDLED_FILE = 'handled-events.jsonl',
    PORT = '8090',
  } = process.env;
  if (!secret || !token) throw new Error('Set WEBHOOK_SECRET, and CASTELLAN_TOKEN to a token of scope read.');
  const client = createClient({ baseUrl: process.env.CASTELLAN_URL ?? 'http://127.0.0.1:8080', token, retries: 3 });
  const receive = createReceiver({
    secret,
    memory: memoryIn(HANDLED_FILE),
    handle: ({ event_type, sequence, data }) => console.log(event_type, sequence, data.alert?.rule_id ?? ''),
    missed: async (vault, after) => {
      const found: Event[] = [];
      for (;;) {
        const after_sequence = String(found.at(-1)?.sequence ?? after);
        const { events, has_more } = await client.alertEvents({ query: { ...vault, after_sequence } });
        found.push(...events);
        if (!has_more || events.length === 0) return found;
      }
    },
  });
  serve(receive).listen(Number(PORT), '127.0.0.1', () => console.log(`Listening on http://127.0.0.1:${PORT}`));
}
