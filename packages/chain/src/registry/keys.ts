import { type Hex, keccak256, toBytes } from 'viem';

const idOf = (name: string): Hex => keccak256(toBytes(name));

/** Keys of `governor.getAddress`: keccak256 of the name. */
export const registryKeys = {
  aggregator: idOf('SUPER_VAULT_AGGREGATOR'),
  upkeepToken: idOf('UPKEEP_TOKEN'),
  bank: idOf('SUPER_BANK'),
  oracle: idOf('SUPER_ORACLE'),
  treasury: idOf('TREASURY'),
  up: idOf('UP'),
} as const;

/** Role ids of the governor's access control: keccak256 of the name. */
export const governorRoles = {
  superGovernor: idOf('SUPER_GOVERNOR_ROLE'),
  governor: idOf('GOVERNOR_ROLE'),
  guardian: idOf('GUARDIAN_ROLE'),
  bankManager: idOf('BANK_MANAGER_ROLE'),
  gasManager: idOf('GAS_MANAGER_ROLE'),
  oracleManager: idOf('ORACLE_MANAGER_ROLE'),
} as const;
