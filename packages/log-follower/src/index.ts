export { ChainFollower, type Step } from './chain-follower.ts';
export { closedCount, readWholeBlocks, sendersIn } from './whole-blocks.ts';
