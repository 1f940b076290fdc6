import { writeFileSync } from 'node:fs';
import { pathOf, type World } from './command.ts';

/** Writes what was asked for to a file, never over another one; without a file to standard output. */
export function deliver(content: string, file: string | undefined, { env, out }: World): void {
  if (file === undefined) out(content);
  else writeFileSync(pathOf(file, env), content, { flag: 'wx' });
}
