import '../../test/browser.ts';
import { decodeKnownCall } from '@castellan/sdk/calls';
import { describe, expect, test } from '@jest/globals';
import { anAddress } from '../../test/builders.ts';
import { changeOf, everyChange } from '../../test/prepared.ts';
import { shortHex } from '../format/address.ts';
import { changeText, fieldWords, readable, sentenceOf } from './call-text.ts';

const units = { priceDecimals: 6, asset: { decimals: 6, symbol: 'USDC' }, upkeep: { decimals: 18, symbol: 'UP' } };
const sentences = everyChange.flatMap(([, steps]) =>
  steps.map(({ data }) => {
    const decoded = decodeKnownCall(data);
    return decoded === undefined ? '' : sentenceOf(decoded, units);
  }),
);

describe('sentenceOf', () => {
  test('default: every call has a sentence of its own, with figures in units', () => {
    expect(sentences).not.toContain('');
    expect(new Set(sentences).size).toBe(sentences.length);
    expect(sentences.join('\n')).toContain('performance fee of 20.00% and an entry fee of 0.25%');
    expect(sentences.join('\n')).toContain('jump by at most 0.5%');
    expect(sentences.join('\n')).toContain('Switches the deviation guard off');
    expect(sentences.join('\n')).toContain('a price expires after 12 h');
    expect(sentences.join('\n')).toContain('Pays 5 UP into the upkeep');
    expect(sentences.join('\n')).toContain('Removes 2 yield sources');
  });

  test('behavior: a call on yield sources names each, by what is done to it', () => {
    const one = anAddress(0x21);
    const other = anAddress(0x22);
    const decoded = {
      function: 'manageYieldSources' as const,
      args: [
        { name: 'sources', type: 'address[]', value: [one, other] },
        { name: 'oracles', type: 'address[]', value: [anAddress(9), anAddress(9)] },
        { name: 'actionTypes', type: 'uint8[]', value: ['0', '2'] },
      ],
    };
    expect(sentenceOf(decoded, { names: { [one.toLowerCase()]: 'Morpho Prime' } })).toBe(
      `Adds the yield source Morpho Prime (${shortHex(one)}). Removes the yield source ${other}.`,
    );
    expect(readable('actionTypes', '7', {})).toBe('not known');
  });

  test('behavior: an amount without a known token stays base units', () => {
    const [, [, deposit]] = changeOf('deposit_upkeep');
    const decoded = decodeKnownCall(deposit?.data ?? '');
    expect(decoded && sentenceOf(decoded, {})).toContain('5000000000000000000 base units');
  });
});

describe('changes', () => {
  test.each([
    ['performance_fee_bps', 1500, '15.00%'],
    ['deviation_threshold_bps', null, 'off'],
    ['pending_expiration_seconds', 43_200, '12 h'],
    ['effective_at', '2026-01-08T00:00:00Z', '8 Jan 2026, 00:00 UTC'],
    ['upkeep_balance', '1500000000000000000', '1.5 UP'],
    ['allowance', '0', '0 UP'],
    ['pending_upkeep_withdrawal', '1', '0.000000000000000001 UP'],
    ['hwm_pps', '1040000', '1.04'],
    ['role', 'secondary_manager', 'secondary manager'],
    ['secondary_managers', 3, '3'],
    ['total_assets', '1234567', '1.234567 USDC'],
    ['is_paused', true, 'yes'],
    ['recipient', '0x00', '0x00'],
    ['fee_recipient', null, 'none'],
  ])('default: %s %s reads %s', (field, value, text) => {
    expect(changeText(field, value, units)).toBe(text);
  });

  test('behavior: names lose their unit, values of arguments gain theirs', () => {
    expect(fieldWords('performance_fee_bps')).toBe('Performance fee');
    expect(fieldWords('pending_fee_recipient')).toBe('Proposed fee recipient');
    expect(fieldWords('is_paused')).toBe('Paused');
    expect(fieldWords('oracle_of_0xAb')).toBe('Oracle of 0xAb');
    expect(fieldWords(`waiting_shares_of_0x${'ab'.repeat(20)}`)).toBe('Waiting shares of 0xabab…abab');
    expect(fieldWords(`banned_leaf_0x${'ab'.repeat(32)}`)).toBe(`Banned leaf 0x${'ab'.repeat(32)}`);
    expect(changeText('waiting_shares_of_0xAb', '1500000', { share: { decimals: 6, symbol: 'csUSDC' } })).toBe(
      '1.5 csUSDC',
    );
    expect(readable('deviationThreshold_', '5000000000000000', units)).toBe('0.5%');
    expect(readable('managementFeeBps', '25', units)).toBe('0.25%, the entry fee');
    expect(readable('manager', '0x00', units)).toBeUndefined();
  });
});
