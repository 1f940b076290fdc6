import { createLogger } from '@castellan/service-kit';
import { expect, test } from '@jest/globals';
import { createScheduler } from '../../test/simulation/kit/scheduler.ts';
import { ChainRuntime, type ChainRuntimeOptions } from './chain-runtime.ts';

test('error: a chain that does not answer gives a report back after ocr2.transmit_timeout', async () => {
  const scheduler = createScheduler();
  const address = '0x0000000000000000000000000000000000000001';
  const chain = new ChainRuntime({
    entry: {
      ...{ name: 'l', chain_id: 1, https_rpc: ['http://127.0.0.1:1'], block_time: 1_000 },
      ...{ super_governor_address: address, ecdsa_oracle_address: address },
    },
    config: { ocr2: { blockchain_timeout: 1_000, transmit_timeout: 7_000 } },
    clock: scheduler,
    log: createLogger({ service: 'test', level: 'silent' }),
  } as unknown as ChainRuntimeOptions);
  let failure: unknown;
  const submitted = chain.submit('key', [], { epoch: 1, round: 1, digest: '0x' }).catch((error: unknown) => {
    failure = error;
  });
  await scheduler.run({ until: () => failure !== undefined, before: 6_999 });
  expect(failure).toBeUndefined();
  await scheduler.run({ until: () => failure !== undefined, before: 7_000 });
  await submitted;
  expect(failure).toMatchObject({ message: expect.stringContaining('in time') });
});
