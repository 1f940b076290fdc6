import { z } from 'zod';
import { action } from '../action.ts';
import { Address, ChainId, Eip55, IsoTime } from '../primitives.ts';

/** The sections of an analysis, in the order in which they are shown. */
export const analysisSections = ['performance', 'risk', 'yield_sources', 'fees', 'liquidity'] as const;

/**
 * A figure of a text and where it comes from: `metric` in words, `path` as the API names it (`overview.apy.d7`), `value` as the
 * API gives it. Raw amounts are decimal strings. `said` is the figure as the text writes it.
 */
export const Citation = z.object({
  metric: z.string(),
  path: z.string(),
  value: z.union([z.number(), z.string(), z.boolean(), z.null()]),
  said: z.string().optional(),
});
export type Citation = z.infer<typeof Citation>;

/** One section: its text, and the figure behind every number of it. */
export const AnalysisSection = z.object({
  id: z.enum(analysisSections),
  title: z.string(),
  narrative: z.string(),
  citations: z.array(Citation),
});

/** A figure of a text that no metric of the context gives, with the words around it. */
export const UngroundedFigure = z.object({ section: z.string(), figure: z.string(), context: z.string() });

/**
 * What the figures of a vault say, in words, at `block_number`. `provider` is `built-in` for the rules, else the model's vendor.
 * A figure that could not be traced to the context is listed, and never unmarked.
 */
export const Analysis = z.object({
  vault_address: Eip55,
  chain_id: ChainId,
  generated_at: IsoTime,
  block_number: z.int(),
  model: z.string(),
  provider: z.string(),
  sections: z.array(AnalysisSection),
  summary: z.string(),
  highlights: z.array(z.string()),
  ungrounded_figures: z.array(UngroundedFigure),
});
export type Analysis = z.infer<typeof Analysis>;

/** The analysis of a vault, cached per range of blocks; any role on it. `refresh`: a new run, 10 an hour and user. */
export const GetAnalysis = action('v1.ai.analysis', {
  callers: { user: 'read' },
  params: z.strictObject({ chain_id: ChainId, vault_address: Address, refresh: z.boolean().default(false) }),
  result: Analysis,
});
