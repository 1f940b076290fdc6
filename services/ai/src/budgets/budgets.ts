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
  hasTokensLeft(vault: string): Promise<boolean>;
  spendTokens(vault: string, tokens: number): Promise<void>;
};
