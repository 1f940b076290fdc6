import { basename, dirname } from 'node:path';

/**
 * The name by which a process is traced: the folder of its program, or of the service where the program lies in the `src` or `bin` of
 * one. `services/vaults/src/main.ts` is `vaults`, `services/vaults/src/keeper/main.ts` is `keeper`.
 */
export function serviceNameOf(program: string): string {
  const folder = dirname(program);
  return basename(/^(src|bin)$/.test(basename(folder)) ? dirname(folder) : folder);
}
