import type { ErrorCode } from '@castellan/contracts';

/** What only the description of the API says of a route. The route itself is in packages/contracts, which the web loads too. */
export type Description = {
  /** The heading it stands under. */
  readonly tag: string;
  readonly summary: string;
  /** Error codes beyond those every route can answer. */
  readonly errors?: readonly ErrorCode[];
  /** Further success statuses, e.g. 201 beside 200, and when they are given. */
  readonly otherStatuses?: Readonly<Record<number, string>>;
};
