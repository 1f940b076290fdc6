import { readFileSync, statSync } from 'node:fs';
import { othersMayRead } from './handed-over.ts';

/** A passphrase from a file or a variable: the arguments of a process are for everyone on the machine to read. */
const variable = 'CASTELLAN_BACKUP_PASSPHRASE';
const shortest = 16;

/**
 * @param file - Of `--passphrase-file`.
 * @throws Error when there is none, others may read the file, or it is short.
 */
export function readPassphrase(file: string | undefined, env: Readonly<Record<string, string | undefined>>): string {
  const path = file ?? env[`${variable}_FILE`];
  const text = path ? fromFile(path) : env[variable]?.trim();
  if (!text) throw new Error(`A passphrase is required: --passphrase-file FILE, or ${variable}.`);
  if (text.length < shortest)
    throw new Error(
      `The passphrase has ${text.length} characters; ${shortest} are the least. openssl rand -base64 32 makes one.`,
    );
  return text;
}

function fromFile(path: string): string {
  const { mode } = statSync(path);
  if (othersMayRead(path, mode)) throw new Error(`Others may read ${path}. Run chmod 600 ${path}.`);
  return readFileSync(path, 'utf8').trim();
}
