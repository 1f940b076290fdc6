import { AppError } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import { exportJWK, generateKeyPair } from 'jose';
import { busKeySet } from './issuers.ts';

const jwkOf = async (kid: string) => {
  const { publicKey } = await generateKeyPair('ES256', { extractable: true });
  return { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' };
};
const old = await jwkOf('old');
const next = await jwkOf('next');

/** A key set over a provider whose keys a test changes, and a clock of its own. */
function scene() {
  const world = { keys: [old], now: 1_000_000, asked: 0, isAway: false };
  const load = async () => {
    world.asked += 1;
    if (world.isAway) throw new AppError('SERVICE_UNAVAILABLE', 'away');
    return { keys: world.keys };
  };
  const getKey = busKeySet(load, () => world.now);
  const has = (kid: string) =>
    Promise.resolve(getKey({ alg: 'ES256', kid }, { payload: '', signature: '' })).then(
      () => true,
      ({ code }: { code: string }) => code,
    );
  return { world, has };
}

test('default: keys are asked for once, and again for one that is not known, with a pause', async () => {
  const { world, has } = scene();
  expect([await has('old'), await has('old'), world.asked]).toEqual([true, true, 1]);
  world.keys = [next, old];
  expect(await has('next')).toBe('ERR_JWKS_NO_MATCHING_KEY');
  world.now += 2_000;
  expect([await has('next'), await has('old'), world.asked]).toEqual([true, true, 2]);
});

test('behavior: a key that was retired is forgotten within ten minutes, though no unknown one is named', async () => {
  const { world, has } = scene();
  await has('old');
  world.keys = [next];
  world.now += 599_000;
  expect(await has('old')).toBe(true);
  world.now += 1_000;
  expect([await has('old'), await has('next')]).toEqual(['ERR_JWKS_NO_MATCHING_KEY', true]);
});

test('behavior: while the provider is away the keys that are known stay', async () => {
  const { world, has } = scene();
  await has('old');
  world.isAway = true;
  world.now += 600_000;
  expect(await has('old')).toBe(true);
});
