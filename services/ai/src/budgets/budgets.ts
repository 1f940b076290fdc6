import type { Analysis } from '@castellan/contracts';

export type CachedAnalysis = {
  /** What the vault was in; an analysis does not outlive a change of it. */
  state: string;
  blockNumber: number;
  /** Milliseconds. */
  generatedAt: number;
  body: Analysis;
};

export type Analyses = {
  find(id: string): Promise<CachedAnalysis | undefined>;
  save(id: string, analysis: CachedAnalysis): Promise<void>;
  /** The right to write this analysis, or undefined while another process has it. Given back by calling what is returned. */
  lock(id: string): Promise<(() => Promise<void>) | undefined>;
};

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
