import type { TokenScope } from '@castellan/contracts';
import { type Connection, Schema } from 'mongoose';

/** A sign-in, or a token made from one (`parent`). Documents of before tokens have no `kind`: they are sign-ins. */
export type SessionDocument = {
  _id: string;
  kind?: 'session' | 'token';
  name?: string | null;
  scope?: TokenScope;
  vault?: { chain_id: number; vault_address: string } | null;
  parent?: string | null;
  auth_time?: Date;
  wallet_address: string;
  issued_at: Date;
  expires_at: Date;
  revoked_at: Date | null;
};

const boundVault = new Schema(
  { chain_id: { type: Number, required: true }, vault_address: { type: String, required: true } },
  { _id: false },
);

const schema = new Schema<SessionDocument>(
  {
    _id: { type: String, required: true },
    kind: { type: String },
    name: { type: String },
    scope: { type: String },
    vault: { type: boundVault },
    parent: { type: String },
    auth_time: { type: Date },
    wallet_address: { type: String, required: true, index: true },
    issued_at: { type: Date, required: true },
    expires_at: { type: Date, required: true },
    revoked_at: { type: Date, default: null },
  },
  { versionKey: false, collection: 'sessions' },
);
schema.index({ 'vault.vault_address': 1 }, { sparse: true });
schema.index({ expires_at: 1 }, { expireAfterSeconds: 86_400 });

export const sessionModel = (connection: Connection) => connection.model('Session', schema);
