/**
 * Reads the caller's vaults, or one vault whole: `read-vault.ts [chain_id vault_address]`.
 * Environment: CASTELLAN_TOKEN (see sign-in.ts), CASTELLAN_URL.
 */
import { createClient } from '@castellan/sdk';

const { CASTELLAN_TOKEN, CASTELLAN_URL = 'http://127.0.0.1:8080' } = process.env;
if (!CASTELLAN_TOKEN) throw new Error('Set CASTELLAN_TOKEN: docs/api/sign-in.ts prints one.');

const client = createClient({ baseUrl: CASTELLAN_URL, token: CASTELLAN_TOKEN });
const [chain_id, vault_address] = process.argv.slice(2);

if (chain_id && vault_address) {
  process.stdout.write(`${JSON.stringify(await client.vault({ params: { chain_id, vault_address } }), null, 2)}\n`);
} else {
  const { wallet_address, vaults } = await client.me({});
  process.stdout.write(`${wallet_address}\n`);
  for (const { chain_id: chain, vault_address: address, role } of vaults) {
    const vault = await client.vault({ params: { chain_id: String(chain), vault_address: address } });
    process.stdout.write(
      `  ${address}  ${vault.name}  ${role}  PPS ${vault.current_pps_display}  ${vault.pps_status}\n`,
    );
  }
}
