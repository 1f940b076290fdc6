import type { Address } from 'viem';

/** What one wallet asked to redeem, as the strategy has it. `least` and `assets`: what may be paid for the shares, base units of the asset. */
export type Redemption = { controller: Address; shares: bigint; assets: bigint; least: bigint; isCancelled: boolean };
