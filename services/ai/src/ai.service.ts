import { GetAnalysis } from '@castellan/contracts';
import { implement } from '@castellan/service-kit';
import type { ActionSchema, ServiceSchema } from 'moleculer';
import { type AnalysisDeps, getAnalysis } from './analysis/use-cases/get-analysis.ts';

/** Binds the contracts to the use cases. */
export const aiService = (deps: AnalysisDeps, more: Readonly<Record<string, ActionSchema>> = {}): ServiceSchema => ({
  name: 'ai',
  version: 1,
  actions: {
    analysis: implement(GetAnalysis, getAnalysis(deps)),
    ...more,
  },
});
