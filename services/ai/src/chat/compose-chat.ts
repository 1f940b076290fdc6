import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceContext } from '@castellan/service-kit';
import type { Analyst } from '../analyst/analyst.ts';
import type { Callers } from '../callers.ts';
import type { AiConfig } from '../config.ts';
import type { HttpPort } from '../http.ts';
import { openChatCollections } from '../models/chat-collections.ts';
import type { AiMetrics } from '../telemetry.ts';
import { tools } from '../tools/run-tool.ts';
import type { Budgets } from '../use-cases/ports.ts';
import { Answers } from './answers.ts';
import { attachChat } from './chat-server.ts';
import { MongoChatStore } from './chat-store.mongo.ts';
import { chatActions } from './conversations.ts';

const now = Date.now;
const wait = (ms: number) => sleep(ms, undefined, { ref: false });

type Shared = {
  http: Pick<HttpPort, 'server'>;
  callers: Pick<Callers, 'verifier' | 'revocations'>;
  analyst: Analyst;
  rules: Analyst;
  budgets: Budgets;
  metrics: AiMetrics;
};

/** Puts the chat together: what is stored, who answers, and its websockets on the service's port. */
export function composeChat(
  config: AiConfig,
  { mongo, callAction, log }: Pick<ServiceContext, 'mongo' | 'callAction' | 'log'>,
  { http, callers, ...shared }: Shared,
) {
  const store = new MongoChatStore({ collections: openChatCollections(mongo), keptMs: config.chat.keptMs, now });
  const timeoutMs = 2 * config.models.timeoutMs;
  const common = { store, callAction, log, now, wait, metrics: shared.metrics };
  const answers = new Answers({ ...common, tools, budgets: shared.budgets, timeoutMs });
  const options = { origins: config.http.origins, connectionsPerUser: config.chat.connectionsPerUser };
  const { close } = attachChat(http.server, options, {
    ...{ ...shared, ...common, ...callers, answers },
    ...{ newId: randomUUID, stallMs: config.chat.stallMs },
  });
  return { actions: chatActions(store), close };
}
