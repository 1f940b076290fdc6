import { normalize } from 'node:path';

/** The decoded path of a request's page or file; undefined for one that names neither. */
export function pagePathOf(url: string): string | undefined {
  try {
    const path = normalize(decodeURIComponent(url.split('?')[0] ?? '/'));
    // No file has a zero byte in its name, and asking for one is an error.
    return path.includes('\0') ? undefined : path;
  } catch {
    return undefined; // Not percent-encoded UTF-8.
  }
}
