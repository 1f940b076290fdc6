import '../../test/browser.ts';
import { expect, test } from '@jest/globals';
import { QueryClient } from '@tanstack/react-query';
import { aPublicVault, aVault } from '../../test/builders.ts';
import { config } from '../../test/harness.tsx';
import { keys } from '../data/queries.ts';
import { carriedBy, seed } from './carried.ts';

const page = (text: string | null) =>
  ({ getElementById: (id: string) => (id === 'carried' ? { textContent: text } : null) }) as unknown as Document;

test('default: what the page carries is there before anything is asked, for the public alone', () => {
  const vault = aVault();
  const carried = carriedBy(page(JSON.stringify({ config, vault, vaults: [aPublicVault()] })));
  expect(carried?.config).toEqual(config);
  const queries = new QueryClient();
  if (carried) seed(queries, carried);
  expect(queries.getQueryData(keys.publicVaults)).toEqual([aPublicVault()]);
  expect(queries.getQueryData(keys.vault('public', vault.chain_id, vault.vault_address))).toEqual(vault);
  expect(queries.getQueryCache().getAll()).toHaveLength(2);
});

test('behavior: a page without, or of another release, asks as usual', () => {
  expect(carriedBy(page(null))).toBeUndefined();
  expect(carriedBy(page('{}'))).toBeUndefined();
  expect(carriedBy(page(JSON.stringify({ config, vault: { name: 'half a vault' } })))).toBeUndefined();
});
