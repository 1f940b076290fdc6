import { expect, test } from '@jest/globals';
import { memoryStorage } from '../../test/memory-storage.ts';
import { createApi, staleMs } from './api.ts';
import { createSession } from './session.ts';

test('behavior: each operation finds its route, whichever shapes are there by then and however many are asked for at once', async () => {
  const asked: string[] = [];
  const api = createApi(createSession(memoryStorage()), async (input) => {
    asked.push(new URL(input instanceof Request ? input.url : input).pathname);
    throw new TypeError('Nobody answers.');
  });
  const params = { chain_id: '1', vault_address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' };
  const operations = [
    () => api.analyticsConcentration({ params }),
    () => api.analyticsPps({ params }),
    () => api.publicVaults({}),
    () => api.vaultSettings({ params }),
    () => api.analyticsSummaries({ query: { vaults: `1:${params.vault_address}` } }),
    () => api.analyticsFees({ params }),
  ];
  expect(staleMs('analyticsConcentration')).toBe(15_000);
  await Promise.allSettled(operations.map((ask) => ask()));
  const ends = new Set(asked.map((path) => path.replace(/^.*\/(?=[a-z])/, '')));
  expect(ends).toEqual(new Set(['concentration', 'pps', 'vaults', 'settings', 'summaries', 'fees']));
  expect(staleMs('analyticsConcentration')).toBeGreaterThanOrEqual(15_000);
});
