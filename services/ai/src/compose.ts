import { setTimeout as sleep } from 'node:timers/promises';
import { ChainStream, LogAppended } from '@castellan/contracts';
import { type Following, followStream, type ServiceContext, type ServiceParts } from '@castellan/service-kit';
import { mongoAnalyses } from './adapters/analyses.mongo.ts';
import { mongoBudgets } from './adapters/budgets.mongo.ts';
import { PostLedger } from './adapters/post-ledger.mongo.ts';
import { aiService } from './ai.service.ts';
import { analystOf } from './analyst/choose.ts';
import { rulesAnalyst } from './analyst/rules/rules-analyst.ts';
import type { AiConfig } from './config.ts';
import { FeedFollower } from './feed/follower.ts';
import { openCollections } from './models/collections.ts';
import { openFeedCollections } from './models/feed-collections.ts';
import { aiMetrics } from './telemetry.ts';

/** Under the five seconds after which a call over the bus is given up. */
const answerWithinMs = 4_000;

/** Puts the service together: an analyst, what it may read, and what keeps its texts and budgets. */
export const compose =
  (config: AiConfig) =>
  ({ mongo, callAction, log, registry, outbox, durable }: ServiceContext): ServiceParts => {
    const collections = openCollections(mongo);
    // Two tries of the analyst and the reading before them.
    const leaseMs = 2 * config.models.timeoutMs + 30_000;
    const feed = openFeedCollections(mongo);
    const ledger = new PostLedger({ collections: feed, outbox, log });
    const follower = new FeedFollower({
      ...{ collections: feed, mongo, callAction, thresholds: config.feed, log },
      now: () => new Date(),
    });
    let following: Following | undefined;
    const deps = {
      ...{ collections: feed, ledger },
      analyst: analystOf(config.models),
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
    return {
      schemas: [aiService(deps)],
      start: async () => {
        ledger.start();
        following = await followStream(durable, {
          stream: ChainStream,
          events: [LogAppended],
          from: new Date(),
          onMessage: () => follower.wake(),
        });
        follower.start();
      },
      drain: async () => {
        ledger.stop();
        await following?.stop();
        await follower.stop();
      },
    };
  };
