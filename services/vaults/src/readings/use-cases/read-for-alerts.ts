import { unwrapRpcError } from '@castellan/chain';
import type { GetAlertReadings, ParamsOf, ResultOf } from '@castellan/contracts';
import { type Address, getAddress } from 'viem';
import type { ChainDirectory } from '../../chains/chain-directory.ts';
import type { PauseProofStore } from '../../prepared-calls/pause-proof/adapters/pause-proofs.mongo.ts';

export type AlertReadingsPorts = {
  chains: ChainDirectory;
  proofs: PauseProofStore;
  /** What the keeper of a chain last reported; null before one did. */
  keeper: (chainId: number) => Promise<{ address: string } | null>;
  now: () => number;
};

/** A trial twice as old as it may get: by then somebody else should have made one. */
const OLD_INTERVALS = 2;

/** The newest trial of the pause, and what wallets and the keeper have to pay for gas. */
export const readForAlerts =
  ({ chains, proofs, keeper: keeperOf, now }: AlertReadingsPorts) =>
  async ({
    chain_id,
    vault_address,
    wallets,
  }: ParamsOf<typeof GetAlertReadings>): Promise<ResultOf<typeof GetAlertReadings>> => {
    const { client } = chains.get(chain_id);
    const proof = await proofs.get(chain_id, vault_address);
    const report = await keeperOf(chain_id);
    const keeper = report && getAddress(report.address);
    const balanceOf = async (wallet_address: string) => ({
      wallet_address,
      balance: `${await client.getBalance({ address: wallet_address as Address })}`,
    });
    const asked = new Set([...wallets, ...(keeper ? [keeper] : [])]);
    const balances = await Promise.all([...asked].map(balanceOf)).catch((error: unknown) => {
      throw unwrapRpcError(error);
    });
    return {
      pause_proof: proof && {
        ok: proof.ok,
        is_old: now() - Date.parse(proof.checked_at) > OLD_INTERVALS * proof.interval_seconds * 1000,
        reason: proof.trials.find(({ ok }) => !ok)?.reason ?? null,
      },
      keeper,
      balances,
    };
  };
