import { type Connection, Schema } from 'mongoose';

export type Index = [keys: Record<string, 1 | -1>, options?: object];

export const unique = { unique: true } as const;

/**
 * A collection with its indexes, which are made at the start of the service.
 * @param fields - As mongoose has them; without, documents are kept as they are.
 */
export function openCollection<T extends object>(
  connection: Connection,
  name: string,
  indexes: readonly Index[],
  fields?: Record<string, unknown>,
) {
  const options = { versionKey: false, minimize: false, strict: fields !== undefined } as const;
  const schema = new Schema((fields ?? {}) as never, options as never);
  for (const [keys, settings] of indexes) schema.index(keys, settings as never);
  connection.model(name, schema, name);
  return connection.collection<T>(name);
}
