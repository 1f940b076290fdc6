import type { NetworkConfig } from '../ports.ts';

export type Quorums = {
  /** Observations of a report request: an honest majority among them. */
  observations: number;
  /** Signatures of a report: two different reports for one (epoch, round) cannot both reach it. */
  signatures: number;
  /** Wishes above mine after which I join: at least one honest oracle wants it. */
  joinWish: number;
  /** Wishes above my epoch after which I switch. */
  switchEpoch: number;
};

/** Any two sets of this size share an honest oracle. */
export const uniqueQuorum = (n: number, f: number): number => Math.floor((n + f) / 2) + 1;

export function quorumsOf({ oracles, f, quorum }: Pick<NetworkConfig, 'oracles' | 'f' | 'quorum'>): Quorums {
  return {
    observations: 2 * f + 1,
    signatures: Math.max(quorum, uniqueQuorum(oracles.length, f)),
    joinWish: f + 1,
    switchEpoch: 2 * f + 1,
  };
}
