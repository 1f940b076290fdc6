import type { Abi } from 'viem';
import { aggregatorV3Abi } from '../abi/aggregator-v3.ts';
import { ecdsaPpsOracleAbi } from '../abi/ecdsa-pps-oracle.ts';
import { erc20Abi } from '../abi/erc20.ts';
import { superGovernorAbi } from '../abi/super-governor.ts';
import { superVaultAbi } from '../abi/super-vault.ts';
import { superVaultAggregatorAbi } from '../abi/super-vault-aggregator.ts';
import { superVaultEscrowAbi } from '../abi/super-vault-escrow.ts';
import { superVaultStrategyAbi } from '../abi/super-vault-strategy.ts';

/** The contracts whose logs and calls we read. Event names repeat between them, so a log is read by its emitter's kind. */
export type ContractKind =
  | 'aggregator'
  | 'strategy'
  | 'vault'
  | 'escrow'
  | 'oracle'
  | 'governor'
  | 'price_feed'
  | 'token';

/** ABI of each kind. */
export const abiOf: Readonly<Record<ContractKind, Abi>> = {
  aggregator: superVaultAggregatorAbi,
  strategy: superVaultStrategyAbi,
  vault: superVaultAbi,
  escrow: superVaultEscrowAbi,
  oracle: ecdsaPpsOracleAbi,
  governor: superGovernorAbi,
  price_feed: aggregatorV3Abi,
  token: erc20Abi,
};
