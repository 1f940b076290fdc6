export { account, addressOf, cast, mnemonic } from './accounts.ts';
export { type Deployment, type Devnet, type DevnetOptions, startDevnet } from './devnet.ts';
export { runKeeper } from './keeper.ts';
