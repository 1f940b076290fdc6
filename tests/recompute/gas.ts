import { account, type ChainRecord, type Happening } from './chain-record.ts';
import { percentile, sum } from './numbers.ts';
import type { Cost } from './rpc.ts';

export const payers = ['depositor', 'manager', 'keeper', 'validator', 'other'] as const;
export type Payer = (typeof payers)[number];
export type Managers = { primary: string; secondary: ReadonlySet<string> };

const servicing = new Set([
  'RedeemClaimable',
  'RedeemRequestsFulfilled',
  'RedeemCancelRequestFulfilled',
  'PerformanceFeeSkimmed',
  'UpkeepDeposited',
]);
/** What servicing brings with it: burned shares, the mark and the price after a skim. */
const itsTraces = new Set(['Transfer', 'Approval', 'HWMPPSUpdated', 'PPSUpdatedAfterSkim']);
const holderActions = new Set([
  'Deposit',
  'RedeemRequest',
  'CancelRedeemRequest',
  'CancelRedeemClaim',
  'Withdraw',
  'Transfer',
  'Approval',
  'OperatorSet',
]);

type Deed = Pick<Happening, 'contract' | 'name'>;

const onlyServices = (deeds: readonly Deed[]): boolean =>
  deeds.some(({ name }) => servicing.has(name ?? '')) &&
  deeds.every(({ name }) => servicing.has(name ?? '') || itsTraces.has(name ?? ''));

/** Who bore the cost of a transaction, by what it did with the vault and who sent it. */
export function payerOf(deeds: readonly Deed[], from: string, managers: Managers): Payer {
  const creates = deeds.some(({ name }) => name === 'VaultDeployed');
  if (!creates && deeds.some(({ contract, name }) => contract === 'aggregator' && name === 'PPSUpdated'))
    return 'validator';
  if (from === managers.primary || managers.secondary.has(from)) return onlyServices(deeds) ? 'keeper' : 'manager';
  if (deeds.every(({ name }) => name === 'UpkeepDeposited')) return 'keeper';
  if (deeds.some(({ contract, name }) => contract === 'vault' && holderActions.has(name ?? ''))) return 'depositor';
  return 'other';
}

/** Managers at the end of each block that changed them, oldest first. A new primary clears the secondaries silently. */
export function managersByBlock({ terms, happenings }: ChainRecord): { block: bigint; managers: Managers }[] {
  let primary = terms.primaryManager;
  let secondary = new Set(terms.secondaryManagers);
  const states = [{ block: 0n, managers: { primary, secondary: new Set(secondary) } }];
  for (const happening of happenings) {
    if (happening.name === 'SecondaryManagerAdded') secondary.add(account(happening, 'manager'));
    else if (happening.name === 'SecondaryManagerRemoved') secondary.delete(account(happening, 'manager'));
    else if (happening.name === 'PrimaryManagerChanged') {
      primary = account(happening, 'newManager');
      secondary = new Set();
    } else continue;
    states.push({ block: happening.block, managers: { primary, secondary: new Set(secondary) } });
  }
  return states;
}

type Transaction = { block: bigint; time: bigint; cost: Cost; payer: Payer };

/** Every transaction that touched the vault, once. */
export function transactionsOf(record: ChainRecord): Transaction[] {
  const states = managersByBlock(record);
  const byTx = Map.groupBy(
    record.happenings.filter(({ contract }) => contract !== 'feed'),
    ({ tx }) => tx,
  );
  return [...byTx].map(([tx, deeds]) => {
    const { block, time } = deeds[0] as Happening;
    const cost = record.costs.get(tx) as Cost;
    const state = states.findLast((candidate) => candidate.block <= block);
    const managers = state?.managers ?? { primary: '', secondary: new Set<string>() };
    return { block, time, cost, payer: payerOf(deeds, cost.from, managers) };
  });
}

/** Cost of the transactions in (from, to], whole and by payer; wei. */
export function gasFigures(record: ChainRecord, from: bigint, to: bigint) {
  const inside = transactionsOf(record).filter(({ time }) => time > from && time <= to);
  const costOf = ({ cost }: Transaction) => cost.gasUsed * cost.price;
  const figures = (list: readonly Transaction[]) => ({
    transactions: list.length,
    gas_used: `${sum(list.map(({ cost }) => cost.gasUsed))}`,
    total: `${sum(list.map(costOf))}`,
  });
  const costs = inside.map(costOf);
  const text = (value: bigint | null) => (value === null ? null : `${value}`);
  return {
    transactions: inside.length,
    total: `${sum(costs)}`,
    average: inside.length === 0 ? null : `${sum(costs) / BigInt(inside.length)}`,
    p50: text(percentile(costs, 50)),
    p95: text(percentile(costs, 95)),
    by_payer: Object.fromEntries(
      payers.map((payer) => [payer, figures(inside.filter((transaction) => transaction.payer === payer))]),
    ),
  };
}
