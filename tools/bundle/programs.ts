/**
 * The programs of each service that run outside of this repository, relative to the service's folder: what a bundle of it is made
 * from. Bundles keep these paths, with `.js` in the place of `.ts`.
 */
export const programs = {
  gateway: ['src/main.ts'],
  auth: ['src/main.ts'],
  vaults: ['src/main.ts', 'src/keeper/main.ts'],
  analytics: ['src/main.ts', 'src/rebuild.ts', 'src/verify/main.ts'],
  users: ['src/main.ts', 'src/audit/verify/main.ts', 'src/mandates/attestations/verify/main.ts'],
  ai: ['src/main.ts', 'bin/castellan-mcp.ts'],
  'validator-node': ['bin/castellan-validator.ts'],
} as const satisfies Record<string, readonly string[]>;

export type BundledService = keyof typeof programs;

export const bundledServices = Object.keys(programs) as BundledService[];

/** Loaded by `node --import` before each program: it patches libraries before they are loaded. */
export const preload = 'packages/service-kit/src/tracing-preload.ts';

/** The command line of operators, which reads what every service is configured with and stores: beside the programs of each service. */
export const operatorProgram = 'tools/castellan/main.ts';

/** Of a program in the bundles: the same path, as JavaScript. */
export const bundledPath = (program: string): string => program.replace(/\.ts$/, '.js');
