import { expect, test } from '@jest/globals';
import { readUrls } from './read-urls.ts';

const vault = { chain_id: 31337, vault_address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' };
const item = {
  id: 'one',
  tx_hash: `0x${'11'.repeat(32)}`,
  wallet_address: vault.vault_address,
  source_address: vault.vault_address,
};
const network = { config: { digest: item.tx_hash }, rounds: [{ epoch: 1, round: 1 }] };
const answer = { items: [item], data: { artifact_hash: item.tx_hash }, ...network };

test('default: every GET of the API has an address, when the system has what it reads', async () => {
  const urls = await readUrls(vault, async () => answer);
  expect(urls.length).toBeGreaterThan(80);
  expect(urls.filter(({ url }) => url === undefined).map(({ route }) => route.id)).toEqual([]);
  expect(urls.find(({ route }) => route.id === 'auditRow')?.url).toBe('/api/v1/audit/logs/one?');
});

test('behavior: a read by an id of which the system has none has no address', async () => {
  const urls = await readUrls(vault, async () => ({ items: [] }));
  const unknown = urls.filter(({ url }) => url === undefined).map(({ route }) => route.id);
  expect(unknown).toEqual(expect.arrayContaining(['getAlert', 'transaction', 'merkleArtifact', 'listDeliveries']));
  expect(unknown).not.toContain('vault');
});
