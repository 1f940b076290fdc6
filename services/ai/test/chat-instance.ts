import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, GetJwks, RoleStream, SessionStream } from '@castellan/contracts';
import { createBroker, createLogger, createRegistry, implement, startService } from '@castellan/service-kit';
import { testIdentity, testKeysEnv } from '@castellan/testkit';
import type { ServiceBroker } from 'moleculer';
import type { Analyst, AnswerEvent, Answered } from '../src/analyst/analyst.ts';
import { rulesAnalyst } from '../src/analyst/rules/rules-analyst.ts';
import { mongoBudgets } from '../src/budgets/budgets.mongo.ts';
import { openCollections } from '../src/collections.ts';
import { composeChat } from '../src/compose-chat.ts';
import { type AiConfig, loadConfig } from '../src/config.ts';
import type { Rights } from '../src/context/rights.ts';
import { openCallers } from '../src/http/callers.ts';
import { createHttp } from '../src/http/http-port.ts';
import { aiMetrics } from '../src/telemetry/metrics.ts';
import type { Tool } from '../src/tools/tool.ts';
import { fakeServices, type Spy, type World } from './fake-services.ts';

export type Place = { natsUrl: string; namespace: string; mongoUri: string; database: string };

/** A word without digits for each number, so that it flows at once. */
export const wordOf = (n: number): string =>
  `w${[...String(n)].map((digit) => String.fromCharCode(97 + Number(digit))).join('')} `;

type Options = { tools: readonly Tool[]; rights: Rights; signal: AbortSignal; onEvent: (event: AnswerEvent) => void };

/** An analyst that does what the question says: `stream 40 every 20`, `say ...`, `flood 2000`, `tool name`, `hang`, `fail`. */
async function follow(text: string, { tools, rights, signal, onEvent }: Options): Promise<void> {
  const say = (piece: string) => onEvent({ type: 'text', text: piece });
  const [command, ...words] = text.split(' ');
  const [count, , every] = words.map(Number);
  if (command === 'stream')
    for (let n = 0; n < (count ?? 0) && !signal.aborted; n += 1) {
      say(wordOf(n));
      // biome-ignore lint/plugin: the pace of the model
      await sleep(every);
    }
  if (command === 'flood') for (let n = 0; n < (count ?? 0); n += 1) say(`${'x'.repeat(700)} `);
  if (command === 'say') for (const piece of text.slice(4).match(/\S+\s*/g) ?? []) say(piece);
  if (command === 'tool') {
    say('Looking. ');
    const tool = tools.find(({ name }) => name === words[0]);
    const args = tool?.params.parse(JSON.parse(words[1] ?? '{}')) ?? {};
    const found = await tool?.run(args, rights);
    onEvent({ type: 'tool', call: { name: tool?.name ?? '', args, ms: 1, ok: true } });
    say(`It holds ${found?.figures.length === 0 ? 'nothing' : 'figures'}. `);
  }
  if (command === 'hang') await new Promise(() => undefined);
  if (command === 'fail') {
    say('Well, ');
    throw new AppError('MODEL_UNAVAILABLE', 'The model cannot be reached.');
  }
}

export const scriptedAnalyst = (onFirst: (question: string) => void = () => undefined): Analyst => ({
  ...rulesAnalyst(),
  provider: 'openai',
  model: 'scripted',
  answer: async ({ text }, options): Promise<Answered> => {
    let isFirst = true;
    const onEvent = (event: AnswerEvent) => {
      if (isFirst) onFirst(text);
      isFirst = false;
      options.onEvent(event);
    };
    await follow(text, { ...options, onEvent });
    return { text: '', citations: [], usage: { inputTokens: 7, outputTokens: 3 }, figures: [], identifiers: [] };
  },
});

export const configAt = (
  { natsUrl, namespace, mongoUri, database }: Place,
  more: Record<string, string> = {},
): AiConfig =>
  loadConfig({
    NATS_URL: natsUrl,
    NATS_NAMESPACE: namespace,
    MONGODB_URI: mongoUri,
    MONGODB_DATABASE: database,
    MONITORING_PORT: '0',
    AI_HTTP_PORT: '0',
    LOG_LEVEL: 'silent',
    CORS_ORIGINS: 'https://friend.example',
    ...testKeysEnv('ai'),
    ...more,
  });

/** One instance of the chat, with the scripted analyst. @param budgetClock - What minutes of messages and days of tokens are counted by. */
export async function startInstance(config: AiConfig, analyst: Analyst = scriptedAnalyst(), budgetClock = Date.now) {
  let port = 0;
  const running = await startService({
    name: 'ai',
    config,
    streams: [SessionStream, RoleStream],
    build: (context) => {
      const { budgets } = openCollections(context.mongo);
      const callers = openCallers(config.tokens, context);
      const http = createHttp(config.http, {});
      const chat = composeChat(config, context, {
        http,
        callers,
        analyst,
        rules: rulesAnalyst(),
        metrics: aiMetrics(context.registry),
        budgets: mongoBudgets({ budgets, ...config.budget, now: budgetClock }),
      });
      const started = async () => {
        port = await http.listen();
      };
      return {
        schemas: [{ name: 'ai', version: 1, actions: chat.actions, started }],
        start: async () => void (await Promise.all([callers.start(), chat.start()])),
        drain: async () => void (await Promise.all([http.close(), chat.close()])),
        stop: callers.stop,
      };
    },
  });
  return { ...running, port };
}
export type Instance = Awaited<ReturnType<typeof startInstance>>;

/** The services the chat asks, among them the issuer with these keys. */
export async function startServices(
  { natsUrl, namespace }: Place,
  keys: Record<string, unknown>[],
  spy: Spy = [],
  world: World = {},
): Promise<ServiceBroker> {
  const log = createLogger({ service: 'services', level: 'silent' });
  const nats = { url: natsUrl, namespace };
  const registry = createRegistry('services');
  const broker = createBroker({ service: 'services', nats, registry, log, identity: testIdentity() });
  for (const schema of fakeServices(spy, world)) broker.createService(schema);
  broker.createService({ name: 'auth', version: 1, actions: { jwks: implement(GetJwks, () => ({ keys })) } });
  await broker.start();
  return broker;
}
