/**
 * A model that anybody may ask as one does OpenAI's: answers of BENCH_TOKENS words, BENCH_PER_SECOND of them a second, each answer
 * on a clock of its own. Pieces are cut as models cut them: a word comes with the space before it. Sends its parent its port.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { wordNow } from './ai-words.ts';

const tokens = Number(process.env.BENCH_TOKENS);
const everyMs = 1_000 / Number(process.env.BENCH_PER_SECOND);
const wordsPerSentence = 12;
let answers = 0;

async function isRead(request: IncomingMessage): Promise<void> {
  for await (const _ of request);
}

function answer(response: ServerResponse): void {
  const began = performance.now();
  answers += 1;
  const head = `data: {"id":"chatcmpl-${answers}","object":"chat.completion.chunk","created":0,"model":"bench","choices":[`;
  const send = (delta: object, finish_reason: string | null = null) =>
    response.write(`${head}${JSON.stringify({ index: 0, delta, finish_reason })}]}\n\n`);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  send({ role: 'assistant', content: '' });
  let sent = 0;
  const next = () => {
    if (response.destroyed) return;
    if (sent < tokens) {
      const end = sent % wordsPerSentence === wordsPerSentence - 1 ? '.' : '';
      send({ content: `${sent === 0 ? '' : ' '}${wordNow(sent)}${end}` });
      sent += 1;
      // By the clock, so that a late timer makes no slower stream.
      setTimeout(next, Math.max(0, began + (sent + 1) * everyMs - performance.now()));
      return;
    }
    send({}, 'stop');
    const usage = { prompt_tokens: 400, completion_tokens: tokens, total_tokens: 400 + tokens };
    response.end(`${head}],"usage":${JSON.stringify(usage)}}\n\ndata: [DONE]\n\n`);
  };
  setTimeout(next, everyMs);
}

const server = createServer((request, response) => {
  void isRead(request).then(() => answer(response));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', 4_096, () => process.send?.({ port: (server.address() as AddressInfo).port }));
