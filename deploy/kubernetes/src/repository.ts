import { fileURLToPath } from 'node:url';

const root = new URL('../../../', import.meta.url);

/** The path of a file of this repository. */
export const repository = (path: string): string => fileURLToPath(new URL(path, root));
