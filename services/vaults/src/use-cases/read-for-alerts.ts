import { unwrapRpcError } from '@castellan/chain';
import type { GetAlertReadings, ParamsOf, ResultOf } from '@castellan/contracts';
import type { Address } from 'viem';
import type { ChainDirectory } from '../adapters/chain-directory.ts';
import type { PauseProofStore } from '../adapters/pause-proofs.mongo.ts';

export type AlertReadingsPorts = { chains: ChainDirectory; proofs: PauseProofStore; now: () => number };

/** A trial twice as old as it may get: by then somebody else should have made one. */
const OLD_INTERVALS = 2;

/** The newest trial of the pause, and what wallets have to pay for gas. */
export const readForAlerts =
  ({ chains, proofs, now }: AlertReadingsPorts) =>
  async ({
    chain_id,
    vault_address,
    wallets,
  }: ParamsOf<typeof GetAlertReadings>): Promise<ResultOf<typeof GetAlertReadings>> => {
    const { client } = chains.get(chain_id);
    const proof = await proofs.get(chain_id, vault_address);
    const balanceOf = async (wallet_address: string) => ({
      wallet_address,
      balance: `${await client.getBalance({ address: wallet_address as Address })}`,
    });
    const balances = await Promise.all(wallets.map(balanceOf)).catch((error: unknown) => {
      throw unwrapRpcError(error);
    });
    return {
      pause_proof: proof && {
        ok: proof.ok,
        is_old: now() - Date.parse(proof.checked_at) > OLD_INTERVALS * proof.interval_seconds * 1000,
        reason: proof.trials.find(({ ok }) => !ok)?.reason ?? null,
      },
      balances,
    };
  };
