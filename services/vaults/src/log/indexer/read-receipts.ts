import { isRpcUnavailable } from '@castellan/chain';
import { getAddress, type Hash, type PublicClient, type RpcTransactionReceipt } from 'viem';
import type { EntryDraft } from '../domain/log-entry.ts';

/** The name of the observation of one transaction that touched a vault. */
export const TRANSACTION_OBSERVED = 'transaction_observed';

/** Receipts asked for at once; the client batches them into few HTTP calls. */
const AT_ONCE = 200;

/** What logs do not hold of a transaction: who paid, and how much. `l1_fee` is what a rollup adds. Wei as decimal strings. */
function draftOf(receipt: RpcTransactionReceipt, of: EntryDraft, vaults: readonly string[]): EntryDraft {
  const { l1Fee } = receipt as { l1Fee?: string | null };
  return {
    kind: 'observation',
    block_number: of.block_number,
    block_hash: of.block_hash,
    block_time: of.block_time,
    tx_hash: of.tx_hash,
    log_index: null,
    address: null,
    contract: null,
    vault_address: null,
    name: TRANSACTION_OBSERVED,
    args: {
      from: getAddress(receipt.from),
      to: receipt.to === null ? null : getAddress(receipt.to),
      gas_used: `${BigInt(receipt.gasUsed)}`,
      effective_gas_price: `${BigInt(receipt.effectiveGasPrice)}`,
      l1_fee: `${BigInt(l1Fee ?? 0n)}`,
      vault_addresses: vaults,
    },
  };
}

/** geth keeps receipts of old blocks and forgets, after a year, which block a transaction is in: its block is asked then. */
async function receiptOfBlock(
  client: PublicClient,
  { block_hash, tx_hash }: EntryDraft,
): Promise<RpcTransactionReceipt | undefined> {
  const receipts = await client
    .request({ method: 'eth_getBlockReceipts', params: [block_hash as Hash] } as never)
    .catch((error: unknown) => {
      if (isRpcUnavailable(error)) throw error;
      // A node that does not know the method has no more to say.
      return null;
    });
  return ((receipts ?? []) as RpcTransactionReceipt[]).find(({ transactionHash }) => transactionHash === tx_hash);
}

type Touched = { draft: EntryDraft; vaults: Set<string> };

function transactionsOf(drafts: readonly EntryDraft[]): Map<string, Touched> {
  const found = new Map<string, Touched>();
  for (const draft of drafts) {
    if (draft.tx_hash === null || draft.vault_address === null) continue;
    const known = found.get(draft.tx_hash) ?? { draft, vaults: new Set<string>() };
    known.vaults.add(draft.vault_address);
    found.set(draft.tx_hash, known);
  }
  return found;
}

/**
 * One observation for each transaction whose logs touch a vault, in chain order.
 * @returns null when a receipt is gone or of another block: the chain moved meanwhile.
 */
export async function readTransactions(
  client: PublicClient,
  drafts: readonly EntryDraft[],
): Promise<EntryDraft[] | null> {
  const touched = [...transactionsOf(drafts).values()];
  const observed: EntryDraft[] = [];
  for (let start = 0; start < touched.length; start += AT_ONCE) {
    const group = touched.slice(start, start + AT_ONCE);
    // As the node sends them: of the logs in each, which are most of it, nothing is read here.
    const receipts = await Promise.all(
      group.map(({ draft }) =>
        client.request({ method: 'eth_getTransactionReceipt', params: [draft.tx_hash as Hash] }),
      ),
    );
    for (const [index, { draft, vaults }] of group.entries()) {
      const receipt = receipts[index] ?? (await receiptOfBlock(client, draft));
      if (!receipt || receipt.blockHash !== draft.block_hash) return null;
      observed.push(draftOf(receipt, draft, [...vaults].sort()));
    }
  }
  return observed;
}
