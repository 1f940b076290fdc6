import { typeset } from '../format/typeset.ts';

export type Explained = { headline: string; detail: string; requestId: string | undefined; code: string | undefined };

type ProblemLike = { detail?: unknown; code?: unknown; request_id?: unknown; status?: unknown; shortMessage?: unknown };
const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

function headlineOf(status: unknown): string {
  if (status === 404) return 'Not found';
  if (status === 401) return 'Your session ended';
  if (status === 403) return 'Your role does not allow this';
  if (status === 422) return 'The chain would refuse this';
  if (status === 429) return 'Too many requests';
  if (typeof status === 'number' && status >= 500) return 'A part of the system is not available';
  return 'That did not work';
}

const signedOutCodes: readonly unknown[] = ['TOKEN_MISSING', 'TOKEN_INVALID', 'TOKEN_EXPIRED', 'TOKEN_REVOKED'];

/** Whether the server refused because nobody is signed in any more: signing in again is the way on. */
export const isSignedOut = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && signedOutCodes.includes(error.code);

/**
 * What to say about an error: a problem answer of the API, a wallet's refusal, or a network that is gone.
 * Never a stack.
 */
export function explain(error: unknown): Explained {
  const problem = (typeof error === 'object' && error !== null ? error : {}) as ProblemLike;
  // The server speaks to programs here: of tokens and headers.
  const said = text(problem.detail);
  const detail = isSignedOut(error) ? 'Sign in again to go on. What you see and typed stays.' : said && typeset(said);
  if (detail !== undefined) {
    return {
      headline: headlineOf(problem.status),
      detail,
      requestId: text(problem.request_id),
      code: text(problem.code),
    };
  }
  // As browsers put it. A file of a former version is gone for good, and one that failed may stay failed until the page is loaded again.
  if (error instanceof TypeError && /dynamically imported module|importing a module script/i.test(error.message)) {
    return {
      headline: 'A part of the page did not load',
      detail: 'Check your connection, then load the page again: there may be a new version of it.',
      requestId: undefined,
      code: undefined,
    };
  }
  if (error instanceof TypeError && /fetch|network|load failed/i.test(error.message)) {
    return {
      headline: 'The server cannot be reached',
      detail: 'Check your connection. The page tries again by itself.',
      requestId: undefined,
      code: undefined,
    };
  }
  if (error instanceof Error && /ZodError$/.test(error.name)) {
    return {
      headline: 'The answer could not be read',
      detail: 'The server answered in a form this page does not know. Load the page again to get its current version.',
      requestId: undefined,
      code: undefined,
    };
  }
  const message = text(problem.shortMessage) ?? (error instanceof Error ? text(error.message) : undefined);
  return {
    headline: 'That did not work',
    detail: message ?? 'No reason was given.',
    requestId: undefined,
    code: undefined,
  };
}

/** Whether somebody else changed meanwhile what was to be changed. */
export const isConflict = (error: unknown): boolean => explain(error).code === 'VERSION_CONFLICT';
