import type { ErrorCode } from '@castellan/contracts';

/**
 * The least role on the vault in question that a route takes. `anyone`: the role does not count, or what is asked for by an id is looked
 * up first, and to whom it does not belong it is not there. `nobody here`: maintainers of the registry, and wallets that name themselves.
 */
export type RoleRule = 'anyone' | 'viewer' | 'secondary' | 'primary' | 'manager of any vault' | 'nobody here';

/** What only the description of the API says of a route. The route itself is in packages/contracts, which the web loads too. */
export type Description = {
  /** The heading it stands under. */
  readonly tag: string;
  /** Said by hand, so that a new route is thought about; the security matrix of the tests holds the services to it. */
  readonly role: RoleRule;
  readonly summary: string;
  /** Error codes beyond those every route can answer. */
  readonly errors?: readonly ErrorCode[];
  /** Further success statuses, e.g. 201 beside 200, and when they are given. */
  readonly otherStatuses?: Readonly<Record<number, string>>;
};
