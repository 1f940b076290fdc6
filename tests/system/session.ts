import type { StoredSession } from '../../tools/web-pages.ts';
import { account, baseUrl, signIn } from './actors.ts';

/**
 * Signs in through the API.
 * @returns what the web keeps in the browser: its session, and which demo wallet is connected.
 */
export async function sessionOf(index: number): Promise<StoredSession> {
  const { token, client } = await signIn(index);
  const { wallet_address, is_manager, vaults } = await client.me({});
  const kept = {
    curator_jwt: token,
    curator_address: wallet_address,
    curator_is_manager: String(is_manager),
    curator_vaults: JSON.stringify([...new Set(vaults.map(({ vault_address }) => vault_address))]),
    castellan_demo_wallet: account(index).address,
  };
  const localStorage = Object.entries(kept).map(([name, value]) => ({ name, value }));
  return { cookies: [], origins: [{ origin: baseUrl(), localStorage }] };
}
