/** Tokens that are set aside for one text while it is written. */
export type Reservation = {
  /** Ends it, once: what was used counts, and the rest is given back. */
  settle(used: number): Promise<void>;
};

/** What may be used within a time, counted for all processes together. */
export type Budgets = {
  /** Counts one refresh; 0 when it may be made, else the seconds to wait. */
  secondsUntilRefresh(wallet: string): Promise<number>;
  /** Counts one message of the chat; 0 when it may be sent, else the seconds to wait. */
  secondsUntilMessage(wallet: string): Promise<number>;
  /** Counts one post on the vault; 0 when it may be made, else the seconds to wait. */
  secondsUntilPost(vault: string): Promise<number>;
  /** Counts one request of an agent; 0 when it may be made, else the seconds to wait. */
  secondsUntilAgentRequest(wallet: string): Promise<number>;
  /**
   * Sets tokens of the vault's day aside before any are used; undefined when all of them are used or set aside. What a process does not
   * settle, because it died, counts as used.
   */
  reserveTokens(vault: string): Promise<Reservation | undefined>;
};
