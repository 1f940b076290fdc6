export { ChainLease } from './chain-lease.ts';
export { ChainLoop, type Step } from './chain-loop.ts';
export { closedCount, readWholeBlocks, sendersIn } from './whole-blocks.ts';
