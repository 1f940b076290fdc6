import { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import { VaultRef } from '../primitives.ts';

/** Lengths of a range that end now; `all` begins with the vault. */
export const periods = ['24h', '7d', '30d', '90d', '1y', 'all'] as const;
/** One of `periods`. */
export type Period = (typeof periods)[number];

/** A fault with a code of its own; the gateway answers with it instead of VALIDATION_FAILED. */
const fault = (code: ErrorCode, message: string) => ({ message, params: { code } });

/** A period in a query; anything else is PERIOD_UNKNOWN. */
export const PeriodParam = z
  .string()
  .refine(
    (value): value is Period => (periods as readonly string[]).includes(value),
    fault('PERIOD_UNKNOWN', `must be one of ${periods.join(', ')}`),
  )
  .transform((value) => value as Period);

/** An ISO 8601 UTC time such as 2026-11-20T14:05:00Z; parses to its canonical form with milliseconds. */
export const TimeParam = z.iso
  .datetime({ message: 'must be an ISO 8601 UTC time such as 2026-11-20T14:05:00Z' })
  .transform((value) => new Date(value).toISOString());

const digits = (what: string) => z.string().regex(/^(0|[1-9][0-9]{0,14})$/, `must be ${what}`);

/** Number of points of a series in a query, 2 to 2 000; anything else is POINTS_OUT_OF_RANGE. */
export const PointsParam = z
  .string()
  .refine(
    (value) => /^[1-9][0-9]{0,3}$/.test(value) && Number(value) >= 2 && Number(value) <= 2000,
    fault('POINTS_OUT_OF_RANGE', 'must be 2 to 2000'),
  )
  .transform(Number);

/** The same in a JSON body. */
export const PointsNumber = z
  .int()
  .refine((value) => value >= 2 && value <= 2000, fault('POINTS_OUT_OF_RANGE', 'must be 2 to 2000'));

/** A block number in a query. */
export const BlockParam = digits('a block number').transform(Number);

/** A figure of an answer by its path, such as `gas.total`, or a part of one that has several. */
export const FigurePath = z.string().regex(/^[\w.]{1,200}$/, 'must be the path of a figure, such as gas.total');

/** `true`, `false`, or the figure whose receipts are asked for. */
const ReceiptParam = z
  .string()
  .refine(
    (value) => FigurePath.safeParse(value).success,
    'must be true, false, or the path of a figure such as gas.total',
  )
  .transform((value) => (value === 'true' || value === 'false' ? value === 'true' : value));

/** Query of every analytics read: the state as it was at a time or block, and whether to show the arithmetic, and of what. */
export const momentQuery = {
  at: TimeParam.optional(),
  block: BlockParam.optional(),
  /** Of all figures, or of one and those below it: those of a long history are too large together. */
  receipt: ReceiptParam.optional(),
};

/** Query of a read over a range: a period that ends at the moment, or `from` (and `to`). */
export const rangeQuery = {
  ...momentQuery,
  period: PeriodParam.optional(),
  from: TimeParam.optional(),
  to: TimeParam.optional(),
};

/** Query of a series: the range, and how many points. */
export const seriesQuery = { ...rangeQuery, points: PointsParam.optional() };

type MomentInput = { at?: string | undefined; block?: number | undefined };
type RangeInput = { period?: string | undefined; from?: string | undefined; to?: string | undefined };

function checkMoment(value: MomentInput, context: z.RefinementCtx): void {
  if (value.at !== undefined && value.block !== undefined)
    context.addIssue({ code: 'custom', path: ['block'], message: 'at and block exclude each other' });
}

function checkRange(value: RangeInput, context: z.RefinementCtx): void {
  const { period, from, to } = value;
  if (period !== undefined && (from !== undefined || to !== undefined))
    context.addIssue({ code: 'custom', path: ['period'], message: 'period excludes from and to' });
  if (to !== undefined && from === undefined && period === undefined)
    context.addIssue({ code: 'custom', path: ['to'], message: 'to needs from' });
  if (from !== undefined && to !== undefined && Date.parse(from) >= Date.parse(to))
    context.addIssue({ code: 'custom', path: ['to'], ...fault('RANGE_REVERSED', 'must be after from') });
}

const Iso = z.iso.datetime();
const moment = {
  at: Iso.optional(),
  block: z.int().nonnegative().optional(),
  receipt: z.union([z.boolean(), FigurePath]).default(false),
};
const range = { period: z.enum(periods).optional(), from: Iso.optional(), to: Iso.optional() };

/** Params of an analytics action about one moment. */
export const momentParams = <T extends z.ZodRawShape>(more: T) =>
  z
    .strictObject({ ...VaultRef.shape, ...moment, ...more })
    .superRefine((value, context) => checkMoment(value as MomentInput, context));

/** Params of an analytics action about a range; without one it is the last 30 days before the moment. */
export const rangeParams = <T extends z.ZodRawShape>(more: T) =>
  z.strictObject({ ...VaultRef.shape, ...moment, ...range, ...more }).superRefine((value, context) => {
    checkMoment(value as MomentInput, context);
    checkRange(value as RangeInput, context);
  });

/** Params of a series action: a range and how many buckets at most. */
export const seriesParams = <T extends z.ZodRawShape>(more: T) =>
  rangeParams({ points: z.int().min(2).max(2000).default(300), ...more });
