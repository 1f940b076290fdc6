import { isDuplicateKey } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { type Address, bytesToHex, type Hex, hexToBytes } from 'viem';
import type { z } from 'zod';
import type { Evidence, ProtocolStore, SignedStatement } from '../ports.ts';
import { EvidenceDocument, understood } from './documents.ts';

export type EvidenceStore = Pick<ProtocolStore, 'addEvidence'> & {
  /** Of one configuration, or of all. */
  evidence(digest?: Hex): Promise<Evidence[]>;
  /** How many are kept for each signer of a configuration. */
  countEvidence(digest: Hex): Promise<ReadonlyMap<Address, number>>;
};

type Stored = { _id: string } & Record<string, unknown>;
type StoredStatement = z.output<typeof EvidenceDocument>['first'];

/** Kept of one signer and configuration. One is enough to prove it; a signer that goes on must not fill the disk. */
const mostPerSigner = 100;

const written = ({ observers, epoch, round, ...bytes }: SignedStatement) => ({
  epoch,
  round,
  observers: [...observers],
  inputs: bytesToHex(bytes.inputs),
  report: bytesToHex(bytes.report),
  signature: bytesToHex(bytes.signature),
  attestation: bytesToHex(bytes.attestation),
});

const read = ({ inputs, report, signature, attestation, ...rest }: StoredStatement): SignedStatement => ({
  ...rest,
  inputs: hexToBytes(inputs),
  report: hexToBytes(report),
  signature: hexToBytes(signature),
  attestation: hexToBytes(attestation),
});

/** Conflicting signatures, in the node's own database: nothing of the protocol removes them. */
export function evidenceStore(connection: Connection): EvidenceStore {
  const collection = connection.collection<Stored>('conflicting_signatures');
  const evidence = async (digest?: Hex): Promise<Evidence[]> => {
    const found = await collection
      .find(digest === undefined ? {} : { digest })
      .sort({ _id: 1 })
      .toArray();
    return found.map((each) => {
      const { _id, signer, first, second, ...rest } = understood(
        EvidenceDocument,
        each,
        `conflicting_signatures/${each._id}`,
      );
      return { ...rest, signer: signer as Address, first: read(first), second: read(second) };
    });
  };
  return {
    async addEvidence({ digest, kind, oracle, signer, first, second }) {
      if ((await collection.countDocuments({ digest, signer })) >= mostPerSigner) return;
      const _id = `${digest}:${kind}:${oracle}:${second.epoch}:${second.round}`;
      try {
        await collection.insertOne({
          _id,
          digest,
          kind,
          oracle,
          signer,
          first: written(first),
          second: written(second),
        });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    },
    evidence,
    async countEvidence(digest) {
      const counts = new Map<Address, number>();
      for (const { signer } of await evidence(digest)) counts.set(signer, (counts.get(signer) ?? 0) + 1);
      return counts;
    },
  };
}
