import type { Options } from '@swc/core';

/** How modules with JSX are transformed for tests. What reads their coverage transforms them the same way. */
export const tsx: Options = {
  jsc: {
    parser: { syntax: 'typescript', tsx: true },
    transform: { react: { runtime: 'automatic' } },
    target: 'es2024',
  },
  module: { type: 'es6' },
  sourceMaps: 'inline',
};
