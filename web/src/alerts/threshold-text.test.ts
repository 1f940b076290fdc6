import '../../test/browser.ts';
import { describe, expect, test } from '@jest/globals';
import { readThreshold, showThreshold, thresholdFault, thresholdLabel } from './threshold-text.ts';

describe('a threshold', () => {
  test.each([
    ['remaining_share', 0.5, '50', 'Time left until expiry (%)'],
    ['remaining_share', 0.07, '7', 'Time left until expiry (%)'],
    ['guard_share', 1, '100', 'Share of the guard (%)'],
    ['success_rate', 0.955, '95.5', 'Lowest success rate (%)'],
    ['success_rate', 1e-7, '0.00001', 'Lowest success rate (%)'],
    ['waiting_seconds', 3_600, '1', 'Longest wait (hours)'],
    ['waiting_seconds', 5_400, '1.5', 'Longest wait (hours)'],
    ['waiting_seconds', 601, '0.16694', 'Longest wait (hours)'],
    ['oldest_seconds', 259_200, '3', 'Longest wait (days)'],
    ['runway_seconds', 604_801, '7.00001', 'Lowest runway (days)'],
    ['balance_wei', 5e16, '0.05', 'Lowest balance (ETH)'],
    ['balance_wei', 1, '0.000000000000000001', 'Lowest balance (ETH)'],
    ['balance_wei', 1_234_567_890_000_000_000_000, '1234.56789', 'Lowest balance (ETH)'],
    ['balance_wei', 1e30, '1000000000000', 'Lowest balance (ETH)'],
    ['pending_requests', 10, '10', 'Most that may wait'],
    ['pending_requests', 1e21, '1000000000000000000000', 'Most that may wait'],
    ['min_attempts', 5, '5', 'Fewest attempts to judge by'],
    ['something_new', 0.25, '0.25', 'something_new'],
  ])('default: %s of %d is shown as %s and read back', (name, value, text, label) => {
    expect(thresholdLabel(name, 'ETH')).toBe(label);
    expect(showThreshold(name, value)).toBe(text);
    expect(thresholdFault(name, text)).toBeUndefined();
    expect(readThreshold(name, ` ${text} `)).toBe(value);
  });

  test('behavior: the balance is in the coin of the chain', () => {
    expect(thresholdLabel('balance_wei', 'POL')).toBe('Lowest balance (POL)');
  });

  test.each([
    ['remaining_share', '100.1', 'A number, 0 to 100'],
    ['success_rate', '', 'A number, 0 to 100'],
    ['guard_share', '-1', 'A number, 0 to 100'],
    ['pending_requests', '-1', 'A number, 0 or more'],
    ['oldest_seconds', 'soon', 'A number, 0 or more'],
    ['balance_wei', '5e16', 'A number, 0 or more'],
    ['balance_wei', '0x10', 'A number, 0 or more'],
    ['balance_wei', '1000000000001', 'Too large'],
  ])('error: %s of "%s" is refused: %s', (name, text, fault) => {
    expect(thresholdFault(name, text)).toBe(fault);
  });
});
