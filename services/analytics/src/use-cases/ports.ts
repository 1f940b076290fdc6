import type { Moment } from '../domain/moment.ts';

/** Which moment is asked about: `at` (ISO time) or `block`, else the last indexed block. */
export type Asked = {
  readonly chain_id: number;
  readonly vault_address: string;
  readonly at?: string | undefined;
  readonly block?: number | undefined;
};

/** Vaults as they were. */
export type Histories = {
  /**
   * The vault at the asked moment.
   * @throws AppError VAULT_NOT_FOUND, CHAIN_NOT_FOUND, NOT_READY (the first reading of the log is not complete),
   * BLOCK_IN_FUTURE, BEFORE_CREATION.
   */
  momentOf(asked: Asked): Promise<Moment>;
};
