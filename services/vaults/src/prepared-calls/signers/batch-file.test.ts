import { anAddress } from '@castellan/testkit';
import { expect, test } from '@jest/globals';
import type { Address } from 'viem';
import { type BatchFile, batchChecksum, batchFile } from './batch-file.ts';

const account = '0x49d4450977E2c95362C13D3a31a09311E0Ea26A6';

test("behavior: the checksum is the transaction builder's own, of its own example", () => {
  const method = (type: string, name: string) => ({
    inputs: [{ internalType: type, name: `param${name}`, type }],
    name: `test${name}`,
    payable: false,
  });
  const example: BatchFile = {
    version: '1.0',
    chainId: '4',
    createdAt: 1646321521061,
    meta: {
      name: 'test batch file',
      txBuilderVersion: '1.4.0',
      checksum: '',
      createdFromSafeAddress: '0xDF8a1Ce35c9a6ACE153B4e0767942f1E2291a1Aa',
      createdFromOwnerAddress: account,
    } as BatchFile['meta'],
    transactions: [
      {
        to: account,
        value: '0',
        contractMethod: method('address', 'Address'),
        contractInputsValues: { paramAddress: account },
      },
      {
        to: account,
        value: '0',
        contractMethod: method('bool', 'Bool'),
        contractInputsValues: { paramAddress: '', paramBool: 'false' },
      },
      {
        to: account,
        value: '2000000000000000000',
        data: '0x42f4579000000000000000000000000049d4450977e2c95362c13d3a31a09311e0ea26a6',
      },
    ],
  };
  expect(batchChecksum(example)).toBe('0x4ecbfd364aa6759983915644e73f8bd411e85a2dc306f252a387c2728c4db64c');
});

test('behavior: a file checks out without its checksum, whatever it is named, and no longer with another call', () => {
  const call = { to: anAddress(1) as Address, data: '0x1234' as const };
  const file = batchFile({ chainId: 1, safe: anAddress(2) as Address, call, description: 'Pause.', createdAt: 5 });
  const { checksum, ...meta } = file.meta;
  expect(file.transactions).toEqual([
    { to: call.to, value: '0', data: '0x1234', contractMethod: null, contractInputsValues: null },
  ]);
  expect(batchChecksum({ ...file, meta: { ...meta, name: 'Another' } })).toBe(checksum);
  expect(batchChecksum({ ...file, meta, transactions: [{ ...file.transactions[0], data: '0x1235' }] })).not.toBe(
    checksum,
  );
});
