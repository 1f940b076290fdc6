import { AppError, type GetValidatorRound, type ParamsOf, type ResultOf } from '@castellan/contracts';
import { getAddress } from 'viem/utils';
import type { ReceiptReader } from '../adapters/receipts.rpc.ts';
import type { TransmissionStore } from '../adapters/transmissions.mongo.ts';
import { spreadPpb } from '../domain/spans.ts';
import type { RoundDocument, TransactionDocument } from '../domain/validator-network.ts';
import { ROUNDS_KEPT_DAYS } from '../models/validator-network.ts';
import { type HistoryPorts, membersOf } from './keep-history.ts';
import { shownRound } from './read-validators.ts';

export type ReadRoundPorts = HistoryPorts & {
  transmissions: Pick<TransmissionStore, 'ofRound'>;
  receipts: ReceiptReader;
};

type Answer = ResultOf<typeof GetValidatorRound>;

/** What a round agreed on is sent within this, or never. */
const SENT_WITHIN_MS = 24 * 3_600_000;
const EARLY_MS = 10 * 60_000;

/** With its receipt, when the chain did not answer while it ended and does now. */
async function withReceipt(ports: ReadRoundPorts, transaction: TransactionDocument): Promise<TransactionDocument> {
  const { _id, chain_id, tx_hash, fee, ended_at, replaced_by } = transaction;
  if (fee !== undefined || tx_hash === null || ended_at === undefined || replaced_by !== undefined) return transaction;
  const receipt = await ports.receipts.receipt(chain_id, tx_hash);
  if (receipt === null) return transaction;
  await ports.history.priced(_id, receipt);
  return { ...transaction, ...receipt };
}

const timeOf = (at: Date | undefined): string | null => at?.toISOString() ?? null;

const shownTransaction = (transaction: TransactionDocument): Answer['transactions'][number] => ({
  chain_id: transaction.chain_id,
  node_id: transaction.node_id,
  node_index: transaction.node_index,
  transmitter_address: getAddress(transaction.transmitter),
  tx_hash: transaction.tx_hash,
  state: transaction.state,
  reason: transaction.reason,
  sent_at: timeOf(transaction.sent_at),
  mined_at: timeOf(transaction.mined_at),
  ended_at: timeOf(transaction.ended_at),
  block_number: transaction.block_number,
  gas_used: transaction.gas_used ?? null,
  gas_price: transaction.gas_price ?? null,
  fee: transaction.fee ?? null,
  balance_after: transaction.balance_after ?? null,
});

async function priceOf(
  { snapshots }: ReadRoundPorts,
  price: RoundDocument['prices'][number],
): Promise<Answer['prices'][number]> {
  const { pps = null, observed = [], chain_id, strategy_address } = price;
  const detail = (await snapshots.ofStrategy(chain_id, strategy_address.toLowerCase()))?.detail;
  const values = observed.map((one) => BigInt(one.pps));
  return {
    ...{ chain_id, strategy_address, nonce: price.nonce, report_timestamp: price.report_timestamp, pps, observed },
    vault_address: detail?.vault_address ?? null,
    vault_name: detail?.name ?? null,
    asset_symbol: detail?.asset.symbol ?? null,
    asset_decimals: detail?.asset.decimals ?? null,
    spread_ppb: pps === null ? null : spreadPpb(values, BigInt(pps)),
  };
}

/** One round of the oracle network. @throws AppError ROUND_NOT_FOUND. */
export const getValidatorRound =
  (ports: ReadRoundPorts) =>
  async ({ config_digest, epoch, round: number }: ParamsOf<typeof GetValidatorRound>): Promise<Answer> => {
    const place = { digest: config_digest, epoch, round: number };
    const { round, mark } = await ports.history.round(place);
    if (!round)
      throw new AppError(
        'ROUND_NOT_FOUND',
        `No round ${epoch}.${number} of this configuration is kept. Rounds are kept for ${ROUNDS_KEPT_DAYS} days; check the link.`,
      );
    const members = membersOf(await ports.history.memberships())(config_digest);
    const [from, to] = [round.finished_at.getTime() - EARLY_MS, round.finished_at.getTime() + SENT_WITHIN_MS];
    const [transactions, sent, prices] = await Promise.all([
      ports.history.transactionsOf(place),
      ports.transmissions.ofRound({ epoch, round: number, from: new Date(from), to: new Date(to) }),
      Promise.all(round.prices.map((price) => priceOf(ports, price))),
    ]);
    const priced = new Set(round.prices.map((price) => `${price.strategy_address}:${price.report_timestamp}`));
    const oracles = members.map(({ index, signer, transmitter }) => ({ index, signer, transmitter }));
    return {
      ...shownRound(round, { digest: round.digest, oracles }),
      config_digest,
      started_at: timeOf(mark?.started_at),
      nodes: members.map(({ index, node_id, signer, transmitter }) => ({
        ...{ index, node_id, signer_address: getAddress(signer), transmitter_address: getAddress(transmitter) },
        reported_at: timeOf(round.reports?.[String(index)]),
      })),
      dropped: mark?.dropped ?? [],
      prices,
      transactions: (await Promise.all(transactions.map((one) => withReceipt(ports, one)))).map(shownTransaction),
      transmissions: sent.filter(({ strategy_address: of, report_timestamp: at }) => priced.has(`${of}:${at}`)),
      kept_days: ROUNDS_KEPT_DAYS,
      as_of: new Date(ports.now()).toISOString(),
    };
  };
