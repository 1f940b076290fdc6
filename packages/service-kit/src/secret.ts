import type { z } from 'zod';

const secretSchemas = new WeakSet<z.ZodType>();
const values = new Set<string>();

/** Marks a configuration value as secret: it is never printed in a fault and is masked wherever it turns up in a log. */
export const secret = <T extends z.ZodType>(schema: T): T => {
  secretSchemas.add(schema);
  return schema;
};

/** True when the schema (or the schema it wraps by a default or an optional) was marked secret. */
export function isSecret(schema: z.ZodType): boolean {
  let inner: unknown = schema;
  while (inner) {
    if (secretSchemas.has(inner as z.ZodType)) return true;
    inner = (inner as { def?: { innerType?: unknown } }).def?.innerType;
  }
  return false;
}

/** Remembers a secret's text, so that {@link maskSecrets} finds it. Short values are ignored: masking them would garble logs. */
export const rememberSecret = (value: unknown): void => {
  if (typeof value === 'string' && value.length >= 8) values.add(value);
};

/** Replaces every remembered secret in a text. */
export function maskSecrets(text: string): string {
  let masked = text;
  for (const value of values) if (masked.includes(value)) masked = masked.replaceAll(value, '[secret]');
  return masked;
}
