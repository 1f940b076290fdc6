/**
 * Signs in with a wallet and prints the token, and nothing else, on standard output.
 * Environment: WALLET_PRIVATE_KEY, or WALLET_MNEMONIC with WALLET_INDEX; CASTELLAN_URL; CASTELLAN_CHAIN_ID.
 */
import { createClient } from '@castellan/sdk';
import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts';

const { WALLET_PRIVATE_KEY, WALLET_MNEMONIC, WALLET_INDEX = '0' } = process.env;
const { CASTELLAN_URL = 'http://127.0.0.1:8080', CASTELLAN_CHAIN_ID = '31337' } = process.env;

const wallet = WALLET_PRIVATE_KEY
  ? privateKeyToAccount(WALLET_PRIVATE_KEY as `0x${string}`)
  : WALLET_MNEMONIC && mnemonicToAccount(WALLET_MNEMONIC, { addressIndex: Number(WALLET_INDEX) });
if (!wallet) throw new Error('Set WALLET_PRIVATE_KEY, or WALLET_MNEMONIC and WALLET_INDEX.');

const client = createClient({ baseUrl: CASTELLAN_URL });
const { typed_data } = await client.createNonce({
  body: { address: wallet.address, chain_id: Number(CASTELLAN_CHAIN_ID) },
});
const signature = await wallet.signTypedData(typed_data as Parameters<typeof wallet.signTypedData>[0]);
const { access_token } = await client.createToken({ body: { method: 'eip712', typed_data, signature } });
process.stdout.write(`${access_token}\n`);
