export { account, addressOf, cast, mnemonic } from './accounts.ts';
export type { Deployment } from './deployment.ts';
export { type Devnet, type DevnetOptions, startDevnet } from './devnet.ts';
export { type KeeperOptions, runKeeper } from './keeper.ts';
export { type DevnetNetwork, devnetNetworkOf, devnetNetworks } from './networks.ts';
export { defaultPriceIntervalSeconds, priceIntervalOf } from './pace.ts';
export { type Random, seededRandom } from './random.ts';
export {
  type DevnetValidator,
  devnetOffchainConfig,
  devnetQuorum,
  devnetValidatorConfig,
  devnetValidators,
} from './validators.ts';
export type { Source, VaultWorld, World } from './world.ts';
