import type { EntryRefusal, Evidence, PacemakerState, PendingTransmission, ProtocolStore } from '../../../src/ports.ts';
import { strategyKey } from '../../../src/ports.ts';

/** What outlives a crash of one node. */
export type Disk = {
  pacemaker: PacemakerState | null;
  signed: { epoch: number; round: number };
  entries: Map<string, { nonce: bigint; timestamp: bigint }>;
  pendings: Map<string, PendingTransmission>;
  submitted: Set<string>;
  evidence: Evidence[];
};

export const emptyDisk = (): Disk => ({
  pacemaker: null,
  signed: { epoch: 0, round: 0 },
  entries: new Map(),
  pendings: new Map(),
  submitted: new Set(),
  evidence: [],
});

/** Wraps each access: latency, failure, and a crash before or after the write. */
export type Access = <T>(operation: () => T) => Promise<T>;

export function createDiskStore(disk: Disk, read: Access, write: Access): ProtocolStore {
  return {
    readPacemaker: () => read(() => disk.pacemaker),
    writePacemaker: (_digest, state) =>
      write(() => {
        disk.pacemaker = state;
      }),
    guardSignature: (_digest, epoch, round, entries, canonicalNonces) =>
      write(() => {
        const { signed } = disk;
        if (epoch < signed.epoch || (epoch === signed.epoch && round <= signed.round)) return 'round_not_above';
        const refusals = entries.map(({ chainId, strategy, nonce, timestamp }): EntryRefusal | null => {
          const key = strategyKey(chainId, strategy);
          const before = disk.entries.get(key);
          if (!before) return null;
          const wentBack = (canonicalNonces.get(key) ?? before.nonce) < before.nonce;
          if (nonce < before.nonce && !wentBack) return 'nonce_not_above';
          return nonce <= before.nonce && timestamp <= before.timestamp ? 'timestamp_not_above' : null;
        });
        const [first] = refusals;
        if (first && refusals.every((refusal) => refusal !== null)) return first;
        disk.signed = { epoch, round };
        for (const [index, { chainId, strategy, nonce, timestamp }] of entries.entries())
          if (refusals[index] === null) disk.entries.set(strategyKey(chainId, strategy), { nonce, timestamp });
        return refusals;
      }),
    isRecovering: async () => false,
    endRecovery: async () => undefined,
    addEvidence: (evidence) =>
      write(() => {
        disk.evidence.push(evidence);
      }),
    addPending: (pending) =>
      write(() => {
        disk.pendings.set(`${pending.epoch}:${pending.round}`, pending);
      }),
    pendings: () => read(() => [...disk.pendings.values()]),
    removePending: (_digest, epoch, round) =>
      write(() => {
        disk.pendings.delete(`${epoch}:${round}`);
      }),
  };
}
