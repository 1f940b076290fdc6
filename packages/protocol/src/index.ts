export { type Anvil, AnvilExitedError, type AnvilOptions, anvilVersion, findAnvil, startAnvil } from './anvil.ts';
export { cacheFolder, chainKey } from './cache-folder.ts';
export { type Artifact, type Artifacts, type ContractName, contractArtifacts, contractNames } from './compile.ts';
export { type Core, type CoreSettings, type DeployedVault, deployContract, deployCore, type Sender } from './deploy.ts';
export { devWallet, mnemonic } from './dev-wallets.ts';
export { whileLocked } from './file-lock.ts';
