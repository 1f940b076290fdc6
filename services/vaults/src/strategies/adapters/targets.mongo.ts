import { isDuplicateKey, pendingRow, type RecordWith } from '@castellan/service-kit';
import type { AuditEvent } from '../domain/strategy.ts';
import type { StrategyCollections, TargetsDocument } from '../models.ts';
import type { VaultKey } from './strategies.mongo.ts';

export type TargetStore = {
  /** The newest version; null before the first. */
  newest(key: VaultKey): Promise<TargetsDocument | null>;
  /** @returns false when there is a version of this number already. */
  add(document: TargetsDocument, row: AuditEvent): Promise<boolean>;
};

const ofVault = ({ chainId, vault }: VaultKey) => ({ chain_id: chainId, vault: vault.toLowerCase() });

/** The name of a version: that there is one of each number is what refuses a stale change. */
export const targetsIdOf = ({ chainId, vault }: VaultKey, version: number): string =>
  `${chainId}:${vault.toLowerCase()}:${version}`;

type Targets = StrategyCollections['targets'];

export const newestTargets = (targets: Targets, key: VaultKey): Promise<TargetsDocument | null> =>
  targets.findOne(ofVault(key), { sort: { version: -1 } });

/** Every version of a vault, oldest first. */
export const allTargets = (targets: Targets, key: VaultKey): Promise<TargetsDocument[]> =>
  targets.find(ofVault(key)).sort({ version: 1 }).toArray();

export const mongoTargets = ({ targets }: StrategyCollections, recordWith: RecordWith): TargetStore => ({
  newest: (key) => newestTargets(targets, key),
  async add(document, row) {
    try {
      await recordWith([pendingRow(row)], (session) => targets.insertOne(document, { session }));
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  },
});
