import type { z } from 'zod';
import type { Rights } from '../context/rights.ts';
import type { Untrusted } from '../context/vault-context.ts';
import type { ContextFigure } from '../domain/figure.ts';

/** What a tool found. `data` goes to the model as JSON; its figures may be quoted, its untrusted texts only between quotes. */
export type ToolResult = {
  data: unknown;
  figures: readonly ContextFigure[];
  identifiers: readonly string[];
  untrusted: readonly Untrusted[];
};

/**
 * Something a chat or another agent may ask for. `read` reads; `prepare` makes a call for the caller's wallet to sign and changes
 * nothing. There is no third kind.
 */
export type Tool<S extends z.ZodObject = z.ZodObject> = {
  readonly name: string;
  readonly kind: 'read' | 'prepare';
  readonly description: string;
  readonly params: S;
  run(args: z.output<S>, rights: Rights): Promise<ToolResult>;
};
