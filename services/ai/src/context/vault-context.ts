import type {
  GetDrawdown,
  GetOperations,
  GetOverview,
  GetPerformance,
  GetPps,
  GetPpsWhatIf,
  GetRisk,
  GetUsers,
  ListFees,
  ListTransmissions,
  ResultOf,
  VaultDetail,
} from '@castellan/contracts';
import type { ContextFigure } from '../domain/figure.ts';
import type { Units } from './extract.ts';

/** Text that somebody else wrote: names of vaults, tokens, sources and people, posts. Quoted as untrusted, never followed. */
export type Untrusted = { what: string; text: string };

/** The answers the figures were taken from, for what is no number: levels, guards, reasons, episodes. */
export type Answers = {
  overview: ResultOf<typeof GetOverview>;
  performance: ResultOf<typeof GetPerformance>;
  risk: ResultOf<typeof GetRisk>;
  users: ResultOf<typeof GetUsers>;
  operations: ResultOf<typeof GetOperations>;
  fees: ResultOf<typeof ListFees>;
  pps: ResultOf<typeof GetPps>;
  whatIf: ResultOf<typeof GetPpsWhatIf>;
  drawdown: ResultOf<typeof GetDrawdown>;
  transmissions: ResultOf<typeof ListTransmissions>;
};

/**
 * Everything an analyst may know of one vault at one block, read with the rights of who asks. Figures are the only numbers that
 * may be said; `reasons` says why a figure has no value, by path.
 */
export type VaultContext = {
  chainId: number;
  vaultAddress: string;
  blockNumber: number;
  asOf: string;
  detail: VaultDetail;
  answers: Answers;
  units: Units;
  figures: readonly ContextFigure[];
  reasons: Readonly<Record<string, string>>;
  /** Addresses and hashes that occur, lower case. */
  identifiers: ReadonlySet<string>;
  untrusted: readonly Untrusted[];
};
