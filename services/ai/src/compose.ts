import { setTimeout as sleep } from 'node:timers/promises';
import { RoleStream, SessionStream } from '@castellan/contracts';
import type { ServiceContext, ServiceDefinition, ServiceParts } from '@castellan/service-kit';
import { aiService } from './ai.service.ts';
import { mongoAnalyses } from './analysis/adapters/analyses.mongo.ts';
import { analystOf } from './analyst/choose.ts';
import { rulesAnalyst } from './analyst/rules/rules-analyst.ts';
import { mongoBudgets } from './budgets/budgets.mongo.ts';
import { openCollections } from './collections.ts';
import { composeChat } from './compose-chat.ts';
import { composeFeed, feedPublishes, feedStreams } from './compose-feed.ts';
import { composeMcp } from './compose-mcp.ts';
import type { AiConfig } from './config.ts';
import { openCallers } from './http/callers.ts';
import { createHttp } from './http/http-port.ts';
import { aiMetrics } from './telemetry/metrics.ts';

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
