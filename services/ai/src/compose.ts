import { setTimeout as sleep } from 'node:timers/promises';
import { RoleStream, SessionStream } from '@castellan/contracts';
import type { ServiceContext, ServiceDefinition, ServiceParts } from '@castellan/service-kit';
import { mongoAnalyses } from './adapters/analyses.mongo.ts';
import { mongoBudgets } from './adapters/budgets.mongo.ts';
import { aiService } from './ai.service.ts';
import { analystOf } from './analyst/choose.ts';
import { rulesAnalyst } from './analyst/rules/rules-analyst.ts';
import { openCallers } from './callers.ts';
import { composeChat } from './chat/compose-chat.ts';
import type { AiConfig } from './config.ts';
import { composeFeed, feedPublishes, feedStreams } from './feed/compose-feed.ts';
import { createHttp } from './http.ts';
import { composeMcp } from './mcp/compose-mcp.ts';
import { openCollections } from './models/collections.ts';
import { aiMetrics } from './telemetry.ts';

/** Under the five seconds after which a call over the bus is given up. */
const answerWithinMs = 4_000;

/** Puts the service together: an analyst, what it may read, and what keeps its texts and budgets. */
const compose =
  (config: AiConfig) =>
  (context: ServiceContext): ServiceParts => {
    const { mongo, callAction, log, registry, health } = context;
    const collections = openCollections(mongo);
    // Two tries of the analyst and the reading before them.
    const leaseMs = 2 * config.models.timeoutMs + 30_000;
    const analyst = analystOf(config.models, registry);
    const deps = {
      analyst,
      rules: rulesAnalyst(),
      analyses: mongoAnalyses(mongo, collections, { leaseMs }),
      budgets: mongoBudgets({ budgets: collections.budgets, ...config.budget, now: Date.now }),
      callAction,
      cache: config.cache,
      timeoutMs: 2 * config.models.timeoutMs,
      answerWithinMs,
      metrics: aiMetrics(registry),
      log,
      now: Date.now,
      wait: (ms: number) => sleep(ms, undefined, { ref: false }),
    };
    const feed = composeFeed(config, context, deps.budgets);
    const callers = openCallers(config.tokens, context);
    const http = createHttp(config.http, composeMcp(config, context, { callers, ...deps }));
    const chat = composeChat(config, context, { http, callers, ...deps });
    health.addReadiness('http', () => http.isListening);
    return {
      // Listens when the bus is there: nobody could be let in before.
      schemas: [
        { ...aiService(deps, { ...feed.actions, ...chat.actions }), started: async () => void (await http.listen()) },
      ],
      start: async () => {
        await Promise.all([callers.start(), chat.start(), analyst.ready()]);
        await feed.start();
      },
      drain: async () => {
        await Promise.all([http.close(), chat.close()]);
        await feed.drain();
      },
      stop: callers.stop,
    };
  };

export const aiDefinition = (config: AiConfig): ServiceDefinition => ({
  name: 'ai',
  config,
  streams: [SessionStream, RoleStream, ...feedStreams],
  publishes: feedPublishes,
  build: compose(config),
});
