import { z } from 'zod';

/** What template, documentation and fault messages say of a key; kept with its schema so that they cannot drift apart. */
export type About = {
  about: string;
  /** What a value may be, as a fault says it after "expected". */
  allowed: string;
  /** How the template shows it when the default does not say enough. */
  example?: unknown;
  /** Never printed, in no fault, log or listing. */
  secret?: true;
};

export const field = <T extends z.ZodType>(schema: T, about: About): T => schema.meta(about) as T;

export const secretField = <T extends z.ZodType>(schema: T, about: About): T =>
  field(schema, { ...about, secret: true });

export const aboutOf = (schema: z.ZodType): About | undefined => schema.meta() as About | undefined;

export const isSecret = (schema: z.ZodType | undefined): boolean => Boolean(schema && aboutOf(schema)?.secret);

/** The schema under defaults and optionals. */
export function bare(schema: z.ZodType): z.ZodType {
  const { innerType } = schema.def as { innerType?: z.ZodType };
  return innerType ? bare(innerType) : schema;
}

export const isSection = (schema: z.ZodType): boolean => bare(schema) instanceof z.ZodObject;

export const shapeOf = (schema: z.ZodType): Readonly<Record<string, z.ZodType>> =>
  (bare(schema) as z.ZodObject).shape as Record<string, z.ZodType>;

/** Fields of a section by path, sections included. */
export function schemaAt(schema: z.ZodType, path: readonly (string | number)[]): z.ZodType | undefined {
  const [first, ...rest] = path;
  if (first === undefined) return schema;
  const inner = bare(schema);
  if (inner instanceof z.ZodArray) return schemaAt(inner.element as z.ZodType, rest);
  const next = inner instanceof z.ZodObject ? shapeOf(inner)[String(first)] : undefined;
  return next && schemaAt(next, rest);
}

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const durationForm = /^(\d+)(ms|s|m|h|d)$/;

/** @returns milliseconds. @throws Error for anything but a whole number with a unit. */
export function parseDuration(text: string): number {
  const [, digits, unit] = durationForm.exec(text) ?? [];
  if (!digits || !unit) throw new Error(`${JSON.stringify(text)} is no duration such as "500ms", "30s" or "1h".`);
  return Number(digits) * unitMs[unit as keyof typeof unitMs];
}

/** A duration with its unit ("500ms", "30s", "1h"), within bounds; parses to milliseconds. */
export const duration = (least: string, most: string, preset: string) => {
  const from = parseDuration(least);
  const to = parseDuration(most);
  return z
    .string()
    .refine((text) => durationForm.test(text) && parseDuration(text) >= from && parseDuration(text) <= to, {
      message: `a duration from ${least} to ${most}`,
    })
    .transform(parseDuration)
    .prefault(preset);
};

export const durationField = (least: string, most: string, preset: string, about: string) =>
  field(duration(least, most, preset), { about, allowed: `a duration from ${least} to ${most}, such as "${preset}"` });

export const intField = (least: number, most: number, preset: number, about: string) =>
  field(z.int().min(least).max(most).default(preset), { about, allowed: `a whole number from ${least} to ${most}` });

const isUrl = (text: string, schemes: readonly string[]): boolean =>
  schemes.some((scheme) => text.startsWith(`${scheme}://`)) && URL.canParse(text);

export const urlField = (schemes: readonly string[]) => z.string().refine((text) => isUrl(text, schemes));

/** One URL or several with commas between them, in one text. */
export const urlsField = (schemes: readonly string[]) =>
  z.string().refine((text) => text.split(',').every((url) => isUrl(url.trim(), schemes)));
