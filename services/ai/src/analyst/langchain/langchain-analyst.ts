import { randomBytes } from 'node:crypto';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import type { Analyst } from '../analyst.ts';
import { analyse } from './analyse.ts';
import { answer } from './answer.ts';
import { unavailable } from './faults.ts';
import type { ModelDeps } from './model-deps.ts';
import { type ChosenModel, openModel } from './open-model.ts';
import type { Meter } from './usage.ts';

const firstWaitMs = 500;

/** A model that writes, behind LangChain. Loaded with the first text, or before by `ready`. */
export function langchainAnalyst(config: ChosenModel, meter: Meter): Analyst & { ready(): Promise<void> } {
  const { model, timeoutMs, toolCalls, answerTokens, retries } = config;
  const deps: ModelDeps = {
    meter,
    timeoutMs,
    toolCalls,
    answerTokens,
    retry: { retries, baseMs: firstWaitMs, random: Math.random },
    newBoundary: () => randomBytes(12).toString('hex'),
  };
  let opened: Promise<BaseChatModel> | undefined;
  const open = () => {
    opened ??= openModel(config);
    return opened;
  };
  return {
    provider: model.vendor,
    model: model.name,
    ready: async () => void (await Promise.all([open(), import('langchain')])),
    analyse: async (context, options) => {
      try {
        return await analyse(await open(), deps, context, options);
      } catch (error) {
        throw unavailable(error);
      }
    },
    answer: async (question, options) => {
      try {
        return await answer(await open(), deps, question, options);
      } catch (error) {
        throw unavailable(error);
      }
    },
  };
}
