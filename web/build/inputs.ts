import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The file in `web/dist` that says what a build was made of. */
export const inputsFile = '.inputs.json';

/** What a build read. Paths and patterns are relative to the repository. */
export type BuildInputs = {
  readonly node_env: string;
  /** SHA-256 of each file. */
  readonly files: Readonly<Record<string, string>>;
  /** SHA-256 of the sorted names each pattern matches: a file that is added or removed changes it. */
  readonly globs: Readonly<Record<string, string>>;
};

const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');

/** Of a file's content; empty when there is no such file. */
export function hashOfFile(root: string, file: string): string {
  try {
    return sha256(readFileSync(join(root, file)));
  } catch {
    return '';
  }
}

/** Of the names that a pattern matches. What git never holds is no input, wherever a pattern reaches. */
export function hashOfGlob(root: string, pattern: string): string {
  const names = globSync(pattern, { cwd: root }).filter((name) => !/(^|\/)(node_modules|dist)(\/|$)/.test(name));
  return sha256(names.sort().join('\n'));
}

/** @returns the first file or pattern that is no longer as the build read it; undefined when nothing changed. */
export function changedInput(root: string, { files, globs }: BuildInputs): string | undefined {
  const file = Object.keys(files).find((each) => hashOfFile(root, each) !== files[each]);
  return file ?? Object.keys(globs).find((each) => hashOfGlob(root, each) !== globs[each]);
}
