/**
 * Everybody who listens, in one process: first to the model itself, then to the chat. Each asks again as soon as an answer has
 * ended, so that all of them listen all the time; they begin one after the other within the first answer's length. Gets its orders
 * from its parent, and reports what came.
 */
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { chatNamespace } from '@castellan/contracts';
import { testIdentity } from '@castellan/testkit';
import { io, type Socket } from 'socket.io-client';
import { privateKeyToAccount } from 'viem/accounts';
import { arrivedIn } from './ai-words.ts';

export type Task = {
  streams: number;
  seconds: number;
  tokens: number;
  rampMs: number;
  modelPort: number;
} & ({ mode: 'raw' } | { mode: 'chat'; chatPort: number; issuer: string; chainId: number; vaults: string[] });

/** What was heard; times in milliseconds. `firsts`, `others`: from the model to here; `asked`: from the question to its first word. */
export type Heard = {
  firsts: number[];
  others: number[];
  asked: number[];
  answers: number;
  expected: number;
  delivered: number;
  gaps: number;
  repeats: number;
  dropped: number;
  errors: Record<string, number>;
};

const heard: Heard = {
  firsts: [],
  others: [],
  asked: [],
  answers: 0,
  expected: 0,
  delivered: 0,
  gaps: 0,
  repeats: 0,
  dropped: 0,
  errors: {},
};
const failed = (what: string) => {
  heard.errors[what] = (heard.errors[what] ?? 0) + 1;
};

/** One answer as it comes: counts what is missing and what comes twice, and times what comes while it is measured. */
class Listening {
  readonly #askedAt = performance.now();
  readonly #isMeasured: () => boolean;
  #next = 0;

  constructor(isMeasured: () => boolean) {
    this.#isMeasured = isMeasured;
  }

  hear(text: string): void {
    for (const { index, ms } of arrivedIn(text)) {
      if (index < this.#next) heard.repeats += 1;
      else heard.gaps += index - this.#next;
      this.#next = Math.max(this.#next, index + 1);
      heard.delivered += 1;
      if (!this.#isMeasured()) continue;
      if (index === 0) heard.asked.push(performance.now() - this.#askedAt);
      (index === 0 ? heard.firsts : heard.others).push(ms);
    }
  }

  end(expected: number): void {
    heard.answers += 1;
    heard.expected += expected;
    heard.gaps += expected - this.#next;
  }
}

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

/** Reads one answer of the model as it is. */
async function readRaw({ modelPort, tokens }: Task, isMeasured: () => boolean): Promise<void> {
  const listening = new Listening(isMeasured);
  const body = JSON.stringify({ model: 'bench', stream: true, messages: [{ role: 'user', content: 'How is it?' }] });
  const options = { port: modelPort, host: '127.0.0.1', path: '/v1/chat/completions', method: 'POST', agent };
  const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    request({ ...options, headers: { 'content-type': 'application/json' } }, resolve)
      .on('error', reject)
      .end(body);
  });
  for await (const line of createInterface({ input: response })) {
    if (!line.startsWith('data: {')) continue;
    listening.hear(JSON.parse(line.slice(6)).choices[0]?.delta?.content ?? '');
  }
  listening.end(tokens);
}

/** Ends the answer that a lost connection was listening to. */
const onLost = new WeakMap<Socket, () => void>();

type Chat = Extract<Task, { mode: 'chat' }>;

/** The gateway, which exchanges tokens for these. */
const identity = testIdentity();

async function connect({ chatPort, issuer }: Chat, index: number): Promise<Socket> {
  // A wallet of its own for everybody: limits stand as they are.
  const wallet_address = privateKeyToAccount(`0x${(index + 1).toString(16).padStart(64, '0')}`).address;
  const expires_at = Math.floor(Date.now() / 1_000) + 3_600;
  const envelope = await identity.issue({ wallet_address, sid: randomUUID(), issuer, expires_at }, 'ai', 'prepare');
  const url = `http://127.0.0.1:${chatPort}${chatNamespace}`;
  const socket = io(url, { transports: ['websocket'], auth: { envelope }, forceNew: true, reconnection: false });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('connect_error', reject);
  });
  socket.on('disconnect', (reason) => {
    if (reason === 'io client disconnect') return;
    heard.dropped += 1;
    onLost.get(socket)?.();
  });
  return socket;
}

type Message = { text: string; seq: number; status: string; code: string };

/** Asks one question and hears its answer out. */
async function ask(socket: Socket, { chainId, vaults, tokens }: Chat, index: number, isMeasured: () => boolean) {
  const vault_address = vaults[index % vaults.length];
  const listening = new Listening(isMeasured);
  let next = 0;
  const onToken = ({ seq, text }: Message) => {
    if (seq !== next) failed(`number ${seq < next ? 'again' : 'missing'}`);
    next = seq + 1;
    listening.hear(text);
  };
  socket.on('chat:token', onToken);
  const ended = await new Promise<string>((resolve) => {
    onLost.set(socket, () => resolve('disconnected'));
    socket.once('chat:error', ({ code }: Message) => resolve(code));
    socket.once('chat:done', ({ status }: Message) => resolve(status));
    socket.emit('chat:send', { chain_id: chainId, vault_address, message: 'How is it doing, and why?' });
  });
  for (const event of ['chat:token', 'chat:error', 'chat:done']) socket.off(event);
  listening.end(tokens);
  if (ended === 'complete') return;
  failed(ended);
  await sleep(1_000);
}

async function run(task: Task): Promise<void> {
  const sockets: Socket[] = [];
  if (task.mode === 'chat')
    for (let index = 0; index < task.streams; index += 1) sockets.push(await connect(task, index));
  const began = performance.now();
  const from = began + task.rampMs;
  const until = from + task.seconds * 1_000;
  const isMeasured = () => performance.now() >= from && performance.now() < until;
  const listen = async (index: number) => {
    await sleep((index * task.rampMs) / task.streams);
    while (performance.now() < until) {
      if (task.mode === 'raw') await readRaw(task, isMeasured);
      else if (sockets[index]?.connected) await ask(sockets[index] as Socket, task, index, isMeasured);
      else return;
    }
  };
  const begin = setTimeout(() => process.send?.({ began: true }), task.rampMs);
  const end = setTimeout(() => process.send?.({ ended: true }), until - began);
  await Promise.all(Array.from({ length: task.streams }, (_, index) => listen(index)));
  for (const timer of [begin, end]) clearTimeout(timer);
  for (const socket of sockets) socket.close();
  await new Promise((resolve) => process.send?.({ heard }, resolve));
}

process.once('message', (task: Task) => void run(task).finally(() => process.disconnect()));
