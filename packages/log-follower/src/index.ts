export { ChainFollower, type Step } from './chain-follower.ts';
export { closedCount, readWholeBlocks, sendersIn, type WholeBlocks } from './whole-blocks.ts';
