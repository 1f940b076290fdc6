import { z } from 'zod';
import { action } from '../action.ts';
import { ChainId, Eip55, IsoTime, UintString, VaultRef } from '../primitives.ts';
import { Month } from './month.ts';

/** `public`: what everybody may read of the vault. `full`: with what takes a role on it, which is its alerts and a mandate that is not public. */
export const reportEditions = ['public', 'full'] as const;
/** One of `reportEditions`. */
export const ReportEdition = z.enum(reportEditions);
export type ReportEdition = z.infer<typeof ReportEdition>;

/** `html`: one page for reading and printing. */
export const reportFormats = ['json', 'html'] as const;

/** What values of a report count. `asset`, `shares`: base units, whole numbers as text. `fraction`: 0.0847 is 8.47 %. */
export const reportUnits = [
  'fraction',
  'usd',
  'asset',
  'shares',
  'wei',
  'pps',
  'count',
  'number',
  'seconds',
  'bps',
  'time',
  'text',
  'address',
  'hash',
] as const;
/** One of `reportUnits`. */
export const ReportUnit = z.enum(reportUnits);
export type ReportUnit = z.infer<typeof ReportUnit>;

const Value = z.union([z.string(), z.number(), z.null()]);
/** Where the receipt of a figure is: the id of one of `reads`, a colon, and the path of the figure in its `receipts`. */
const ReceiptId = z.string();

const ReportFigure = z.object({
  id: z.string(),
  label: z.string(),
  /** In the unit beside it; null when it is not known. */
  value: Value,
  unit: ReportUnit,
  /** Null for what is a fact of the chain or of the mandate and no figure. */
  receipt: ReceiptId.nullable(),
  /** Why the figure is not known, or covers less than was asked for. */
  note: z.string().nullable(),
});
/** A figure with its unit and the id of its receipt. */
export type ReportFigure = z.infer<typeof ReportFigure>;

const ReportTable = z.object({
  id: z.string(),
  title: z.string(),
  columns: z.array(z.object({ id: z.string(), label: z.string(), unit: ReportUnit })),
  /** A cell for each column. */
  rows: z.array(z.array(z.object({ value: Value, receipt: ReceiptId.nullable() }))),
  /** How many rows there are; more than `rows` where only the first stand here. */
  total: z.int().nonnegative(),
});
/** Rows of figures and facts. */
export type ReportTable = z.infer<typeof ReportTable>;

const ReportChart = z.object({
  id: z.string(),
  title: z.string(),
  unit: ReportUnit,
  /** `step`: a value holds until the next. */
  shape: z.enum(['line', 'step']),
  points: z.array(z.object({ t: IsoTime, value: Value, receipt: ReceiptId })),
});
/** A series that is drawn. */
export type ReportChart = z.infer<typeof ReportChart>;

/** The parts of a report, in their order. */
export const reportSections = [
  'performance',
  'bridge',
  'risk',
  'fees',
  'holders',
  'operations',
  'incidents',
  'mandate',
  'validators',
] as const;

const ReportSection = z.object({
  id: z.enum(reportSections),
  title: z.string(),
  /** What the section leaves out, and why. */
  notes: z.array(z.string()),
  figures: z.array(ReportFigure),
  tables: z.array(ReportTable),
  charts: z.array(ReportChart),
});
/** A part of a report. */
export type ReportSection = z.infer<typeof ReportSection>;

/** `final`: kept, and answered with the same bytes from then on. `preview`: the month is not over, or not final on its chain. */
const ReportState = z.enum(['final', 'preview']);

/** The report of a vault about one month. */
export const VaultReport = z.object({
  /** Of this form of the report: 1. */
  format: z.literal(1),
  chain_id: ChainId,
  vault_address: Eip55,
  vault_name: z.string(),
  vault_symbol: z.string(),
  chain_name: z.string(),
  asset_symbol: z.string(),
  /** Of base units of the asset. */
  asset_decimals: z.int().nonnegative(),
  /** Of base units of shares. */
  share_decimals: z.int().nonnegative(),
  /** A price of 1. */
  pps_precision: UintString,
  /** What of the chain pays for gas, in units of 10^18 wei. */
  native_symbol: z.string(),
  period: z.string(),
  from: IsoTime,
  /** The end of the month; of a preview, the moment of its figures. */
  to: IsoTime,
  state: ReportState,
  edition: ReportEdition,
  as_of: IsoTime,
  /** The last block that was taken into account. */
  block_number: z.int(),
  formulas_version: z.string(),
  sections: z.array(ReportSection),
  /** The questions that the figures answer: each address gives their receipts, each command computes them again. */
  reads: z.array(z.object({ id: z.string(), address: z.string(), verify: z.string() })),
});
export type VaultReport = z.infer<typeof VaultReport>;

/** The report of a month, as the file that is sent. One of a final month is kept, and never another one afterwards. */
export const GetVaultReport = action('v1.users.vaultReport', {
  callers: { user: 'read', services: ['gateway'] },
  params: z.strictObject({
    ...VaultRef.shape,
    period: Month,
    edition: ReportEdition.default('public'),
    format: z.enum(reportFormats).default('json'),
  }),
  result: z.object({
    state: ReportState,
    text: z.string(),
    /** SHA-256 of the text, in hex. */
    sha256: z.string(),
  }),
});
