import { AppError } from '@castellan/contracts';
import type { CallAction } from '@castellan/service-kit';
import { expect, test } from '@jest/globals';
import { untilRolesAreRead } from './wait-for-roles.ts';

const change = { chain_id: 31337, vault_address: '0x00000000000000000000000000000000000000A1', block_number: 10 };

/** Roles that are answered one after the other: as of a block, or a fault; the last one stays. */
const asking = (...answers: (number | AppError)[]) => {
  const asked: number[] = [];
  let waited = 0;
  const callAction = (async () => {
    const answer = answers[Math.min(asked.length, answers.length - 1)] as number | AppError;
    asked.push(waited);
    if (answer instanceof AppError) throw answer;
    return { block_number: answer };
  }) as unknown as CallAction;
  const wait = async (ms: number) => {
    waited += ms;
  };
  return { asked, read: () => untilRolesAreRead({ callAction, wait }, change) };
};
const away = new AppError('SERVICE_UNAVAILABLE', 'away');

test('default: roles that were read at the block of the change are not asked for again', async () => {
  const { asked, read } = asking(10);
  expect(await read()).toBe(true);
  expect(asked).toEqual([0]);
});

test('behavior: an older reading, and nobody who answers, are asked again a little later', async () => {
  const { asked, read } = asking(9, away, 11);
  expect(await read()).toBe(true);
  expect(asked).toEqual([0, 250, 500]);
});

test('behavior: within five seconds it ends: with what is known, or with the reason why nothing is', async () => {
  const late = asking(9);
  expect(await late.read()).toBe(true);
  const silent = asking(away);
  await expect(silent.read()).rejects.toBe(away);
  for (const { asked } of [late, silent]) expect(asked.at(-1)).toBeLessThan(5000);
});

test.each(['VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND'] as const)('behavior: %s is known at once', async (code) => {
  expect(await asking(new AppError(code, 'gone')).read()).toBe(false);
});
