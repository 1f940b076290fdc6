import type { RetryOptions } from './retry.ts';
import type { Meter } from './usage.ts';

export type ModelDeps = {
  meter: Meter;
  retry: RetryOptions;
  timeoutMs: number;
  /** Tools one answer may call, and tokens it may write. */
  toolCalls: number;
  answerTokens: number;
  newBoundary: () => string;
};
