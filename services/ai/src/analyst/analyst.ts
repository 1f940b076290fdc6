import type { AnalysisSection, Citation } from '@castellan/contracts';
import type { z } from 'zod';
import type { Rights } from '../context/rights.ts';
import type { VaultContext } from '../context/vault-context.ts';
import type { Ungrounded } from '../domain/grounding.ts';
import type { Tool } from '../tools/tool.ts';

export type Section = z.infer<typeof AnalysisSection>;

/** The texts of an analysis before they are checked. */
export type DraftAnalysis = {
  sections: Section[];
  summary: string;
  highlights: string[];
  usage: Usage;
};
export type Usage = { inputTokens: number; outputTokens: number };

export type Turn = { role: 'user' | 'assistant'; text: string };

/** One question in a conversation about one vault. */
export type Question = {
  context: VaultContext;
  history: readonly Turn[];
  text: string;
};

export type ToolCall = { name: string; args: Record<string, unknown>; ms: number; ok: boolean };

/** What happens while an answer is made, in order. */
export type AnswerEvent = { type: 'text'; text: string } | { type: 'tool'; call: ToolCall };

export type Answered = {
  text: string;
  citations: Citation[];
  usage: Usage;
  /** Figures that tools brought besides those of the context. */
  figures: VaultContext['figures'];
  identifiers: readonly string[];
};

/**
 * Who writes. Two of them: rules, and a model behind LangChain. Neither is believed: what it writes is traced to figures before
 * anybody sees it as grounded.
 */
export type Analyst = {
  readonly provider: string;
  readonly model: string;
  /** @param refused - Figures of the last try that could not be traced. @throws AppError MODEL_UNAVAILABLE. */
  analyse(
    context: VaultContext,
    options: { signal: AbortSignal; refused?: readonly Ungrounded[] },
  ): Promise<DraftAnalysis>;
  /** Emits each piece as it comes; stops at once when the signal is aborted. @throws AppError MODEL_UNAVAILABLE. */
  answer(
    question: Question,
    options: { tools: readonly Tool[]; rights: Rights; signal: AbortSignal; onEvent: (event: AnswerEvent) => void },
  ): Promise<Answered>;
};
