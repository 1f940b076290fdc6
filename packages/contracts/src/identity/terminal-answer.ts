import { z } from 'zod';
import { SignedMessage } from './auth.ts';

/**
 * What the browser brings back to a terminal. Apart from what the page needs, which only writes it: a first page would get a chunk more
 * if a later one took this schema.
 */
export const TerminalAnswer = z.strictObject({ state: z.string().max(64), proof: SignedMessage });
export type TerminalAnswer = z.infer<typeof TerminalAnswer>;
