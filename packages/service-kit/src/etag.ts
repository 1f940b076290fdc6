import { hash } from 'node:crypto';

/** A strong entity tag: the hash of the very bytes it stands for. */
export const etagOf = (bytes: string | Buffer): string => `"${hash('sha256', bytes, 'base64url')}"`;
