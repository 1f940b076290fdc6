import type { z } from 'zod';

const secretSchemas = new WeakSet<z.ZodType>();
const values = new Set<string>();

/** Marks a configuration value as secret: it is never printed in a fault and is masked wherever it turns up in a log. */
export const secret = <T extends z.ZodType>(schema: T): T => {
  secretSchemas.add(schema);
  return schema;
};

/** True when the schema (or one it wraps by a default, an optional or a transform) was marked secret. */
export function isSecret(schema: z.ZodType): boolean {
  if (secretSchemas.has(schema)) return true;
  const { innerType, in: piped } = schema.def as { innerType?: z.ZodType; in?: z.ZodType };
  return Boolean((innerType && isSecret(innerType)) || (piped && isSecret(piped)));
}

const shortestMasked = 8;

/**
 * Remembers a secret's text, so that {@link maskSecrets} finds it; of each URL in it the password too, because libraries print parts of
 * URLs. Values under 8 characters are ignored: masking them would garble logs.
 */
export function rememberSecret(value: unknown): void {
  if (typeof value !== 'string' || value.length < shortestMasked) return;
  values.add(value);
  for (const [, password = ''] of value.matchAll(/[a-z+]+:\/\/[^/?#]*?:([^/?#]+)@/g))
    for (const form of [password, decoded(password)]) if (form.length >= shortestMasked) values.add(form);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // A stray % is no escape: the text stands for itself.
  }
}

/** Replaces every remembered secret in a text. */
export function maskSecrets(text: string): string {
  let masked = text;
  for (const value of [...values].sort((a, b) => b.length - a.length))
    if (masked.includes(value)) masked = masked.replaceAll(value, '[secret]');
  return masked;
}
