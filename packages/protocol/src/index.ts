export { type Anvil, AnvilExitedError, type AnvilOptions, findAnvil, startAnvil } from './anvil.ts';
export { type Artifact, type Artifacts, type ContractName, compileContracts, contractNames } from './compile.ts';
export { type Core, type CoreSettings, type DeployedVault, deployContract, deployCore, type Sender } from './deploy.ts';
