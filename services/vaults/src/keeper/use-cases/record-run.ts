import type { KeeperRun } from '../../strategies/domain/keeper-record.ts';
import type { Kept, Open } from '../adapters/journal.mongo.ts';
import { redemptions } from '../domain/outcome.ts';
import type { KeeperPorts, Receipt } from '../ports.ts';

/** How a transaction ended. */
export type RunEnd = Pick<KeeperRun, 'result' | 'code' | 'message'> & { receipt?: Receipt | undefined };

async function subjectOf({ intents }: Pick<KeeperPorts, 'intents'>, { kind, key }: Open): Promise<string> {
  if (kind !== 'intent') return redemptions;
  return (await intents.get(key))?.strategy_id ?? key;
}

/** What is kept of a transaction that is over; the journal stores it in the step that closes it. */
export async function runOf(
  ports: Pick<KeeperPorts, 'intents' | 'now'>,
  { chain_id, vault, open }: Kept & { open: Open },
  { result, code, message, receipt }: RunEnd,
): Promise<KeeperRun> {
  const { kind, key, account, nonce, attempts } = open;
  const costs = receipt && {
    gas_used: `${receipt.gasUsed}`,
    ...(receipt.gasPrice !== undefined && { gas_price: `${receipt.gasPrice}` }),
    ...(receipt.fee !== undefined && { fee: `${receipt.fee}` }),
  };
  return {
    _id: `${chain_id}:${account.toLowerCase()}:${nonce}:${key}`,
    chain_id,
    vault: vault.toLowerCase(),
    kind,
    key,
    subject: await subjectOf(ports, open),
    result,
    code,
    message,
    account: account.toLowerCase(),
    nonce,
    forms: attempts.length,
    begun_block: attempts[0]?.block ?? 0,
    tx_hash: receipt?.hash ?? null,
    block_number: receipt?.blockNumber ?? null,
    ...costs,
    ended_at: new Date(ports.now()),
  };
}
