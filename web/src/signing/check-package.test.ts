import '../../test/browser.ts';
import type { PreparedCall } from '@castellan/contracts';
import { checkPackage, safeHashes, timelockSignatures } from '@castellan/sdk/calls';
import { describe, expect, test } from '@jest/globals';
import {
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  parseAbi,
  parseAbiParameters,
  toHex,
} from 'viem';
import { anAddress } from '../../test/builders.ts';
import { aPreparedCall, callOf, manager, strategy } from '../../test/prepared.ts';

type Package = NonNullable<PreparedCall['signer']['package']>;
type Safe = Extract<Package, { kind: 'safe' }>;
type Timelock = Extract<Package, { kind: 'timelock' }>;

const holder = anAddress(0x50);
const zero = `0x${'0'.repeat(40)}`;
const call = aPreparedCall();

function aSafe(over: Record<string, unknown> = {}, parts: Partial<Safe> = {}): Safe {
  const safe_tx = {
    to: call.to,
    value: '0',
    data: call.data,
    operation: 0,
    safeTxGas: '0',
    baseGas: '0',
    gasPrice: '0',
    gasToken: zero,
    refundReceiver: zero,
    nonce: 4,
    ...over,
  };
  const batch = { chainId: '31337', transactions: [{ to: call.to, data: call.data, value: '0' }] };
  const safe: Safe = {
    kind: 'safe',
    safe_address: holder,
    version: '1.4.1',
    threshold: 2,
    owners: [manager],
    nonce: 4,
    safe_tx_hash: '0x',
    domain_hash: '0x',
    message_hash: '0x',
    safe_tx,
    batch,
  };
  const hashes = safeHashes(31337, safe);
  const answer = {
    safe_tx_hash: hashes.transaction,
    domain_hash: hashes.domain,
    message_hash: hashes.message,
  };
  return { ...safe, ...answer, ...parts };
}

const problems = (wrapped: Package, kind: 'safe' | 'timelock' = 'safe') =>
  checkPackage({ ...call, signer: { wallet_address: holder, kind, package: wrapped } });
const otherData = callOf('addSecondaryManager', { strategy, manager: anAddress(0x21) }).data;

describe('package of a Safe', () => {
  test('default: its hash to sign is computed here and agrees', () => {
    expect(problems(aSafe())).toEqual([]);
  });

  test('behavior: the hashes are those of Safe 1.4.1 itself', () => {
    // From the EIP-712 types of the Safe contracts, not from our own encoding.
    const domainType = keccak256(toHex('EIP712Domain(uint256 chainId,address verifyingContract)'));
    const domain = keccak256(
      encodeAbiParameters(parseAbiParameters('bytes32, uint256, address'), [domainType, 31337n, holder as Hex]),
    );
    expect(aSafe().domain_hash).toBe(domain);
    const txType = '0xbb8310d486368db6bd6f849402fdd73ad53d316b5a4b2644ad6efe0f941286d8';
    const message = keccak256(
      encodeAbiParameters(
        parseAbiParameters(
          'bytes32, address, uint256, bytes32, uint8, uint256, uint256, uint256, address, address, uint256',
        ),
        [txType, call.to as Hex, 0n, keccak256(call.data as Hex), 0, 0n, 0n, 0n, zero as Hex, zero as Hex, 4n],
      ),
    );
    expect(aSafe().message_hash).toBe(message);
    expect(aSafe().safe_tx_hash).toBe(keccak256(`0x1901${domain.slice(2)}${message.slice(2)}`));
  });

  test.each<[string, Safe]>([
    ['another call', aSafe({ data: otherData })],
    ['another target', aSafe({ to: manager })],
    ['a delegate call', aSafe({ operation: 1 })],
    ['a refund', aSafe({ gasPrice: '1', refundReceiver: manager })],
    ['another nonce', aSafe({ nonce: 5 })],
    ['another hash', aSafe({}, { safe_tx_hash: `0x${'11'.repeat(32)}` })],
    ['another Safe', aSafe({}, { safe_address: manager })],
    ['a field missing', aSafe({}, { safe_tx: {} })],
    [
      'a file with another call',
      aSafe({}, { batch: { chainId: '31337', transactions: [{ to: call.to, data: otherData, value: '0' }] } }),
    ],
    [
      'a file with a second call',
      aSafe(
        {},
        {
          batch: {
            chainId: '31337',
            transactions: [
              { to: call.to, data: call.data, value: '0' },
              { to: call.to, data: otherData, value: '0' },
            ],
          },
        },
      ),
    ],
  ])('behavior: %s is a problem', (_, safe) => {
    expect(problems(safe)).not.toEqual([]);
  });
});

function aTimelock(data: string = call.data, parts: Partial<Timelock> = {}): Timelock {
  const predecessor: Hex = `0x${'00'.repeat(32)}`;
  const salt: Hex = `0x${'22'.repeat(32)}`;
  const to = call.to as Hex;
  const carried = [to, 0n, data as Hex, predecessor, salt] as const;
  return {
    kind: 'timelock',
    timelock_address: holder,
    min_delay_seconds: 86_400,
    operation_id: keccak256(
      encodeAbiParameters(parseAbiParameters('address, uint256, bytes, bytes32, bytes32'), [...carried]),
    ),
    predecessor,
    salt,
    schedule: {
      to: holder,
      value: '0',
      data: encodeFunctionData({
        abi: parseAbi(timelockSignatures),
        functionName: 'schedule',
        args: [...carried, 86_400n],
      }),
    },
    execute: {
      to: holder,
      value: '0',
      data: encodeFunctionData({ abi: parseAbi(timelockSignatures), functionName: 'execute', args: [...carried] }),
    },
    ...parts,
  };
}

describe('package of a timelock', () => {
  test('default: both calls carry the change', () => {
    expect(problems(aTimelock(), 'timelock')).toEqual([]);
  });

  test.each<[string, Timelock]>([
    ['another call', aTimelock(otherData)],
    ['a shorter delay than the least', aTimelock(call.data, { min_delay_seconds: 86_401 })],
    ['another id', aTimelock(call.data, { operation_id: `0x${'11'.repeat(32)}` })],
    ['the two calls exchanged', aTimelock(call.data, { schedule: aTimelock().execute })],
    ['another timelock', aTimelock(call.data, { timelock_address: manager })],
  ])('behavior: %s is a problem', (_, lock) => {
    expect(problems(lock, 'timelock')).not.toEqual([]);
  });
});
