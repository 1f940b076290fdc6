import '../../test/browser.ts';
import { expect, test } from '@jest/globals';
import { anAddress, aVault } from '../../test/builders.ts';
import { allocation, reward, source } from '../../test/strategies.ts';
import { shortHex } from '../format/address.ts';
import { chosenName, sizeText, sourceBlockLabel } from './editor/blocks/block-words.ts';
import { newDraft, rewardIn } from './editor/draft.ts';
import { rewardOf, targetText } from './rewards.ts';

const vault = aVault({ allocation });
const pool = reward.pool ?? '';
const text = (action: string, target: string, from: string | null, rewards = [reward]) =>
  targetText(vault, { action, target, from }, rewards);

test('default: what an action is about, in words', () => {
  expect(text('CLAIM', reward.distributor.toLowerCase(), null)).toBe('PRIME of Morpho Prime');
  expect(text('SWAP', pool, reward.token)).toBe('PRIME → USDC');
  expect(text('REBALANCE', source, anAddress(9))).toBe(`${shortHex(anAddress(9))} → Morpho Prime`);
  // What it takes from is of no meaning to the others.
  expect(text('DEPOSIT', source, anAddress(9))).toBe('Morpho Prime');
});

test('behavior: without a name there are addresses', () => {
  expect(text('CLAIM', reward.distributor, null, [])).toBe(`Rewards from ${shortHex(reward.distributor)}`);
  expect(text('SWAP', pool, reward.token, [])).toBe(`${shortHex(reward.token)} → USDC`);
  expect(text('CLAIM', reward.distributor, null, [{ ...reward, symbol: null }])).toBe(
    `${shortHex(reward.token)} of Morpho Prime`,
  );
});

test('behavior: a swap is of its pool and its token, both', () => {
  const swap = { action: 'SWAP', target: pool, from: reward.token };
  expect(rewardOf([reward], swap)).toBe(reward);
  for (const over of [{ target: source }, { from: source }, { from: null }])
    expect(rewardOf([reward], { ...swap, ...over })).toBeUndefined();
  expect(rewardOf([{ ...reward, pool: null }], swap)).toBeUndefined();
});

test('default: the blocks of a claim say the reward, and that all of it is claimed', () => {
  const draft = newDraft('WITHDRAWAL');
  const claim = { ...draft, action: { ...draft.action, action: 'CLAIM' as const } };
  const empty = { vault, draft: claim, rewards: [reward] };
  expect(chosenName(empty, 'target_address')).toBeUndefined();
  expect(sourceBlockLabel(empty, 'target_address')).toBe('Reward: No reward yet');
  const chosen = { ...claim, action: { ...claim.action, target_address: reward.distributor } };
  expect(sourceBlockLabel({ ...empty, draft: chosen }, 'target_address')).toBe('Reward: PRIME of Morpho Prime');
  expect(sizeText(chosen)).toBe('All that can be claimed is claimed.');
  expect(rewardIn(chosen, [reward])).toBe(reward);
  expect(rewardIn(draft, [reward])).toBeUndefined();
});
