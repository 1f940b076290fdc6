import { registryKeys } from '@castellan/chain';
import { type Abi, type Address, encodeDeployData, encodeFunctionData, getContractAddress, type Hex } from 'viem';
import type { Artifacts, ContractName } from './compile.ts';

/**
 * How deployment sends: one call, its receipt awaited by the implementation. `to` undefined deploys.
 * The address of a new contract follows from the sender's nonce, so it is known before it is mined.
 */
export type Sender = {
  readonly from: Address;
  nextNonce(): number;
  send(call: { to?: Address; data: Hex }): Promise<void>;
};

/** Addresses of the singletons. */
export type Core = {
  readonly governor: Address;
  readonly aggregator: Address;
  readonly ppsOracle: Address;
  readonly upkeepToken: Address;
  readonly yieldSourceOracle: Address;
  readonly depositHook: Address;
  readonly redeemHook: Address;
};

/** One vault and what belongs to it. */
export type DeployedVault = { vault: Address; strategy: Address; escrow: Address };

/** Deploys one contract of this package. @returns its address. */
export async function deployContract(
  sender: Sender,
  artifacts: Artifacts,
  name: ContractName,
  args: readonly unknown[] = [],
): Promise<Address> {
  const { abi, bytecode } = artifacts[name];
  const address = getContractAddress({ from: sender.from, nonce: BigInt(sender.nextNonce()) });
  await sender.send({ data: encodeDeployData({ abi: abi as Abi, bytecode, args: [...args] }) });
  return address;
}

/** What the core is set up with. Gas per entry times the governor's rate is the upkeep of one price update. */
export type CoreSettings = {
  bank: Address;
  treasury: Address;
  validators: readonly Address[];
  validatorPublicKeys: readonly Hex[];
  quorum: bigint;
  offchainConfig: Hex;
  gasPerEntry: bigint;
};

/** Deploys the singletons and registers them with each other, in the order in which a chain is brought up. */
export async function deployCore(sender: Sender, artifacts: Artifacts, settings: CoreSettings): Promise<Core> {
  const deploy = (name: ContractName, args: readonly unknown[] = []) => deployContract(sender, artifacts, name, args);
  const upkeepToken = await deploy('DevToken', ['Upkeep', 'UP', 18]);
  const governor = await deploy('DevGovernor', [sender.from]);
  const vault = await deploy('DevVault', [governor]);
  const strategy = await deploy('DevStrategy', [governor]);
  const escrow = await deploy('DevEscrow');
  const aggregator = await deploy('DevAggregator', [governor, vault, strategy, escrow]);
  const ppsOracle = await deploy('DevPPSOracle', [governor, 'ECDSAPPSOracle', '1.0']);
  const depositHook = await deploy('DevDepositHook');
  const redeemHook = await deploy('DevRedeemHook');
  const yieldSourceOracle = await deploy('DevYieldSourceOracle');
  const govern = (functionName: string, args: readonly unknown[]) =>
    sender.send({
      to: governor,
      data: encodeFunctionData({ abi: artifacts.DevGovernor.abi, functionName, args: [...args] }),
    });
  await govern('setAddress', [registryKeys.aggregator, aggregator]);
  await govern('setAddress', [registryKeys.upkeepToken, upkeepToken]);
  await govern('setAddress', [registryKeys.bank, settings.bank]);
  await govern('setAddress', [registryKeys.treasury, settings.treasury]);
  await govern('setActivePPSOracle', [ppsOracle]);
  await govern('setValidatorConfig', [
    1n,
    settings.validators,
    settings.validatorPublicKeys,
    settings.quorum,
    settings.offchainConfig,
  ]);
  await govern('setGasInfo', [ppsOracle, settings.gasPerEntry]);
  await govern('registerHook', [depositHook]);
  await govern('registerHook', [redeemHook]);
  return { governor, aggregator, ppsOracle, upkeepToken, yieldSourceOracle, depositHook, redeemHook };
}
