import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a model answers once. `text` comes in the pieces it is given in; `json` is text that is meant to be parsed. */
export type FakeReply =
  | { text: string | readonly string[]; delayMs?: number; cutAfter?: number; usage?: FakeUsage | null }
  | { toolCalls: readonly { name: string; args: unknown }[]; text?: string; usage?: FakeUsage | null }
  | { json: unknown; delayMs?: number; usage?: FakeUsage | null }
  | { status: number; retryAfterSeconds?: number; message?: string }
  | { hang: true }
  | { cut: true };
export type FakeUsage = { input: number; output: number };

export type FakeMessage = { role: string; content: unknown; tool_call_id?: string };
export type FakeRequest = {
  body: { model: string; stream?: boolean; messages: FakeMessage[]; tools?: unknown[]; max_tokens?: number };
  authorization: string | undefined;
  at: number;
  /** True once the client has gone before the answer was complete. */
  isAborted: boolean;
};

export type FakeModel = {
  /** With `/v1`, as a client wants it. */
  url: string;
  requests: FakeRequest[];
  /** Answers for the next requests, in order; `otherwise` answers those behind them. */
  script(...replies: FakeReply[]): void;
  otherwise(reply: (request: FakeRequest) => FakeReply): void;
  reset(): void;
  stop(): Promise<void>;
};

const usual: FakeUsage = { input: 100, output: 20 };
const usageOf = (usage: FakeUsage | null | undefined) => {
  if (usage === null) return undefined;
  const { input, output } = usage ?? usual;
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
};

async function bodyOf(request: IncomingMessage): Promise<FakeRequest['body']> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return JSON.parse(text);
}

/** A reply as one message: its text in pieces, its tool calls. */
function messageOf(reply: Exclude<FakeReply, { status: number } | { hang: true } | { cut: true }>) {
  if ('toolCalls' in reply) {
    const calls = reply.toolCalls.map(({ name, args }, index) => ({
      index,
      id: `call_${randomUUID()}`,
      type: 'function',
      function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
    }));
    return { pieces: reply.text === undefined ? [] : [reply.text], calls };
  }
  if ('json' in reply)
    return { pieces: [typeof reply.json === 'string' ? reply.json : JSON.stringify(reply.json)], calls: [] };
  return { pieces: typeof reply.text === 'string' ? (reply.text.match(/\S+\s*|\s+/g) ?? []) : reply.text, calls: [] };
}

type Scripted = { seen: FakeRequest; response: ServerResponse; reply: Parameters<typeof messageOf>[0] };

async function stream({ seen, response, reply }: Scripted): Promise<void> {
  // Clients merge messages by their id: each answer has its own.
  const common = {
    id: `chatcmpl-${randomUUID()}`,
    object: 'chat.completion.chunk',
    created: 0,
    model: seen.body.model,
  };
  const send = (fields: object) => response.write(`data: ${JSON.stringify({ ...common, ...fields })}\n\n`);
  const choice = (delta: object, finish_reason: string | null = null) =>
    send({ choices: [{ index: 0, delta, finish_reason }] });
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  choice({ role: 'assistant', content: '' });
  const { pieces, calls } = messageOf(reply);
  for (const [index, content] of pieces.entries()) {
    // biome-ignore lint/plugin: the model that a test asked for is slow
    if ('delayMs' in reply && reply.delayMs !== undefined) await sleep(reply.delayMs);
    if (seen.isAborted) return;
    if ('cutAfter' in reply && reply.cutAfter === index) {
      // biome-ignore lint/plugin: what was written is on its way by then
      await sleep(50);
      return void response.socket?.destroy();
    }
    choice({ content });
  }
  if (calls.length > 0) choice({ tool_calls: calls });
  choice({}, calls.length > 0 ? 'tool_calls' : 'stop');
  const usage = usageOf(reply.usage);
  if (usage !== undefined) send({ choices: [], usage });
  response.end('data: [DONE]\n\n');
}

async function whole({ seen, response, reply }: Scripted): Promise<void> {
  // biome-ignore lint/plugin: the model that a test asked for is slow
  if ('delayMs' in reply && reply.delayMs !== undefined) await sleep(reply.delayMs);
  const { pieces, calls } = messageOf(reply);
  const message = {
    role: 'assistant',
    content: pieces.join(''),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  response.writeHead(200, { 'content-type': 'application/json' }).end(
    JSON.stringify({
      id: `chatcmpl-${randomUUID()}`,
      object: 'chat.completion',
      created: 0,
      model: seen.body.model,
      choices: [{ index: 0, message, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }],
      usage: usageOf(reply.usage),
    }),
  );
}

async function respond(seen: FakeRequest, response: ServerResponse, reply: FakeReply): Promise<void> {
  if ('hang' in reply) return;
  if ('cut' in reply) return void response.socket?.destroy();
  if ('status' in reply) {
    const { status, retryAfterSeconds, message = 'It failed.' } = reply;
    response
      .writeHead(status, {
        'content-type': 'application/json',
        ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
      })
      .end(JSON.stringify({ error: { message, type: 'fake', code: null } }));
    return;
  }
  await (seen.body.stream === true ? stream : whole)({ seen, response, reply });
}

/** A server that speaks `/v1/chat/completions`, whole and streamed, and answers as scripted, faults as well. */
export async function startFakeModel(): Promise<FakeModel> {
  const requests: FakeRequest[] = [];
  const unscripted = (): FakeReply => ({ status: 500, message: 'Nothing was scripted.' });
  let queue: FakeReply[] = [];
  let otherwise: (request: FakeRequest) => FakeReply = unscripted;
  const server = createServer((request, response) => {
    void bodyOf(request).then(async (body) => {
      const seen: FakeRequest = {
        body,
        authorization: request.headers.authorization,
        at: Date.now(),
        isAborted: false,
      };
      response.on('close', () => {
        seen.isAborted = !response.writableEnded;
      });
      requests.push(seen);
      await respond(seen, response, queue.shift() ?? otherwise(seen));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    script: (...replies) => void queue.push(...replies),
    otherwise: (reply) => {
      otherwise = reply;
    },
    reset: () => {
      requests.splice(0);
      queue = [];
      otherwise = unscripted;
    },
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve, reject) => server.close((error) => (error ? reject(error) : resolve())));
    },
  };
}
