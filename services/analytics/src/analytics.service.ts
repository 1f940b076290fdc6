import { CompareVaults, ExportPage } from '@castellan/contracts';
import { implement } from '@castellan/service-kit';
import type { ServiceSchema } from 'moleculer';
import { reads } from './reads.ts';
import { compareVaults } from './use-cases/compare.ts';
import { exportPage } from './use-cases/export-page.ts';
import type { Histories } from './use-cases/ports.ts';

/** Binds the contracts to the use cases: reads of one vault, and what is about several or comes in pages. */
export const analyticsService = (deps: { histories: Histories }): ServiceSchema => {
  const actions = [
    ...reads.map((read) => read.implement(deps)),
    implement(CompareVaults, compareVaults(deps)),
    implement(ExportPage, exportPage(deps)),
  ];
  return { name: 'analytics', version: 1, actions: Object.fromEntries(actions.map((each) => [each.name, each])) };
};
