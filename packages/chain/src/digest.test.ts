import { runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { encodePacked, type Hex, hashTypedData, keccak256, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { hookLeaf, hookTree, verifyHookProof } from './hook-tree.ts';
import { ppsDomainSeparator, UPDATE_PPS_TYPEHASH, updatePpsDigest, updatePpsStructHash } from './pps-digest.ts';
import { governorRoles, registryKeys } from './registry/keys.ts';

const domain = {
  name: 'ECDSAPPSOracle',
  version: '1.0',
  chainId: 31_337n,
  verifyingContract: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
} as const;
const update = {
  strategy: '0xa16E02E87b7454126E5E10d957A927A7F5B5d2be',
  pps: 1_050_000n,
  timestamp: 1_767_225_600n,
  nonce: 7n,
} as const;
const digest = '0xadd69a20af2e2170b3015559a55cb59dcd0ebe0c2d50f31a2af4c742aa3a792a';

describe('updatePpsDigest', () => {
  test('default: the published vector', () => {
    expect(UPDATE_PPS_TYPEHASH).toBe('0x57b2fc355d4daf7abe8978f86dc5fa027db46be6e45c6be724cd25db77768c14');
    expect(ppsDomainSeparator(domain)).toBe('0x8d25cb801bed06d5a3fc4e1f078e7cb6f80beaa17df61a14d537eef98268f403');
    expect(updatePpsStructHash(update)).toBe('0xc39ad8f4ab073655cd833f066eea5e4a102ad7c583268ce24ca0be16588d367b');
    expect(updatePpsDigest({ ...update, domain })).toBe(digest);
    expect(updatePpsDigest({ ...update, domainSeparator: ppsDomainSeparator(domain) })).toBe(digest);
  });

  test('behavior: a wallet that pads the address signs something else', () => {
    const types = {
      UpdatePPS: [
        { name: 'strategy', type: 'address' },
        { name: 'pps', type: 'uint256' },
        { name: 'timestamp', type: 'uint256' },
        { name: 'strategyNonce', type: 'uint256' },
      ],
    };
    const message = {
      strategy: update.strategy,
      pps: update.pps,
      timestamp: update.timestamp,
      strategyNonce: update.nonce,
    };
    expect(hashTypedData({ domain, types, primaryType: 'UpdatePPS', message })).toBe(
      '0x7a413ed34691b3b70e5e4be5cf440eb11168c5e7faacc51b4d349ac3de623ef1',
    );
  });

  test('default: a raw-key signature over it is the published one', async () => {
    const account = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
    expect(account.address).toBe('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266');
    expect(await account.sign({ hash: digest })).toBe(
      '0x8bbf830f7a7b35271a0b2a6d7ab57661285ab8ace871ae689c1becab442c74c6592f5bc8ca1f7bde5ad245eff0d4bbfac687aefd2ebbee3b98beb20b97af6f241c',
    );
  });
});

describe('hooks', () => {
  const args = encodePacked(
    ['address', 'address'],
    ['0x1111111111111111111111111111111111111111', '0x2222222222222222222222222222222222222222'],
  );
  const leaf = hookLeaf('0xba687c9D5113a3B2692fd87b0F389dD5fF402808', args);

  test('default: the published leaf', () => {
    expect(leaf).toBe('0x5856653420c4869ab8e87e6dded012be1f8ae58c22f0308aa19b1275a125b993');
  });

  test('behavior: one leaf is its own root with an empty proof', () => {
    const tree = hookTree([leaf]);
    expect([tree.root, tree.proofOf(leaf)]).toEqual([leaf, []]);
  });

  test('behavior: every leaf of any tree is proven, and nothing else is', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 1_000 }), { minLength: 1, maxLength: 17 }), (seeds) => {
        const leaves = seeds.map((seed): Hex => keccak256(toHex(seed)));
        const tree = hookTree(leaves);
        for (const item of leaves) expect(verifyHookProof(item, tree.proofOf(item), tree.root)).toBe(true);
        expect(verifyHookProof(leaf, tree.proofOf(leaves[0] ?? leaf), tree.root)).toBe(false);
      }),
      runs(125),
    );
  });

  test('error: no leaves, or a foreign leaf', () => {
    expect(() => hookTree([])).toThrow(RangeError);
    expect(() => hookTree([keccak256('0x01')]).proofOf(leaf)).toThrow(RangeError);
  });
});

test('default: registry keys and roles are the published ids', () => {
  expect(registryKeys).toMatchObject({
    aggregator: '0x8e28a5743fae4fd410640cf08d6397e5a9f93fa166f00abff1df87d842b30928',
    upkeepToken: '0xcb52670d2ae130ffd87c5d38911d877667ba2fbfbee37d879faade4f4848aea7',
    bank: '0xc544fbaa7b4057e5c1d97a73d1b1ddbc994fedcc3db79cee7185cf0584af8b51',
    oracle: '0xa250b26a989142b18839ac243bc5322a67be795b1255e91f64802e3b601bc7fa',
    treasury: '0x06aa03964db1f7257357ef09714a5f0ca3633723df419e97015e0c7a3e83edb7',
    up: '0x4e032641b2359d2aee4735b258178cf8694c625beddec1e44ff8ca4e2cf01ccc',
  });
  expect(governorRoles).toMatchObject({
    superGovernor: '0xc0ee60805b8bd4d4959485089d4c7d3c591c8a613b4b48cd7c138db075c78a85',
    governor: '0x7935bd0ae54bc31f548c14dba4d37c5c64b3f8ca900cb468fb8abd54d5894f55',
    guardian: '0x55435dd261a4b9b3364963f7738a7a662ad9c84396d64be3365284bb7f0a5041',
    bankManager: '0x2d95a8186db49da8bd2356c70cf02038f7de0d6ed39f6766fe2d93d5e7785616',
    gasManager: '0x7d9b2fa622503631789179fcce46c450834f843fc10ad6b34135e9b867c799a8',
    oracleManager: '0xced6982f480260bdd8ad5cb18ff2854f0306d78d904ad6cc107e8f3a0f526c18',
  });
});
