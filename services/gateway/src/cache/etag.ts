import { createHash } from 'node:crypto';

/** A strong entity tag: the hash of the very bytes it stands for. */
export const etagOf = (bytes: string | Buffer): string => `"${createHash('sha256').update(bytes).digest('base64url')}"`;

/** Whether an `If-None-Match` header names this tag; it compares weakly (RFC 9110 13.1.2). */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
