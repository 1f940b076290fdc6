import { CompareVaults, ExportPage, JudgeMandate, MeasureMetrics, SummarizeVaults } from '@castellan/contracts';
import { implement, sharedOutBy } from '@castellan/service-kit';
import type { ServiceSchema } from 'moleculer';
import { reads } from './reads.ts';
import { compareVaults } from './use-cases/compare.ts';
import { exportPage } from './use-cases/export-page.ts';
import { judgeMandate } from './use-cases/judge-mandate.ts';
import { type MeasureDeps, measureMetrics } from './use-cases/measure-metrics.ts';
import { summarizeVaults } from './use-cases/summaries.ts';

/**
 * Binds the contracts to the use cases: reads of one vault, and what is about several or comes in pages. Each vault is asked of one
 * instance, so that its history is folded and kept once; a comparison and
 * a list of summaries go to the instance of their first vault.
 */
export const analyticsService = (deps: MeasureDeps): ServiceSchema => {
  const actions = [
    ...[
      ...reads.map((read) => read.implement(deps)),
      implement(ExportPage, exportPage(deps)),
      implement(JudgeMandate, judgeMandate(deps)),
      implement(MeasureMetrics, measureMetrics(deps)),
    ].map((each) => ({ ...each, ...sharedOutBy('vault_address') })),
    ...[implement(CompareVaults, compareVaults(deps)), implement(SummarizeVaults, summarizeVaults(deps))].map(
      (each) => ({
        ...each,
        ...sharedOutBy('vaults.0.vault_address'),
      }),
    ),
  ];
  return { name: 'analytics', version: 1, actions: Object.fromEntries(actions.map((each) => [each.name, each])) };
};
