import type { NodeKeys } from '../keys/bundle.ts';
import type { NodeEvent } from '../monitoring/events.ts';

/** The same keys, reporting how long each signature took: a slow key server shows here first. */
export function timedKeys(keys: NodeKeys, emit: (event: NodeEvent) => void, now: () => number): NodeKeys {
  const timed =
    <A, R>(kind: 'onchain' | 'offchain', sign: (input: A) => Promise<R>) =>
    async (input: A): Promise<R> => {
      const started = now();
      const done = (result: 'success' | 'error') =>
        emit({ type: 'signed', kind, result, seconds: (now() - started) / 1_000 });
      try {
        const signature = await sign(input);
        done('success');
        return signature;
      } catch (error) {
        done('error');
        throw error;
      }
    };
  return {
    ...keys,
    offchain: { ...keys.offchain, sign: timed('offchain', keys.offchain.sign) },
    onchain: { ...keys.onchain, signKeccak256: timed('onchain', keys.onchain.signKeccak256) },
  };
}
