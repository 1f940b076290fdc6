import { isDuplicateKey } from '@castellan/service-kit';
import type { Artifact } from '../domain/artifact.ts';
import { type MerkleCollections, type OfVault, type PublishedDocument, vaultKey } from '../models/hook-trees.ts';

export function mongoArtifacts({
  artifacts,
  artifactParts,
  published,
}: Pick<MerkleCollections, 'artifacts' | 'artifactParts' | 'published'>) {
  const partId = (hash: string, part: number) => `${hash}:${part}`;
  return {
    /** The parts first: an artifact that is there is whole. */
    async save({ hash, bytes, parts }: Artifact, onPart: (done: number) => void): Promise<void> {
      for (const [part, text] of parts.entries()) {
        await artifactParts.replaceOne({ _id: partId(hash, part) }, { text } as never, { upsert: true });
        onPart(part + 1);
      }
      await artifacts.replaceOne({ _id: hash }, { bytes, parts: parts.length } as never, { upsert: true });
    },
    async read(hash: string, part: number): Promise<{ text: string; bytes: number; next: number | null } | null> {
      const [head, found] = await Promise.all([
        artifacts.findOne({ _id: hash }),
        artifactParts.findOne({ _id: partId(hash, part) }),
      ]);
      if (!head || !found) return null;
      return { text: found.text, bytes: head.bytes, next: part + 1 < head.parts ? part + 1 : null };
    },
    /** @returns false when another tree was published since `before` was read. */
    async publish(
      of: OfVault,
      document: Omit<PublishedDocument, '_id' | 'revision'>,
      before: PublishedDocument | null,
    ): Promise<boolean> {
      const _id = vaultKey(of);
      const next = { ...document, revision: (before?.revision ?? 0) + 1 };
      const seen = { _id, revision: before?.revision ?? { $exists: false } };
      try {
        if (before) return (await published.replaceOne(seen, next)).matchedCount > 0;
        await published.insertOne({ _id, ...next });
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    published: (of: OfVault): Promise<PublishedDocument | null> => published.findOne({ _id: vaultKey(of) }),
  };
}
export type ArtifactStore = ReturnType<typeof mongoArtifacts>;
