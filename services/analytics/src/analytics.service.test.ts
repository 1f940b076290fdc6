import { expect, test } from '@jest/globals';
import { analyticsService } from './analytics.service.ts';

test('behavior: each action is asked of the instance that has the history of its vault', () => {
  const { actions = {} } = analyticsService({
    histories: { momentOf: () => Promise.reject(new Error('not asked')) },
    generationOf: () => Promise.reject(new Error('not asked')),
    nowMs: () => 0,
  });
  const keys = Object.entries(actions as Record<string, { strategy?: string; strategyOptions?: unknown }>).map(
    ([name, { strategy, strategyOptions }]) => [name, strategy, strategyOptions],
  );
  expect(keys.length).toBeGreaterThan(20);
  for (const [name, ...sharing] of keys) {
    const shardKey = ['compare', 'summaries'].includes(String(name)) ? 'vaults.0.vault_address' : 'vault_address';
    expect(sharing).toEqual(['Shard', { shardKey }]);
  }
});
