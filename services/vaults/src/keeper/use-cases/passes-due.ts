import type { Hash } from 'viem';
import type { KeeperPorts } from '../ports.ts';

/** A pass is left out for so long at most: what time alone changes, such as a snapshot that grows old, is seen then. */
const LONGEST_PAUSE_MS = 5_000;

type DuePorts = Pick<KeeperPorts, 'now'> & {
  status: Pick<KeeperPorts['status'], 'get'>;
  journal: Pick<KeeperPorts['journal'], 'open'>;
};

/**
 * Whether a pass over a chain has anything to do. The vaults are looked at as they are indexed, so once for each indexed block;
 * a transaction on its way is followed with every pass.
 */
export function passesDue({ status, journal, now }: DuePorts, chainId: number) {
  let done: { hash: Hash | null; at: number } | undefined;
  /** Transactions begin in passes only: without one at the end of the last there is none. */
  let mayHaveOpen = true;
  const hasOpen = async (): Promise<boolean> => {
    if (mayHaveOpen) mayHaveOpen = (await journal.open(chainId)).length > 0;
    return mayHaveOpen;
  };
  return {
    /** Another keeper may have worked on the chain meanwhile. */
    forget(): void {
      done = undefined;
      mayHaveOpen = true;
    },
    /** Runs the pass unless nothing can have changed since the last one that ended. */
    async run(pass: () => Promise<void>): Promise<void> {
      const hash = ((await status.get(chainId)).indexed_hash ?? null) as Hash | null;
      const isDue = done?.hash !== hash || now() - done.at >= LONGEST_PAUSE_MS;
      if (!isDue && !(await hasOpen())) return;
      const at = now();
      mayHaveOpen = true;
      await pass();
      done = { hash, at };
      await hasOpen();
    },
  };
}
