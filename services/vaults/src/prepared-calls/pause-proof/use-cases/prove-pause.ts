import { superVaultAggregatorAbi } from '@castellan/chain';
import type { PauseTrial } from '@castellan/contracts';
import { type Address, encodeFunctionData } from 'viem';
import type { z } from 'zod';
import type { KnownChain } from '../../../chains/chain-directory.ts';
import type { Simulation } from '../../../chains/simulation.rpc.ts';
import type { TransactionReader } from '../../../chains/transactions.rpc.ts';
import type { Snapshot } from '../../../vault/adapters/snapshot-store.mongo.ts';
import type { PauseFactsReader } from '../adapters/pause-facts.rpc.ts';
import type { StoredProof } from '../adapters/pause-proofs.mongo.ts';

export type ProvePorts = {
  simulation: Simulation;
  transactions: Pick<TransactionReader, 'headBlock'>;
  /** Whether a wallet pays for its own transactions; a Safe's are paid by their sender. */
  signsItself: (chain: KnownChain, wallet: Address) => Promise<boolean>;
  /** From the chain: a snapshot may be older than the change that matters. */
  facts: PauseFactsReader;
  now: () => number;
};

type Trial = z.output<typeof PauseTrial>;
type At = { chain: KnownChain; aggregator: Address; strategy: Address; block: bigint; gasPrice: bigint };

const encode = (
  functionName: 'pauseStrategy' | 'unpauseStrategy' | 'removeSecondaryManager',
  args: readonly [Address] | readonly [Address, Address],
) => encodeFunctionData({ abi: superVaultAggregatorAbi, functionName, args } as never);

async function tryCall(
  ports: ProvePorts,
  { chain, aggregator, strategy, block, gasPrice }: At,
  call: StoredProof['call'],
  { wallet, role }: { wallet: Address; role: Trial['role'] },
): Promise<Trial> {
  const data = encode(call, [strategy]);
  const [trial, balance, paysItself] = await Promise.all([
    ports.simulation.estimate(chain, { from: wallet, to: aggregator, data }, block),
    ports.simulation.balance(chain, wallet, block),
    ports.signsItself(chain, wallet),
  ]);
  const { ok, revertReason, gas } = trial;
  const isFunded = !paysItself || gas === null || balance >= gas * gasPrice;
  return {
    wallet_address: wallet,
    role,
    ok: ok && isFunded,
    reason: ok && !isFunded ? 'NO_GAS' : revertReason,
    gas: gas === null ? null : String(gas),
    gas_price: String(gasPrice),
    balance: String(balance),
  };
}

/**
 * Tries the pause (the release while the vault is paused) from every manager, and the removal of each secondary manager from the
 * primary, all at one block.
 * @throws AppError RPC_UNAVAILABLE: a button that could not be tried is not proven.
 */
export async function provePause(
  ports: ProvePorts,
  chain: KnownChain,
  { chain_id, detail }: Snapshot,
  intervalSeconds: number,
): Promise<StoredProof> {
  const [{ aggregator }, block, gasPrice] = await Promise.all([
    chain.contracts(),
    ports.transactions.headBlock(chain),
    ports.simulation.gasPrice(chain),
  ]);
  const strategy = detail.strategy_address as Address;
  const at: At = { chain, aggregator, strategy, block, gasPrice };
  const trio = { vault: detail.vault_address as Address, strategy, escrow: detail.escrow_address as Address };
  const { primary, secondary, isPaused, pendingRedeemShares } = await ports.facts.read(chain, trio, block);
  const call = isPaused ? 'unpauseStrategy' : 'pauseStrategy';
  const managers = [
    { wallet: primary, role: 'primary_manager' as const },
    ...secondary.map((wallet) => ({ wallet, role: 'secondary_manager' as const })),
  ];
  const trials = await Promise.all(managers.map((manager) => tryCall(ports, at, call, manager)));
  const removals = secondary.map(async (wallet) => {
    const data = encode('removeSecondaryManager', [strategy, wallet]);
    const { ok, revertReason } = await ports.simulation.run(chain, { from: primary, to: aggregator, data }, block);
    return { wallet_address: wallet, ok, reason: revertReason };
  });
  return {
    chain_id,
    vault_address: detail.vault_address,
    call,
    ok: trials.some(({ ok }) => ok),
    checked_at: new Date(ports.now()).toISOString(),
    block_number: Number(block),
    interval_seconds: intervalSeconds,
    trials,
    removals: await Promise.all(removals),
    blast_radius: {
      tvl_usd: detail.tvl_usd,
      total_assets: detail.total_assets,
      pending_redeem_shares: String(pendingRedeemShares),
    },
  };
}
