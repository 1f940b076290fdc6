export { ChainLease } from './chain-lease.ts';
export { ChainLoop, type Step } from './chain-loop.ts';
export { Sleeper } from './sleeper.ts';
export { closedCount, readWholeBlocks, sendersIn } from './whole-blocks.ts';
