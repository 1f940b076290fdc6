import '../../../test/browser.ts';
import { expect, test } from '@jest/globals';
import { anAddress, aVault } from '../../../test/builders.ts';
import { allocation, reward, someFields, source } from '../../../test/strategies.ts';
import { condition, definitionOf, newDraft } from './draft.ts';
import { begin, changed, redone, undone } from './draft-history.ts';
import { fieldFaults, judge } from './judge.ts';
import { templatesFor } from './templates.ts';
import { vocabularyFor } from './vocabulary.ts';

const other = anAddress(0x31);
const both = [
  ...allocation,
  ...allocation.map((each) => ({ ...each, source_address: other, name: 'Second', share: 0, apy: 0.04 })),
];
const vault = aVault({ allocation: both });
const vocabulary = vocabularyFor(vault);
const ys = `ys_${source.toLowerCase()}`;
const to = `ys_${other.toLowerCase()}`;
const now = {
  vault_tvl: '1000',
  vault_free_assets: '200',
  vault_redeem_queue_value: '50',
  [`${ys}_amount`]: '800',
  [`${ys}_shares`]: '400',
  [`${ys}_available`]: '600',
  [`${ys}_apy`]: '-0.01',
};

test.each([
  ['idle', {}, '130'],
  // Short of 2 % idle, up to 5 %: 100 of 800 in assets, 50 of 400 in shares.
  ['liquid', { vault_free_assets: '0' }, '50'],
  ['cap', {}, '150'],
  ['losing', {}, '300'],
  ['drawdown', { [`${ys}_drawdown`]: '3/100' }, '300'],
  ['fill', { [`${ys}_to_target`]: '100' }, '100'],
  // No more than is idle and not waited for.
  ['fill', { [`${ys}_to_target`]: '160' }, '150'],
  ['trim', { [`${ys}_to_target`]: '-80' }, '40'],
  // The smaller of what one has too much and the other too little.
  ['targets', { [`${ys}_to_target`]: '-80', [`${to}_to_target`]: '60' }, '30'],
])('default: "%s" is sound on the vault and fires with the size it speaks of', (id, values, size) => {
  const template = templatesFor(vault, vocabulary).find((each) => each.id === id);
  if (template === undefined) throw new Error(`no template ${id}`);
  const draft = {
    ...template.draft,
    action: { ...template.draft.action, execution_name: 'A', execution_address: source },
  };
  expect(fieldFaults(draft, true, vocabulary)).toEqual([]);
  const found = judge(
    definitionOf(draft, vocabulary),
    { sources: [source, other].map((each) => each.toLowerCase()), vocabulary },
    someFields({ ...now, ...values }),
  );
  expect(found.faults).toEqual([]);
  expect(found.now?.decision).toMatchObject({ size: { amount: size } });
});

test.each([
  ['claim', { [`merkl_${reward.distributor.toLowerCase()}_amount`]: '700' }, '700'],
  // Worth a tenth of a percent of the vault.
  [
    'swap',
    { [`token_${reward.token.toLowerCase()}_amount`]: '900', [`token_${reward.token.toLowerCase()}_worth`]: '1' },
    '900',
  ],
])('default: "%s" of a reward is sound on the vault and fires with all of it', (kind, values, size) => {
  const templates = templatesFor(vault, vocabulary, [reward]);
  const template = templates.find(({ id }) => id === `${kind}-${reward.distributor.toLowerCase()}`);
  if (template === undefined) throw new Error(`no template ${kind}`);
  const action = { ...template.draft.action, execution_name: 'A', execution_address: source };
  const draft = { ...template.draft, action };
  expect(template.name).toMatch(/^(Claim|Swap) PRIME of Morpho Prime$/);
  expect(fieldFaults(draft, true, vocabulary)).toEqual([]);
  const sources = [source, other].map((each) => each.toLowerCase());
  const found = judge(definitionOf(draft, vocabulary), { sources, vocabulary }, someFields({ ...now, ...values }));
  expect(found.faults).toEqual([]);
  expect(found.now).toMatchObject({ outcome: 'fired', decision: { size: { amount: size } } });
});

test('behavior: a reward without a pool is only claimed, and without rewards there is neither', () => {
  const names = (rewards: (typeof reward)[]) => templatesFor(vault, vocabulary, rewards).map(({ name }) => name);
  expect(names([{ ...reward, pool: null }])).toEqual([...names([]), 'Claim PRIME of Morpho Prime']);
  expect(names([]).filter((name) => /^(Claim|Swap)/.test(name))).toEqual([]);
});

test('behavior: a rebalance goes from the largest source into the best paid of the others, and needs another', () => {
  const found = templatesFor(vault, vocabulary).find(({ id }) => id === 'targets');
  expect(found?.draft.action).toMatchObject({ action: 'REBALANCE', from_address: source, target_address: other });
  expect(found?.about).toMatch(/Morpho Prime holds more than 1 %.*Second lacks as much/);
  expect(templatesFor(aVault({ allocation }), vocabulary).map(({ id }) => id)).not.toContain('targets');
});

test('behavior: without an active source there is nothing to begin with', () => {
  expect(templatesFor(aVault({ allocation: [] }), vocabulary)).toEqual([]);
  const retired = allocation.map((each) => ({ ...each, is_active: false }));
  expect(templatesFor(aVault({ allocation: retired }), vocabulary)).toEqual([]);
});

test('behavior: letters typed into one text are one step, another text is another', () => {
  const draft = newDraft('DEPOSIT');
  const typed = ['a', 'ab'].reduce(
    (history, name) => changed(history, { ...history.now, name, id: `${name}-1` }),
    begin(draft),
  );
  const both = changed(typed, { ...typed.now, cooldown: '2 h' });
  expect(undone(both).now).toEqual(typed.now);
  expect(undone(undone(both)).now).toBe(draft);
  expect(undone(undone(undone(both))).now).toBe(draft);
  expect(redone(redone(redone(undone(undone(both))))).now).toBe(both.now);
});

test('behavior: a step that adds a part stands alone, and one made after an undo ends what could be made again', () => {
  const draft = newDraft('DEPOSIT');
  const added = { ...draft.rule, children: [...draft.rule.children, condition('1 < 2')] };
  const grown = changed(begin(draft), { ...draft, rule: added });
  const again = changed(grown, { ...grown.now, rule: { ...added, children: added.children.slice(1) } });
  expect(undone(again).now).toBe(grown.now);
  const other = changed(undone(again), { ...grown.now, cooldown: '1 h' });
  expect(redone(other).now).toBe(other.now);
});
