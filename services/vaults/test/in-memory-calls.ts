import { randomUUID } from 'node:crypto';
import type { PreparedCall, VaultDetail } from '@castellan/contracts';
import type { PreparedDraft } from '../src/prepared-calls/changes/domain/change.ts';
import type { Snapshot } from '../src/vault/adapters/snapshot-store.mongo.ts';

/** Keeps nothing: the wire form of what was prepared. */
export const inMemory = async (drafts: readonly PreparedDraft[]): Promise<PreparedCall[]> =>
  drafts.map(({ request, target, content, simulation, mandateWarnings }) => ({
    id: randomUUID(),
    ...content.call,
    value: '0',
    chain_id: target.chainId,
    description: content.description,
    simulation: { ok: simulation.ok, revert_reason: simulation.revertReason },
    preconditions: content.preconditions,
    changes: content.changes,
    ...(mandateWarnings.length > 0 ? { mandate_warnings: [...mandateWarnings] } : {}),
    post_condition: { description: content.postCondition.description },
    expires_at: '2099-01-01T00:00:00.000Z',
    signer: { wallet_address: request.caller, kind: 'eoa', package: null },
  }));

const appointed = (wallet: string) => ({ wallet: wallet.toLowerCase(), grantedBy: null, grantedAt: '' });

export const snapshotOf = (detail: VaultDetail, primary: string, secondary: readonly string[]): Snapshot => ({
  chain_id: detail.chain_id,
  vault: detail.vault_address.toLowerCase(),
  strategy: detail.strategy_address.toLowerCase(),
  block_number: 1,
  block_hash: '0x01',
  computed_at: new Date(0),
  detail,
  managers: { primary: appointed(primary), secondary: secondary.map(appointed) },
  wallets: [primary, ...secondary].map((wallet) => wallet.toLowerCase()),
});
