import type { Api } from '../client/api.ts';

/** Vaults side by side, as the API answers. */
export type Comparison = Awaited<ReturnType<Api['analyticsCompare']>>;
