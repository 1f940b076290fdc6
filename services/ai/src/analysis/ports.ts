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
