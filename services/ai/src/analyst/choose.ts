import type { Registry } from '@castellan/service-kit';
import type { Analyst } from './analyst.ts';
import { langchainAnalyst } from './langchain/langchain-analyst.ts';
import { modelMeter } from './langchain/usage.ts';
import type { ModelConfig } from './model-config.ts';
import { rulesAnalyst } from './rules/rules-analyst.ts';

/**
 * The analyst the configuration asks for: a model where one is named, else the rules. `ready` loads what it needs, which takes
 * seconds in which nothing else is done.
 */
export function analystOf(config: ModelConfig, registry: Registry): Analyst & { ready(): Promise<void> } {
  const { model } = config;
  if (model === undefined) return { ...rulesAnalyst(), ready: async () => undefined };
  return langchainAnalyst({ ...config, model }, modelMeter(registry, model.vendor, config.prices));
}
