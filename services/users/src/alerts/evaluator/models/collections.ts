import type { Connection } from 'mongoose';
import { openCollection, unique } from '../../../store/open-collection.ts';
import type { EngineState } from '../../rules/domain/engine.ts';

/** One vault that is watched, and how far. `revision` grows with each write: a writer that was overtaken is refused. */
export type StoredEngine = {
  chain_id: number;
  /** Lower case; `vault_address` is EIP-55. */
  vault: string;
  vault_address: string;
  /** Lower case: validators name the vault by it. */
  strategy: string;
  name: string;
  /** Judged up to this item of the journal. */
  after_n: number;
  state: EngineState;
  revision: number;
};

/** Vaults that are watched, with their indexes. */
export const openEngineCollections = (connection: Connection) => ({
  engines: openCollection<StoredEngine>(connection, 'alert_engines', [
    [{ chain_id: 1, vault: 1 }, unique],
    [{ chain_id: 1, strategy: 1 }],
  ]),
});
export type EngineCollections = ReturnType<typeof openEngineCollections>;
