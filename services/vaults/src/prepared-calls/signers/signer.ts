import { unwrapRpcError } from '@castellan/chain';
import type { Signer } from '@castellan/contracts';
import { type Address, type Hex, zeroHash } from 'viem';
import { getAddress, keccak256, stringToHex } from 'viem/utils';
import type { Client } from './probe.ts';
import { readSafe, safePackage } from './safe.ts';
import { readTimelock, timelockPackage } from './timelock.ts';

/** The code of a wallet that delegates to a contract (EIP-7702) and still signs for itself. */
const DELEGATION = '0xef0100';

/** Whether a wallet can sign transactions itself, as opposed to a contract that others send through. */
export async function signsItself(client: Client, wallet: Address): Promise<boolean> {
  const code = await client.request({ method: 'eth_getCode', params: [wallet, 'latest'] }).catch((error: unknown) => {
    throw unwrapRpcError(error);
  });
  return code === '0x' || (code.toLowerCase().startsWith(DELEGATION) && code.length === 48);
}

/** A call to package; `id` is unique, and salts what a timelock keeps. */
export type CallToPackage = { id: string; to: Address; data: Hex; description: string };

/** How the wallet sends these calls, one after the other. @throws AppError RPC_UNAVAILABLE. */
export type SignerOf = (
  chain: { config: { chainId: number }; client: Client },
  wallet: Address,
  calls: readonly CallToPackage[],
) => Promise<Signer[]>;

/**
 * Packages calls for their sender: an account as they are, a Safe as what its owners sign, a timelock as schedule and
 * execute. Of another contract nothing is known, so it gets no package.
 */
export const signerPackager =
  (now: () => number): SignerOf =>
  async ({ config, client }, address, calls) => {
    const wallet = getAddress(address);
    const all = (kind: Signer['kind']): Signer[] => calls.map(() => ({ wallet_address: wallet, kind, package: null }));
    if (await signsItself(client, wallet)) return all('eoa');
    const [safe, timelock] = await Promise.all([readSafe(client, wallet), readTimelock(client, wallet)]);
    if (safe) {
      const about = { chainId: config.chainId, createdAt: now() };
      const packaged = calls.map(async (call, index) =>
        safePackage(safe, index, { ...about, call, description: call.description }),
      );
      return (await Promise.all(packaged)).map((item) => ({ wallet_address: wallet, kind: 'safe', package: item }));
    }
    if (timelock) {
      let predecessor: Hex = zeroHash;
      return calls.map((call) => {
        const item = timelockPackage(timelock, call, { predecessor, salt: keccak256(stringToHex(call.id)) });
        predecessor = item.operation_id as Hex;
        return { wallet_address: wallet, kind: 'timelock', package: item };
      });
    }
    return all('contract');
  };
