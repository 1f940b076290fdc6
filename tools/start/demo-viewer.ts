import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@castellan/contracts';
import { ApiError, createClient } from '@castellan/sdk';
import { mnemonicToAccount } from 'viem/accounts';
import { devnetMnemonic } from './demo-wallets.ts';

const tries = 40;

/** Repeats while a service does not know the others yet, as in the first second after a start. @throws what else fails. */
export async function grantDemoViewer(baseUrl: string): Promise<void> {
  for (let left = tries; ; left -= 1) {
    try {
      return await grantOnce(baseUrl);
    } catch (error) {
      if (left === 0 || !(error instanceof ApiError) || error.status !== 503) throw error;
      await sleep(250);
    }
  }
}

/** Account 1 signs in and grants account 4 view-only access to each of its vaults, through the public API. Safe to repeat. */
async function grantOnce(baseUrl: string): Promise<void> {
  const manager = mnemonicToAccount(devnetMnemonic, { addressIndex: 1 });
  const viewer = mnemonicToAccount(devnetMnemonic, { addressIndex: 4 });
  const anonymous = createClient({ baseUrl });
  const { typed_data } = await anonymous.createNonce({ body: { address: manager.address, chain_id: 31337 } });
  const signature = await manager.signTypedData(typed_data as Parameters<typeof manager.signTypedData>[0]);
  const { access_token } = await anonymous.createToken({ body: { method: 'eip712', typed_data, signature } });
  const client = createClient({ baseUrl, token: access_token });
  const { vaults } = await client.me({});
  if (vaults.length === 0) throw new AppError('VAULT_NOT_FOUND', 'The devnet has no vault of account 1.');
  for (const { chain_id, vault_address } of vaults) {
    await client.grantViewOnly({
      body: { chain_id, vault_address, wallet_address: viewer.address, display_name: 'Demo analyst' },
    });
  }
  await client.logout({});
}
