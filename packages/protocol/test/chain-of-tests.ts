import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import type { Hex } from 'viem';
import { type Protocol, setUp, TestChain } from './test-chain.ts';

/** A chain with the protocol for the tests of one file, each of which begins with it as it was set up. */
export function chainOfTests(take: (chain: TestChain, protocol: Protocol) => void): void {
  let chain: TestChain | undefined;
  let snapshot: Hex;
  beforeAll(async () => {
    chain = await TestChain.start();
    take(chain, await setUp(chain));
  });
  beforeEach(async () => {
    if (chain) snapshot = await chain.client.snapshot();
  });
  afterEach(async () => {
    await chain?.client.revert({ id: snapshot });
  });
  afterAll(async () => chain?.stop());
}
