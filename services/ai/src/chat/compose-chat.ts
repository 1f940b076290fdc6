import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { GetJwks, SessionStream } from '@castellan/contracts';
import type { Following, ServiceContext } from '@castellan/service-kit';
import {
  busKeySet,
  createRevocations,
  createTokenVerifier,
  embeddedIssuer,
  followRevocations,
  hostedIssuer,
} from '@castellan/tokens';
import type { Analyst } from '../analyst/analyst.ts';
import type { AiConfig } from '../config.ts';
import { openChatCollections } from '../models/chat-collections.ts';
import type { AiMetrics } from '../telemetry.ts';
import { tools } from '../tools/run-tool.ts';
import type { Budgets } from '../use-cases/ports.ts';
import { Answers } from './answers.ts';
import { createChatServer } from './chat-server.ts';
import { MongoChatStore } from './chat-store.mongo.ts';
import { chatActions } from './conversations.ts';

const pruneMs = 60_000;
const now = Date.now;
const wait = (ms: number) => sleep(ms, undefined, { ref: false });

/** The stream that tells of ended sessions. */
export const chatStreams = [SessionStream];

type Shared = { analyst: Analyst; rules: Analyst; budgets: Budgets; metrics: AiMetrics };

function tokensOf({ tokens }: AiConfig, { callAction }: ServiceContext) {
  const revocations = createRevocations(now);
  const getKey = busKeySet(() => callAction(GetJwks, {}), now);
  const embedded = embeddedIssuer({ issuer: tokens.issuer, audience: tokens.audience, getKey });
  const verifier = createTokenVerifier({
    issuers: [embedded, ...tokens.issuers.map(hostedIssuer)],
    ...{ revocations, cacheEntries: tokens.cacheEntries, now, count: () => undefined },
  });
  return { revocations, verifier };
}

/** Puts the chat together: who may come in, what is stored, and the port it is served on. */
export function composeChat(config: AiConfig, context: ServiceContext, shared: Shared) {
  const { mongo, callAction, log, durable, health } = context;
  const { revocations, verifier } = tokensOf(config, context);
  const store = new MongoChatStore({ collections: openChatCollections(mongo), keptMs: config.chat.keptMs, now });
  const timeoutMs = 2 * config.models.timeoutMs;
  const common = { store, callAction, log, now, wait, metrics: shared.metrics };
  const answers = new Answers({ ...common, tools, budgets: shared.budgets, timeoutMs });
  const server = createChatServer(config.chat, {
    ...{ ...shared, ...common, answers, verifier, revocations },
    ...{ newId: randomUUID, stallMs: config.chat.stallMs },
  });
  let followed: Following | undefined;
  let isListening = false;
  const prune = setInterval(() => revocations.prune(), pruneMs);
  health.addReadiness('chat', () => isListening);
  return {
    actions: chatActions(store),
    start: async () => {
      followed = await followRevocations(durable, revocations);
      await followed.caughtUp;
    },
    listen: async () => {
      const port = await server.listen();
      isListening = true;
      return port;
    },
    drain: () => {
      isListening = false;
      return server.close();
    },
    stop: async () => {
      clearInterval(prune);
      await followed?.stop();
    },
  };
}
