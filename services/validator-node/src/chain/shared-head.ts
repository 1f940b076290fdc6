import type { PublicClient } from 'viem';
import type { Clock } from '../ports.ts';
import type { SeenHead } from './due-logs.ts';

export type Head = SeenHead & { timestamp: bigint };

/** The newest block of a chain for all that watch it in one process: who asks soon after another is given the same. */
export function sharedHead(client: PublicClient, clock: Clock, maxAgeMs: number): () => Promise<Head> {
  let last: { head: Promise<Head>; at: number } | undefined;
  return () => {
    const at = clock.now();
    if (last && at - last.at < maxAgeMs) return last.head;
    const asked = { head: client.getBlock(), at };
    last = asked;
    // What failed is asked again.
    asked.head.catch(() => {
      if (last === asked) last = undefined;
    });
    return asked.head;
  };
}
