import { pageOf, placeIn } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import type { KeeperRecord, KeeperRun, RunSums } from '../../strategies/domain/keeper-record.ts';
import { keeperRefusals, keeperRuns } from '../models.ts';
import { keeperVaults } from './journal.mongo.ts';

const placeOf = ({ ended_at, _id }: Pick<KeeperRun, 'ended_at' | '_id'>): string => `${ended_at.toISOString()} ${_id}`;

function before(cursor: string): Record<string, unknown> | undefined {
  const [, t, _id] = placeIn(cursor, /^([^ ]+) ([^ ]+)$/) ?? [];
  if (!t || !_id || Number.isNaN(Date.parse(t))) return undefined;
  const ended_at = new Date(t);
  return { $or: [{ ended_at: { $lt: ended_at } }, { ended_at, _id: { $lt: _id } }] };
}

/** Runs by kind and result. Amounts are added as integers, which the store cannot. */
export function sumsOf(runs: readonly Pick<KeeperRun, 'kind' | 'result' | 'gas_used' | 'fee'>[]): RunSums[] {
  const sums = new Map<string, RunSums>();
  for (const { kind, result, gas_used, fee } of runs) {
    const key = `${kind}:${result}`;
    const sum = sums.get(key) ?? { kind, result, count: 0, gas: 0n, fee: 0n, with_receipt: 0 };
    sums.set(key, {
      ...sum,
      count: sum.count + 1,
      gas: sum.gas + BigInt(gas_used ?? '0'),
      fee: sum.fee + BigInt(fee ?? '0'),
      with_receipt: sum.with_receipt + (fee === undefined ? 0 : 1),
    });
  }
  return [...sums.values()];
}

/** What the keeper keeps of what it did, for those who read it. */
export function mongoKeeperRecord(connection: Connection): KeeperRecord {
  const runs = keeperRuns.open(connection);
  const refusals = keeperRefusals.open(connection);
  const vaults = keeperVaults.open(connection);
  const inVault = ({ chainId, vault }: { chainId: number; vault: string }) => ({
    chain_id: chainId,
    vault: vault.toLowerCase(),
  });
  const newest = { ended_at: -1, _id: -1 } as const;
  return {
    async runs({ from, ...of }, limit, cursor) {
      const all = { ...inVault(of), ended_at: { $gte: from } };
      const older = cursor === undefined ? {} : before(cursor);
      if (older === undefined) return undefined;
      const found = await runs
        .find({ $and: [all, older] })
        .sort(newest)
        .limit(limit + 1)
        .toArray();
      return pageOf(found, limit, placeOf);
    },
    async sums(of, from) {
      const found = runs.find(
        { ...inVault(of), ended_at: { $gte: from } },
        { projection: { kind: 1, result: 1, gas_used: 1, fee: 1 } },
      );
      return sumsOf(await found.toArray());
    },
    refusals: (of, from, limit) =>
      refusals
        .find({ ...inVault(of), last_at: { $gte: from } })
        .sort({ last_at: -1 })
        .limit(limit)
        .toArray(),
    async open({ chainId, vault }) {
      const open = (await vaults.findOne({ _id: `${chainId}:${vault.toLowerCase()}` }))?.open;
      if (!open) return null;
      const { key, kind, nonce, attempts, begun_at } = open;
      return {
        key,
        kind,
        nonce,
        tx_hashes: attempts.map(({ hash }) => hash),
        ...(begun_at !== undefined && { begun_at }),
      };
    },
    async paid(chainId, account, from) {
      const found = await runs
        .find({ chain_id: chainId, account, ended_at: { $gte: from } }, { projection: { fee: 1 } })
        .toArray();
      return { fee: found.reduce((sum, { fee }) => sum + BigInt(fee ?? '0'), 0n), transactions: found.length };
    },
    async since(chainId) {
      const [run, refusal] = await Promise.all([
        runs.find({ chain_id: chainId }).sort({ ended_at: 1 }).limit(1).toArray(),
        refusals.find({ chain_id: chainId }).sort({ last_at: 1 }).limit(1).toArray(),
      ]);
      const times = [run[0]?.ended_at, refusal[0]?.first_at].filter((at) => at !== undefined);
      return times.length === 0 ? null : new Date(Math.min(...times.map((at) => at.getTime())));
    },
  };
}
