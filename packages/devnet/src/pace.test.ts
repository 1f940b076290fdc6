import { decodeOffchainConfig, timingPresets } from '@castellan/chain';
import { expect, test } from '@jest/globals';
import { priceIntervalOf } from './pace.ts';
import { devnetValidatorConfig, validatorConfigFor } from './validators.ts';

const of = (text: string) => priceIntervalOf({ DEVNET_PRICE_INTERVAL_SECONDS: text });

test('default: a price a minute, with the rounds that a person watches', () => {
  expect([priceIntervalOf({}), of(''), of('10')]).toEqual([60, 60, 10]);
  const { timing, pricing } = decodeOffchainConfig(devnetValidatorConfig.offchainConfig);
  expect([timing, pricing.heartbeatSeconds]).toEqual([{ ...timingPresets.dev, stages: [1, 1, 2] }, 60]);
});

test('behavior: with less time between prices rounds are shorter, too', () => {
  const { timing, pricing } = decodeOffchainConfig(validatorConfigFor(10).offchainConfig);
  expect([timing, pricing.heartbeatSeconds]).toEqual([{ ...timingPresets.quick, stages: [1, 1, 2] }, 10]);
  expect(decodeOffchainConfig(validatorConfigFor(600).offchainConfig).timing.deltaRound).toBe(
    timingPresets.dev.deltaRound,
  );
});

test.each(['4', '1801', '10s', '1e2', '-10', '7.5'])(
  'error: an interval of "%s" is refused with what is allowed',
  (text) => {
    expect(() => of(text)).toThrow(
      `DEVNET_PRICE_INTERVAL_SECONDS must be a whole number from 5 to 1800, not "${text}".`,
    );
  },
);
