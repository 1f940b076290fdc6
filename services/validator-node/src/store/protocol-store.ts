import { isDuplicateKey, LeaseLost } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { type Address, bytesToHex, type Hex, hexToBytes } from 'viem';
import type { z } from 'zod';
import type { GuardVerdict, PacemakerState, PendingTransmission, ProtocolStore } from '../ports.ts';
import { GuardDocument, PacemakerDocument, PendingDocument, understood } from './documents.ts';
import { type EvidenceStore, evidenceStore } from './evidence.ts';
import { judge, recovered, type SignedSoFar, type SignRequest, strictest } from './guard.ts';

type Stored = { _id: string } & Record<string, unknown>;

export type MongoProtocolStore = ProtocolStore &
  EvidenceStore & {
    hasGuard(): Promise<boolean>;
    /** Makes the guard of a signer that has none; one that is there stays as it is. */
    beginGuard(first: SignedSoFar): Promise<void>;
    /** Forgets transmissions accepted before this local time. @returns how many. */
    reapPending(acceptedBefore: number): Promise<number>;
    exportGuard(): Promise<SignedSoFar>;
    /** Raises the guard to at least this; never lowers it. */
    importGuard(other: SignedSoFar): Promise<void>;
  };

export type ProtocolStoreOptions = {
  connection: Connection;
  /** The key the guard guards. */
  signer: Address;
  /** Of the lease on that key: a process that lost it without noticing is refused. */
  leaseToken: () => number;
};

/** Another process writes the same guard at most as often as leases change hands; more is a fault. */
const mostTries = 20;

/** The protocol's memory. The connection writes with a majority, so a resolved promise outlives the loss of a server. */
export function createProtocolStore(options: ProtocolStoreOptions): MongoProtocolStore {
  const guard = new Guard(options);
  const pacemakers = options.connection.collection<Stored>('pacemakers');
  return {
    ...pendingOf(options.connection),
    ...evidenceStore(options.connection),
    async readPacemaker(digest) {
      const found = await pacemakers.findOne({ _id: digest });
      if (!found) return null;
      const { epoch, highest_wish, wishes } = understood(PacemakerDocument, found, `pacemakers/${digest}`);
      return { epoch, highestWish: highest_wish, wishes };
    },
    async writePacemaker(digest, { epoch, highestWish, wishes }: PacemakerState) {
      const document = { epoch, highest_wish: highestWish, wishes: [...wishes] };
      await pacemakers.replaceOne({ _id: digest }, document, { upsert: true });
    },
    async guardSignature(digest, epoch, round, entries, canonicalNonces) {
      return guard.sign({ digest, epoch, round, entries, canonicalNonces });
    },
    isRecovering: () => guard.isRecovering(),
    endRecovery: (digest, epoch) => guard.endRecovery(digest, epoch),
    hasGuard: () => guard.exists(),
    beginGuard: (first) => guard.begin(first),
    exportGuard: () => guard.read(),
    importGuard: (other) => guard.raise(other),
  };
}

function pendingOf(connection: Connection) {
  const pendings = connection.collection<Stored>('pending_transmissions');
  const idOf = (digest: Hex, epoch: number, round: number) => `${digest}:${epoch}:${round}`;
  return {
    async addPending({ digest, epoch, round, report, dueAt, acceptedAt }: PendingTransmission) {
      const signatures = report.signatures.map(({ signer, signature }) => ({
        signer,
        signature: bytesToHex(signature),
      }));
      const document = {
        _id: idOf(digest, epoch, round),
        digest,
        epoch,
        round,
        signatures,
        report: bytesToHex(report.report),
        due_at: dueAt,
        accepted_at: acceptedAt,
      };
      try {
        await pendings.insertOne(document);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error; // The same report, finalized again after a restart.
      }
    },
    async pendings(digest: Hex): Promise<PendingTransmission[]> {
      const found = await pendings.find({ digest }).sort({ due_at: 1 }).toArray();
      return found.map((each) => {
        const document = understood(PendingDocument, each, `pending_transmissions/${each._id}`);
        const signatures = document.signatures.map(({ signer, signature }) => ({
          signer,
          signature: hexToBytes(signature),
        }));
        return {
          digest: document.digest,
          epoch: document.epoch,
          round: document.round,
          report: { report: hexToBytes(document.report), signatures },
          dueAt: document.due_at,
          acceptedAt: document.accepted_at,
        };
      });
    },
    async removePending(digest: Hex, epoch: number, round: number) {
      await pendings.deleteOne({ _id: idOf(digest, epoch, round) });
    },
    async reapPending(acceptedBefore: number) {
      const { deletedCount } = await pendings.deleteMany({ accepted_at: { $lt: acceptedBefore } });
      return deletedCount;
    },
  };
}

const nothing: SignedSoFar = { rounds: {}, entries: {} };

const signedSoFar = ({ rounds, entries, recovering }: z.output<typeof GuardDocument>): SignedSoFar => ({
  rounds,
  entries,
  ...(recovering && { recovering }),
});

/** What a signer has signed, in one document: judged against one revision and written only over that one. */
class Guard {
  readonly #options: ProtocolStoreOptions;
  readonly #id: string;

  constructor(options: ProtocolStoreOptions) {
    this.#options = options;
    this.#id = options.signer.toLowerCase();
  }

  get #documents() {
    return this.#options.connection.collection<Stored>('sign_guards');
  }

  async read(): Promise<SignedSoFar> {
    const found = await this.#load();
    return found ? signedSoFar(found) : nothing;
  }

  async exists(): Promise<boolean> {
    return (await this.#load()) !== null;
  }

  async isRecovering(): Promise<boolean> {
    return (await this.#load())?.recovering ?? false;
  }

  async begin(first: SignedSoFar): Promise<void> {
    // Another process that made it first has the lease, or will find that it has not.
    if (!(await this.exists())) await this.#write(undefined, this.#options.leaseToken(), first);
  }

  async endRecovery(digest: Hex, epoch: number): Promise<void> {
    await this.#change((before) => ({ answer: 'ended', after: recovered(before, digest, epoch) }));
  }

  sign(request: SignRequest): Promise<GuardVerdict> {
    return this.#change<GuardVerdict>((before) => {
      const judged = judge(before, request);
      if (typeof judged === 'string') return { answer: judged };
      const { refusals, after } = judged;
      return { answer: refusals.every((refusal) => refusal === null) ? 'ok' : refusals, after };
    });
  }

  async raise(other: SignedSoFar): Promise<void> {
    await this.#change((before) => ({ answer: 'raised', after: strictest(before, other) }));
  }

  async #load() {
    const found = await this.#documents.findOne({ _id: this.#id });
    return found && understood(GuardDocument, found, `sign_guards/${this.#id}`);
  }

  /** Reads, decides and writes as one step: over a revision that another wrote meanwhile it begins again. */
  async #change<Answer>(decide: (before: SignedSoFar) => { answer: Answer; after?: SignedSoFar }): Promise<Answer> {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const before = await this.#load();
      const token = this.#options.leaseToken();
      if (before && before.token > token)
        throw new LeaseLost(
          `key:${this.#options.signer.toLowerCase()}`,
          'Another process has taken over the key. This one must stop.',
        );
      const { answer, after } = decide(before ? signedSoFar(before) : nothing);
      if (!after || (await this.#write(before?.revision, token, after))) return answer;
    }
    throw new Error(`The sign guard of ${this.#options.signer} changes too often: does another process use this key?`);
  }

  /** @returns false when the revision is no longer the one that was read. */
  async #write(revision: number | undefined, token: number, after: SignedSoFar): Promise<boolean> {
    const { rounds, entries, recovering = false } = after;
    const stored = Object.fromEntries(
      Object.entries(entries).map(([key, { nonce, timestamp }]) => [
        key,
        { nonce: `${nonce}`, timestamp: `${timestamp}` },
      ]),
    );
    const content = { rounds, entries: stored, recovering, token };
    if (revision === undefined) {
      try {
        await this.#documents.insertOne({ _id: this.#id, revision: 1, ...content });
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    }
    const { modifiedCount } = await this.#documents.updateOne(
      { _id: this.#id, revision },
      { $set: { ...content, revision: revision + 1 } },
    );
    return modifiedCount === 1;
  }
}
