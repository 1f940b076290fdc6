import { spellStrategy, type Vocabulary } from '@castellan/strategy';
import type { Vault } from '../../data/queries.ts';
import type { Reward } from '../rewards.ts';
import type { Lane, Source } from '../types.ts';
import { sourcesOf } from '../types.ts';
import { compilable, condition, type Draft, definitionOf, newDraft, nodeOf, suggestedId } from './draft.ts';
import { rewardTemplates } from './reward-templates.ts';
import type { Template } from './template.ts';

type Written = {
  readonly id: string;
  readonly name: string;
  readonly about: (source: string, into: string) => string;
  readonly lane: Lane;
  /** The source it is about: the best paid, or the one that holds most. */
  readonly by: 'apy' | 'assets';
  /**
   * Rule and size, with `ys` for the variables of the source and `to` for those of the one that a rebalance fills: shares of the vault, so
   * that they fit any size of it.
   */
  readonly rule: (ys: string, to: string) => string;
  readonly size: (ys: string, to: string) => string;
  readonly cooldown: string;
};

/** As many shares of a source as are worth so many assets, all of them at the most. */
const part = (ys: string, assets: string): string =>
  `${ys}_shares * if(${ys}_amount > 0, min(1, (${assets}) / ${ys}_amount), 0)`;

const written: readonly Written[] = [
  {
    id: 'idle',
    name: 'Put idle assets to work',
    about: (source) =>
      `When more than 5 % of the vault lies idle, all but 2 % and what waits for redemption go into ${source}.`,
    lane: 'DEPOSIT',
    by: 'apy',
    rule: () => 'vault_free_assets - vault_redeem_queue_value > vault_tvl * 0.05',
    size: () => 'vault_free_assets - vault_redeem_queue_value - vault_tvl * 0.02',
    cooldown: '1 h',
  },
  {
    id: 'liquid',
    name: 'Keep assets liquid',
    about: (source) =>
      `When less than 2 % of the vault is idle beyond what waits for redemption, ${source} pays it up to 5 %.`,
    lane: 'WITHDRAWAL',
    by: 'assets',
    rule: () => 'vault_free_assets - vault_redeem_queue_value < vault_tvl * 0.02',
    size: (ys) => part(ys, 'vault_tvl * 0.05 + vault_redeem_queue_value - vault_free_assets'),
    cooldown: '15 min',
  },
  {
    id: 'cap',
    name: 'Keep a source below a cap',
    about: (source) => `When ${source} holds more than 60 % of the vault, what is above 50 % leaves it.`,
    lane: 'WITHDRAWAL',
    by: 'assets',
    rule: (ys) => `${ys}_amount > vault_tvl * 0.6`,
    size: (ys) => part(ys, `${ys}_amount - vault_tvl * 0.5`),
    cooldown: '1 h',
  },
  {
    id: 'fill',
    name: 'Put idle assets to work up to a target',
    about: (source) =>
      `When ${source} lacks more than 1 % of the vault to its target, what it lacks goes in, as far as idle assets beyond what waits for redemption allow.`,
    lane: 'DEPOSIT',
    by: 'apy',
    rule: (ys) => `${ys}_to_target > vault_tvl * 0.01`,
    size: (ys) => `min(${ys}_to_target, vault_free_assets - vault_redeem_queue_value)`,
    cooldown: '1 h',
  },
  {
    id: 'trim',
    name: 'Bring a source back to its target',
    about: (source) => `When ${source} holds more than 1 % of the vault beyond its target, that leaves it.`,
    lane: 'WITHDRAWAL',
    by: 'assets',
    rule: (ys) => `0 - ${ys}_to_target > vault_tvl * 0.01`,
    size: (ys) => part(ys, `0 - ${ys}_to_target`),
    cooldown: '1 h',
  },
  {
    id: 'losing',
    name: 'Leave a source that loses',
    about: (source) =>
      `When the share price of ${source} fell over the last seven days, all that it pays out leaves it.`,
    lane: 'WITHDRAWAL',
    by: 'assets',
    rule: (ys) => `${ys}_apy < 0`,
    size: (ys) => part(ys, `${ys}_available`),
    cooldown: '15 min',
  },
  {
    id: 'drawdown',
    name: 'Leave a source at a drawdown',
    about: (source) =>
      `When the share price of ${source} is more than 2 % below its highest of the last seven days, all that it pays out leaves it.`,
    lane: 'WITHDRAWAL',
    by: 'assets',
    rule: (ys) => `${ys}_drawdown > 0.02`,
    size: (ys) => part(ys, `${ys}_available`),
    cooldown: '15 min',
  },
  {
    id: 'targets',
    name: 'Rebalance to targets',
    about: (source, into) =>
      `When ${source} holds more than 1 % of the vault beyond its target and ${into} lacks as much, the smaller of both moves in one transaction.`,
    lane: 'REBALANCE',
    by: 'assets',
    rule: (ys, to) => `min(0 - ${ys}_to_target, ${to}_to_target) > vault_tvl * 0.01`,
    size: (ys, to) => part(ys, `min(0 - ${ys}_to_target, ${to}_to_target)`),
    cooldown: '1 h',
  },
];

const most = (sources: readonly Source[], value: (source: Source) => number): Source | undefined =>
  sources.toSorted((left, right) => value(right) - value(left))[0];

const bestOf = (sources: readonly Source[]): Source | undefined =>
  most(sources, ({ apy }) => apy ?? Number.NEGATIVE_INFINITY);

/** The strategies one can begin with on a vault; none while it has no source. */
export const templatesFor = (vault: Vault, vocabulary: Vocabulary, rewards: readonly Reward[] = []): Template[] => [
  ...sourceTemplates(vault, vocabulary),
  ...rewardTemplates(vault, rewards),
];

function sourceTemplates(vault: Vault, vocabulary: Vocabulary): Template[] {
  const sources = sourcesOf(vault).filter(({ is_active }) => is_active);
  const bySize = most(sources, ({ share }) => share ?? 0);
  const byYield = bestOf(sources);
  return written.flatMap(({ id, name, about, lane, by, rule, size, cooldown }) => {
    const source = by === 'apy' ? byYield : bySize;
    const isRebalance = lane === 'REBALANCE';
    const into = isRebalance ? bestOf(sources.filter((each) => each !== source)) : source;
    if (source === undefined || into === undefined) return [];
    const [ys, to] = [source, into].map(({ source_address }) => `ys_${source_address.toLowerCase()}`) as [
      string,
      string,
    ];
    const base = newDraft(lane);
    const plain: Draft = {
      ...base,
      name,
      id: suggestedId(name, vault.vault_address),
      rule: { ...base.rule, children: [condition(rule(ys, to))] },
      action: {
        ...base.action,
        size_expr: size(ys, to),
        target_address: into.source_address,
        from_address: isRebalance ? source.source_address : null,
      },
      cooldown,
    };
    const { rules, action_config } = spellStrategy(compilable(definitionOf(plain, vocabulary)), vocabulary);
    const draft: Draft = {
      ...plain,
      rule: nodeOf(rules),
      action: { ...plain.action, size_expr: action_config.size_expr },
    };
    return [{ id, name, about: about(source.name, into.name), draft }];
  });
}
