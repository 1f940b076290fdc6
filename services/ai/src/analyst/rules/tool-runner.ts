import { performance } from 'node:perf_hooks';
import { AppError } from '@castellan/contracts';
import type { Rights } from '../../context/rights.ts';
import type { Untrusted } from '../../context/vault-context.ts';
import type { ContextFigure } from '../../domain/figure.ts';
import { numeralsOf } from '../../domain/numerals.ts';
import { runTool } from '../../tools/run-tool.ts';
import type { Tool } from '../../tools/tool.ts';
import type { AnswerEvent, Question } from '../analyst.ts';

/** What a tool brought, or in words why it did not. */
export type Brought = {
  figures: readonly ContextFigure[];
  identifiers: readonly string[];
  /** Text that others wrote. */
  untrusted: readonly Untrusted[];
  error: string | null;
};

const nothing = { figures: [], identifiers: [], untrusted: [] };

export const allowedPerQuestion = 4;

type Options = {
  question: Question;
  tools: readonly Tool[];
  rights: Rights;
  signal: AbortSignal;
  onEvent: (event: AnswerEvent) => void;
  /** Filled with what each call brings. */
  brought: Brought[];
  most: number;
};

/** A refusal without the numbers that its text may hold: they are no figures. */
const inWords = (code: string, detail: string): string =>
  numeralsOf(detail).length === 0 ? detail : `It was refused: ${code}.`;

/** Calls tools on the vault of the question, and reports each call as it ends. */
export function toolRunner({ question: { context }, tools, rights, signal, onEvent, brought, most }: Options) {
  const vault = { chain_id: context.chainId, vault_address: context.vaultAddress };
  return async (name: string, more: Record<string, unknown>): Promise<Brought> => {
    if (signal.aborted || brought.length >= most) throw new AppError('MODEL_UNAVAILABLE', 'The answer was stopped.');
    const args = name === 'list_my_vaults' ? more : { ...vault, ...more };
    const began = performance.now();
    const outcome = await runTool(name, args, rights, tools);
    onEvent({ type: 'tool', call: { name, args, ms: Math.round(performance.now() - began), ok: outcome.ok } });
    const { figures, identifiers, untrusted } = outcome.ok ? outcome.result : nothing;
    const error = outcome.ok ? null : inWords(outcome.error.code, outcome.error.detail);
    const one: Brought = { figures, identifiers, untrusted, error };
    brought.push(one);
    return one;
  };
}
