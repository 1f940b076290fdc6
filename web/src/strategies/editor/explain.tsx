import { type Explanation, spellName, spellNames, type Vocabulary } from '@castellan/strategy';
import { CircleCheck, CircleHelp, CircleX } from 'lucide-react';
import type { ComponentProps } from 'react';
import type { Vault } from '../../data/queries.ts';
import { Card } from '../../design/card.tsx';
import { Pill } from '../../design/pill.tsx';
import { formatAmount, formatBaseUnits, formatExact } from '../../format/amount.ts';
import { ReadTrouble } from '../../live/read-trouble.tsx';
import { assetsExact, assetsText } from '../../vault/money.ts';
import { becauseWords, limitedBy, readableNumbers } from '../because.ts';
import { outcomesNow, unchecked } from '../outcomes.ts';
import type { Reward } from '../rewards.ts';
import type { Action, Fields } from '../types.ts';
import type { Judgement } from './judge.ts';
import { unitOf, valueText } from './values.ts';

type Props = {
  vault: Vault;
  vocabulary: Vocabulary;
  /** The server found nothing wrong with this very text. */
  isChecked: boolean;
  judgement: Judgement;
  fields: Fields | undefined;
  /** How the read of them goes. */
  fieldsRead: ComponentProps<typeof ReadTrouble>['of'];
  action: Action;
  /** The source whose shares its size counts, in lower case; null where it counts something else. */
  sharesOf: string | null;
  /** The reward that a claim or a swap is about, where it is known. */
  reward: Reward | undefined;
  isRunning: boolean;
};

/** Why the strategy would or would not fire on the vault as it is now, node by node. */
export function Explain(props: Props) {
  const { vault, vocabulary, isChecked, judgement, fields, fieldsRead, action, sharesOf, reward, isRunning } = props;
  const { now, faults } = judgement;
  const said = now?.outcome === 'fired' && !isChecked ? unchecked : now && outcomesNow[now.outcome];
  return (
    <Card className="flex flex-col gap-3">
      <h3 className="text-14 font-semibold">If it ran now</h3>
      <ReadTrouble of={fieldsRead} what="The values of the vault" />
      {fields === undefined && fieldsRead.error !== null ? null : now === undefined || said === undefined ? (
        <p className="text-13 text-muted">
          {fields === undefined
            ? 'The values of the vault are on their way.'
            : faults.length > 0
              ? 'Shown here once the rule and the size can be read.'
              : 'Not known yet.'}
        </p>
      ) : (
        <>
          <span role="status" className="[&>span]:h-auto [&>span]:py-0.5 [&>span]:whitespace-normal">
            <Pill tone={said.tone}>{said.word}</Pill>
          </span>
          <p className="text-12 text-muted">{`At block ${now.decision.block_number}. Nothing is sent from here.`}</p>
          <SizeNow
            vault={vault}
            vocabulary={vocabulary}
            size={now.decision.size}
            action={action}
            sharesOf={sharesOf}
            reward={reward}
            fields={fields}
          />
          <ul className="flex flex-col">
            <Node node={now.decision.rule} vault={vault} vocabulary={vocabulary} />
          </ul>
          {now.decision.score.value === null ? null : (
            <p className="text-12">{`Score ${now.decision.score.value}: ${now.decision.score.enough ? 'enough' : 'not enough'}`}</p>
          )}
          {isRunning ? (
            <p className="text-12 text-muted">It runs: what you save decides from the next block on.</p>
          ) : null}
        </>
      )}
    </Card>
  );
}

type Size = NonNullable<Judgement['now']>['decision']['size'];

/** What a number of source shares is worth now, at what the vault holds; null where that is not known. */
function worthOf(amount: string, source: string, fields: Fields | undefined): string | null {
  const at = (name: string) => fields?.fields[`ys_${source}_${name}`]?.value ?? null;
  const held = at('amount');
  const shares = at('shares');
  if (held === null || shares === null || !/^\d+$/.test(held) || !/^[1-9]\d*$/.test(shares)) return null;
  return String((BigInt(amount) * BigInt(held)) / BigInt(shares));
}

type SizeProps = {
  vault: Vault;
  vocabulary: Vocabulary;
  size: Size;
  action: Action;
  sharesOf: string | null;
  reward: Reward | undefined;
  fields: Fields | undefined;
};

/** A size in what it counts: assets and rewards in whole tokens, others in base units. */
function countedText(amount: string, { vault, action, sharesOf, reward }: SizeProps): string {
  if (action === 'DEPOSIT') return assetsText(vault, amount);
  if (reward?.symbol && reward.decimals !== null) return `${formatAmount(amount, reward.decimals)} ${reward.symbol}`;
  return `${formatBaseUnits(amount)} ${sharesOf === null ? 'units' : 'share units'}`;
}

export function SizeNow(props: SizeProps) {
  const { vault, vocabulary, size, action, sharesOf, fields } = props;
  const { amount, limited_by, because } = size;
  if (amount === null) {
    const why = spellNames(because ?? '', vocabulary);
    return <p className="text-13" title={why}>{`Size: none. ${readableNumbers(why, vault)}`}</p>;
  }
  const isAssets = action === 'DEPOSIT';
  const worth = sharesOf === null ? null : worthOf(amount, sharesOf, fields);
  return (
    <p className="text-13">
      {'Size: '}
      <strong title={isAssets ? assetsExact(vault, amount) : formatExact(amount, 0)}>
        {countedText(amount, props)}
      </strong>
      {worth === null ? '' : `, worth ${assetsText(vault, worth)}`}
      {limited_by === null ? '' : `, ${limitedBy(limited_by, vocabulary)}`}
    </p>
  );
}

/** How the result of a node is shown. */
export const resultLooks = {
  true: { icon: CircleCheck, word: 'Holds', look: 'text-accent' },
  false: { icon: CircleX, word: 'Does not hold', look: 'text-muted' },
  null: { icon: CircleHelp, word: 'Not known', look: 'text-brass' },
} as const;
const typeWords: Readonly<Record<Explanation['type'], string>> = {
  EXPR: '',
  AND: 'All of',
  OR: 'Any of',
  NOT: 'Not',
  VOTE: 'Vote',
};

function Node({ node, vault, vocabulary }: { node: Explanation; vault: Vault; vocabulary: Vocabulary }) {
  const { icon: Icon, word, look } = resultLooks[String(node.result) as keyof typeof resultLooks];
  const because = spellNames(becauseWords(node.because), vocabulary);
  return (
    <li className="flex flex-col gap-1 py-1 text-12">
      <span className="flex items-start gap-1.5">
        <Icon size={14} aria-hidden="true" className={`mt-px shrink-0 ${look}`} />
        <span className="sr-only">{`${word}: `}</span>
        <span className="min-w-0 break-words">
          {typeWords[node.type] === '' ? '' : <strong>{`${typeWords[node.type]}: `}</strong>}
          <span title={because} className={node.type === 'EXPR' ? 'font-mono break-words' : ''}>
            {readableNumbers(because, vault)}
          </span>
        </span>
      </span>
      {node.reads === undefined || node.reads.length === 0 ? null : (
        <dl className="ml-5 flex flex-col text-muted">
          {node.reads.map(({ name, value }) => (
            <div key={name} className="flex flex-wrap justify-between gap-x-2">
              <dt className="font-mono break-all" title={name}>
                {spellName(name, vocabulary)}
              </dt>
              <dd title={value ?? undefined} className="ml-auto tabular-nums">
                {value === null ? 'no value' : valueText(unitOf(name), value, vault)}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {node.children === undefined ? null : (
        <ul className="ml-1.5 border-l pl-3">
          {node.children.map((child, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the children of a node have no name but their place
            <Node key={index} node={child} vault={vault} vocabulary={vocabulary} />
          ))}
        </ul>
      )}
    </li>
  );
}
