import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Address, encodeAbiParameters, type Hex, keccak256, numberToHex, pad } from 'viem';
import { argsOf, type Contract, type Protocol, person, setUp, TestChain, who } from './test-chain.ts';

/** The published vectors of the digest and of a hook leaf, checked by the contracts themselves. */

const update = {
  strategy: '0xa16E02E87b7454126E5E10d957A927A7F5B5d2be' as Address,
  pps: 1_050_000n,
  timestamp: 1_767_225_600n,
  proofs: [
    '0x2e014ecfe800c1d37fd9170114753c89bb60ae33cf8bf0007ec32f3689ccc3da7eb85011841ef18905bbfc05eee8ddc0b8ee194f955bbbe98c41505a3aa9165c1b',
    '0x3a3903e6560c318674372bbb84c241d60f165c01381f5ed32d387a76945978465a23cfcf93fb85954dce4377bea4fb36c69c505c45dcdd44daac9897a576cd061b',
    '0x8bbf830f7a7b35271a0b2a6d7ab57661285ab8ace871ae689c1becab442c74c6592f5bc8ca1f7bde5ad245eff0d4bbfac687aefd2ebbee3b98beb20b97af6f241c',
  ] as Hex[],
};

let chain: TestChain;
let oracle: Contract;
let protocol: Protocol;

beforeAll(async () => {
  chain = await TestChain.start();
  // The vector's oracle is the first contract of account 0; its governor follows.
  const governorToBe = '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512';
  oracle = await chain.deploy('DevPPSOracle', [governorToBe, 'ECDSAPPSOracle', '1.0']);
  const governor = await chain.deploy('DevGovernor', [who.deployer]);
  expect([oracle.address, governor.address]).toEqual(['0x5FbDB2315678afecb367f032d93F642f64180aa3', governorToBe]);
  const validators = [0, 1, 2].map((index) => person(index).address);
  await chain.send(who.deployer, governor, 'setValidatorConfig', [1n, validators, ['0x', '0x', '0x'], 3n, '0x']);
  const slot = keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [update.strategy, 2n]));
  await chain.client.setStorageAt({ address: oracle.address, index: slot, value: pad(numberToHex(7n), { size: 32 }) });
  protocol = await setUp(chain);
});
afterAll(async () => chain.stop());

test('default: the published domain, type hash and signatures are the contract’s', async () => {
  expect(await chain.read(oracle, 'noncePerStrategy', [update.strategy])).toBe(7n);
  expect(await chain.read(oracle, 'domainSeparator')).toBe(
    '0x8d25cb801bed06d5a3fc4e1f078e7cb6f80beaa17df61a14d537eef98268f403',
  );
  expect(await chain.read(oracle, 'UPDATE_PPS_TYPEHASH')).toBe(
    '0x57b2fc355d4daf7abe8978f86dc5fa027db46be6e45c6be724cd25db77768c14',
  );
  expect(await chain.read(oracle, 'eip712Domain')).toEqual([
    '0x0f',
    'ECDSAPPSOracle',
    '1.0',
    31_337n,
    oracle.address,
    pad('0x', { size: 32 }),
    [],
  ]);
  expect(await chain.attempt(who.stranger, oracle, 'validateProofs', [update])).toBe('ok');
  const other = { ...update, timestamp: update.timestamp + 1n };
  expect(await chain.attempt(who.stranger, oracle, 'validateProofs', [other])).toBe('INVALID_VALIDATOR');
});

test('default: the published leaf proves the published hook and arguments', async () => {
  const { aggregator, strategy } = protocol;
  const leaf = '0x5856653420c4869ab8e87e6dded012be1f8ae58c22f0308aa19b1275a125b993';
  await chain.send(who.main, aggregator, 'proposeStrategyHooksRoot', [strategy.address, leaf]);
  await chain.pass(15 * 60);
  await chain.send(who.stranger, aggregator, 'executeStrategyHooksRootUpdate', [strategy.address]);
  const hook = {
    hookAddress: '0xba687c9D5113a3B2692fd87b0F389dD5fF402808',
    hookArgs: argsOf('0x1111111111111111111111111111111111111111', '0x2222222222222222222222222222222222222222'),
    globalProof: [],
    strategyProof: [],
  };
  expect(await chain.read(aggregator, 'validateHook', [strategy.address, hook])).toBe(true);
  const another = { ...hook, hookAddress: who.stranger };
  const grown = { ...hook, strategyProof: [leaf] };
  expect(await chain.read(aggregator, 'validateHooks', [strategy.address, [hook, another, grown]])).toEqual([
    true,
    false,
    false,
  ]);
});
