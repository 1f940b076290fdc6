import type { GetKeeperRecord, KeeperWindow, ParamsOf, ResultOf } from '@castellan/contracts';
import { invalidCursor } from '@castellan/service-kit';
import { getAddress } from 'viem/utils';
import { forReaders, type KeeperReport, keyOf, type StrategyPorts } from '../access.ts';
import type { KeeperRun, RunKind, RunSums } from '../domain/keeper-record.ts';
import { keeperView } from './engine.ts';

type Answer = ResultOf<typeof GetKeeperRecord>;

const DAY_MS = 86_400_000;
const windowDays: Record<KeeperWindow, number> = { '24h': 1, '7d': 7, '30d': 30, '90d': 90 };
const kinds: readonly RunKind[] = ['intent', 'fulfil', 'fulfil_cancels'];
const REFUSALS = 100;
/** The subject of a refusal or run that no strategy is behind has a colon, which no id of a strategy has. */
const strategyIn = (subject: string): string | null => (subject.includes(':') ? null : subject);

/** Each kind that has had a transaction. */
export function totalsOf(sums: readonly RunSums[]): Answer['totals'] {
  return kinds.flatMap((kind) => {
    const own = sums.filter((sum) => sum.kind === kind);
    if (own.length === 0) return [];
    const count = (result: RunSums['result']) => own.find((sum) => sum.result === result)?.count ?? 0;
    return [
      {
        kind,
        done: count('done'),
        failed: count('failed'),
        stopped: count('stopped'),
        with_receipt: own.reduce((total, sum) => total + sum.with_receipt, 0),
        gas_used: String(own.reduce((total, { gas }) => total + gas, 0n)),
        fee: String(own.reduce((total, { fee }) => total + fee, 0n)),
      },
    ];
  });
}

/** How many days a balance lasts when `fee` is paid in so many; null when nothing was paid. */
export function runwayOf(balance: bigint, fee: bigint, overMs: number): number | null {
  if (fee <= 0n || overMs <= 0) return null;
  return Number((balance * BigInt(Math.round(overMs)) * 100n) / (fee * BigInt(DAY_MS))) / 100;
}

const runView = (run: KeeperRun, names: ReadonlyMap<string, string>): Answer['runs'][number] => {
  const strategy_id = strategyIn(run.subject);
  return {
    run_id: run._id,
    kind: run.kind,
    intent_id: run.kind === 'intent' ? run.key : null,
    strategy_id,
    strategy_name: strategy_id === null ? null : (names.get(strategy_id) ?? null),
    result: run.result,
    code: run.code,
    message: run.message,
    account: getAddress(run.account),
    nonce: run.nonce,
    forms: run.forms,
    begun_block: run.begun_block,
    tx_hash: run.tx_hash,
    block_number: run.block_number,
    gas_used: run.gas_used ?? null,
    gas_price: run.gas_price ?? null,
    fee: run.fee ?? null,
    ended_at: run.ended_at.toISOString(),
  };
};

async function spendingOf(
  { record }: StrategyPorts,
  chainId: number,
  { report, from, now, since }: { report: KeeperReport | null; from: number; now: number; since: Date | null },
): Promise<Answer['spending']> {
  if (!report || !since) return null;
  const begin = Math.max(from, since.getTime());
  const { fee, transactions } = await record.paid(chainId, report.address.toLowerCase(), new Date(begin));
  const overMs = now - begin;
  return {
    transactions,
    fee: String(fee),
    over_days: overMs / DAY_MS,
    runway_days: runwayOf(BigInt(report.balance), fee, overMs),
  };
}

/** What the keeper did for a vault. @throws AppError ROLE_REQUIRED, VAULT_NOT_FOUND, CURSOR_INVALID. */
export const getKeeperRecord = (ports: StrategyPorts) =>
  forReaders(ports, async (params: ParamsOf<typeof GetKeeperRecord>, snapshot): Promise<Answer> => {
    const { record } = ports;
    const key = keyOf(params);
    const now = ports.now();
    const from = now - windowDays[params.window] * DAY_MS;
    const [report, since, page, sums, refusals, open, documents, intents, waiting_requests] = await Promise.all([
      ports.keeper(params.chain_id),
      record.since(params.chain_id),
      record.runs({ ...key, from: new Date(from) }, params.limit, params.cursor),
      record.sums(key, new Date(from)),
      record.refusals(key, new Date(from), REFUSALS),
      record.open(key),
      ports.strategies.ofVault(key),
      ports.intents.active(params.chain_id, params.vault_address),
      ports.waitingRequests(params.chain_id, params.vault_address),
    ]);
    if (!page) throw invalidCursor();
    const { items, ...rest } = page;
    const names = new Map(documents.map(({ _id, definition }) => [_id, definition.name]));
    return {
      keeper: keeperView(report, snapshot),
      from: new Date(from).toISOString(),
      to: new Date(now).toISOString(),
      since: since?.toISOString() ?? null,
      totals: totalsOf(sums),
      queue: {
        open: open && {
          kind: open.kind,
          intent_id: open.kind === 'intent' ? open.key : null,
          nonce: open.nonce,
          tx_hashes: open.tx_hashes,
          begun_at: open.begun_at,
        },
        active_intents: intents.length,
        waiting_requests,
      },
      spending: await spendingOf(ports, params.chain_id, { report, from, now, since }),
      refusals: refusals.map(({ subject, code, because, first_at, last_at }) => {
        const strategy_id = strategyIn(subject);
        return {
          strategy_id,
          strategy_name: strategy_id === null ? null : (names.get(strategy_id) ?? null),
          code,
          because,
          first_at: first_at.toISOString(),
          last_at: last_at.toISOString(),
        };
      }),
      runs: items.map((run) => runView(run, names)),
      total: sums.reduce((total, { count }) => total + count, 0),
      ...rest,
    };
  });
