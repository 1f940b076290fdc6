import type { Evidence, PacemakerState, PendingTransmission, ProtocolStore } from '../../../src/ports.ts';
import { judge, recovered, type SignedSoFar } from '../../../src/store/guard.ts';

export type MemoryStore = ProtocolStore & { evidence: readonly Evidence[] };

const keyOf = ({ epoch, round }: { epoch: number; round: number }) => `${epoch}:${round}`;

/** A store of one node with the real guard, and a disk that never fails. @param first - What its guard begins with. */
export function createMemoryStore(first: SignedSoFar = { rounds: {}, entries: {} }): MemoryStore {
  let signed = first;
  let pacemaker: PacemakerState | null = null;
  const pendings = new Map<string, PendingTransmission>();
  const evidence: Evidence[] = [];
  return {
    evidence,
    readPacemaker: async () => pacemaker,
    writePacemaker: async (_digest, state) => {
      pacemaker = state;
    },
    guardSignature: async (digest, epoch, round, entries, canonicalNonces) => {
      const judged = judge(signed, { digest, epoch, round, entries, canonicalNonces });
      if (typeof judged === 'string') return judged;
      signed = judged.after;
      return judged.refusals;
    },
    isRecovering: async () => signed.recovering ?? false,
    endRecovery: async (digest, epoch) => {
      signed = recovered(signed, digest, epoch);
    },
    addEvidence: async (found) => {
      evidence.push(found);
    },
    addPending: async (pending) => {
      pendings.set(keyOf(pending), pending);
    },
    pendings: async () => [...pendings.values()],
    removePending: async (_digest, epoch, round) => {
      pendings.delete(keyOf({ epoch, round }));
    },
  };
}
