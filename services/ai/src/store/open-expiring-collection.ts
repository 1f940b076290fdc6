import { type Connection, Schema } from 'mongoose';

/** A collection whose documents the store removes once their `expires_at` has passed. @param fields - As mongoose has them. */
export function openExpiringCollection<T extends object>(
  connection: Connection,
  name: string,
  fields: Record<string, unknown>,
) {
  const schema = new Schema(fields as never, { versionKey: false, minimize: false });
  schema.index({ expires_at: 1 }, { expireAfterSeconds: 0 });
  connection.model(name, schema, name);
  return connection.collection<T>(name);
}
