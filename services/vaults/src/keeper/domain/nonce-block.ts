/** Full nodes keep the state of 128 blocks, and a nonce is state. With what callers go back further, it stays above that. */
const DEEPEST_STATE = 64;

/**
 * The block up to which used nonces count as used for good: as deep as the chain's confirmations, where every node still knows it.
 * @param confirmations - Blocks after which a block stays; 300 on Base.
 */
export const nonceBlock = (head: number, confirmations: number): number =>
  head - Math.min(confirmations, DEEPEST_STATE) + 1;
