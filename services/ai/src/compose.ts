import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceContext, ServiceParts } from '@castellan/service-kit';
import { mongoAnalyses } from './adapters/analyses.mongo.ts';
import { mongoBudgets } from './adapters/budgets.mongo.ts';
import { aiService } from './ai.service.ts';
import { analystOf } from './analyst/choose.ts';
import { rulesAnalyst } from './analyst/rules/rules-analyst.ts';
import type { AiConfig } from './config.ts';
import { openCollections } from './models/collections.ts';
import { aiMetrics } from './telemetry.ts';

/** Under the five seconds after which a call over the bus is given up. */
const answerWithinMs = 4_000;

/** Puts the service together: an analyst, what it may read, and what keeps its texts and budgets. */
export const compose =
  (config: AiConfig) =>
  ({ mongo, callAction, log, registry }: ServiceContext): ServiceParts => {
    const collections = openCollections(mongo);
    // Two tries of the analyst and the reading before them.
    const leaseMs = 2 * config.models.timeoutMs + 30_000;
    const deps = {
      analyst: analystOf(config.models, registry),
      rules: rulesAnalyst(),
      analyses: mongoAnalyses(mongo, collections, { leaseMs, now: Date.now }),
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
    return { schemas: [aiService(deps)] };
  };
