import { performance } from 'node:perf_hooks';
import { z } from 'zod';
import { shortAddress } from '../../context/extract.ts';
import type { Rights } from '../../context/rights.ts';
import type { ContextFigure } from '../../domain/figure.ts';
import { runTool } from '../../tools/run-tool.ts';
import type { Tool } from '../../tools/tool.ts';
import type { AnswerEvent, Question } from '../analyst.ts';

/** A call as a model wrote it: nothing of it is believed. */
export type ModelCall = { name: string; args: unknown };

const longestArgs = 4_000;
const longestResult = 40_000;

/** Tools as every vendor's adapter takes them. */
export const describedTools = (tools: readonly Tool[]) =>
  tools.map(({ name, description, params }) => ({
    type: 'function' as const,
    function: { name, description, parameters: schemaOf(params) },
  }));

const schemas = new WeakMap<z.ZodType, object>();
/** Sent with every question, and always the same. */
function schemaOf(params: z.ZodType): object {
  const known = schemas.get(params) ?? z.toJSONSchema(params, { io: 'input', unrepresentable: 'any' });
  schemas.set(params, known);
  return known;
}

type Options = {
  question: Question;
  tools: readonly Tool[];
  rights: Rights;
  signal: AbortSignal;
  onEvent: (event: AnswerEvent) => void;
  most: number;
};
const Data = z.looseObject({ figures: z.array(z.looseObject({ path: z.string() })) });
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Runs the calls of one answer, as the caller, and keeps what they bring. Each that runs is reported; so is one that is refused. */
export function toolCalls({ question: { context }, tools, rights, signal, onEvent, most }: Options) {
  const named = new Map<string, ContextFigure>();
  const identifiers = new Set<string>();
  let made = 0;

  /** A figure of another vault than the question is about says so: its path alone would be read as one of this. */
  const placed = (figure: ContextFigure, args: Record<string, unknown>): ContextFigure => {
    const address = typeof args.vault_address === 'string' ? args.vault_address : context.vaultAddress;
    const isHere =
      address.toLowerCase() === context.vaultAddress.toLowerCase() &&
      (args.chain_id ?? context.chainId) === context.chainId;
    return isHere
      ? figure
      : { ...figure, path: `${address}.${figure.path}`, label: `${figure.label}, ${shortAddress(address)}` };
  };

  const refused = (code: string, detail: string) => ({ error: { code, detail } });

  const run = async (name: string, args: unknown): Promise<unknown> => {
    if (made >= most) return refused('RATE_LIMITED', 'No further calls for this answer. Answer with what there is.');
    made += 1;
    const isKnown = tools.some((tool) => tool.name === name);
    const isBounded = isRecord(args) && JSON.stringify(args).length <= longestArgs;
    const began = performance.now();
    const outcome = isBounded && isKnown ? await runTool(name, args, rights, tools) : null;
    if (signal.aborted) return refused('MODEL_UNAVAILABLE', 'The answer was stopped.');
    // A name or arguments that were made up are not shown to the reader either.
    const shown = { name: isKnown ? name : 'unknown', args: isBounded && isKnown ? args : {} };
    onEvent({ type: 'tool', call: { ...shown, ms: Math.round(performance.now() - began), ok: outcome?.ok === true } });
    if (outcome === null) {
      const why = isKnown ? 'The arguments are no JSON object of at most 4 000 characters.' : 'There is no such tool.';
      return refused('VALIDATION_FAILED', why);
    }
    if (!outcome.ok) return { error: outcome.error };
    const call = `call${made}`;
    for (const figure of outcome.result.figures) named.set(`${call}.${figure.path}`, placed(figure, args as never));
    for (const each of outcome.result.identifiers) identifiers.add(each);
    const data = Data.safeParse(outcome.result.data);
    if (!data.success) return outcome.result.data;
    const figures = data.data.figures.map(({ path, ...figure }) => ({ path: `${call}.${path}`, ...figure }));
    return { ...data.data, figures };
  };

  return {
    named,
    identifiers,
    /** The result for the model, bounded. */
    run: async ({ name, args }: ModelCall): Promise<unknown> => {
      const result = await run(name, args);
      return JSON.stringify(result).length <= longestResult
        ? result
        : refused('VALIDATION_FAILED', 'The result is too long. Ask for less, e.g. a shorter period.');
    },
  };
}
