import type { Api } from '../app/api.ts';

/** Vaults side by side, as the API answers. */
export type Comparison = Awaited<ReturnType<Api['analyticsCompare']>>;
