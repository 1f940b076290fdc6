import { CircleCheck, CircleX } from 'lucide-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { AnalyticsResult } from '../../data/use-analytics.ts';
import { Button } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { Field } from '../../design/field.tsx';
import { Pill } from '../../design/pill.tsx';
import { Skeleton } from '../../design/states.tsx';
import { cutDecimals, decimalsOf, formatAmount, toDecimal } from '../../format/amount.ts';
import { formatSignedBps, NONE } from '../../format/figures.ts';
import { typeset } from '../../format/typeset.ts';
import { Term } from '../../glossary/term.tsx';
import { useMoment } from '../../moment/use-moment.ts';
import { ReadFailure } from '../../receipts/read-failure.tsx';
import { ReceiptValue } from '../../receipts/receipt-value.tsx';
import { useRead } from '../../receipts/use-read.ts';
import { assetsExact, assetsText } from '../money.ts';
import type { Shown } from '../vault-gate.tsx';

type Answer = AnalyticsResult<'analyticsPpsWhatIf'>;
const PLACES = 9;

/** A price as typed, in raw units; undefined when it is not one. */
export function rawPrice(text: string, precision: string): string | undefined {
  const match = /^(\d{1,20})(?:\.(\d*))?$/.exec(text.trim());
  const decimals = decimalsOf(precision);
  const fraction = match?.[2] ?? '';
  if (match === null || fraction.length > decimals) return undefined;
  return BigInt(`${match[1]}${fraction.padEnd(decimals, '0')}`).toString();
}

/** "If this price were reported now": guards, pause, fee, before anyone sends it. */
export function WhatIf({ shown }: { shown: Shown }) {
  const { vault } = shown;
  const { at } = useMoment();
  const [text, setText] = useState('');
  const [asked, setAsked] = useState<string | undefined>();
  const [fault, setFault] = useState<string | undefined>();
  const read = useRead(shown, 'analyticsPpsWhatIf', asked === undefined ? {} : { pps: asked });
  const ask = (event: FormEvent) => {
    event.preventDefault();
    const raw = text.trim() === '' ? undefined : rawPrice(text, vault.pps_precision);
    const isWrong = text.trim() !== '' && raw === undefined;
    setFault(
      isWrong ? `Write a price such as 1.0423, with ${decimalsOf(vault.pps_precision)} decimals at most` : undefined,
    );
    if (!isWrong) setAsked(raw);
  };
  const { data, isPlaceholderData } = read.result;
  return (
    <Card className="flex flex-col gap-4">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <div>
          <h3 className="text-14 font-semibold">{`If the next report came ${at === undefined ? 'now' : 'at that moment'}`}</h3>
          <p className="text-13 text-muted">
            {asked === undefined ? 'With the calculated price.' : 'With the price you wrote.'} Nothing is sent.
          </p>
        </div>
        <form onSubmit={ask} className="flex items-end gap-2">
          <Field
            label="Another price"
            value={text}
            onChange={setText}
            error={fault}
            placeholder="calculated"
            inputMode="decimal"
            className="w-48"
          />
          <Button type="submit">Try it</Button>
        </form>
      </div>
      <ReadFailure of={read} what="The outcome" />
      {data === undefined ? (
        read.result.isError ? null : (
          <div role="status" aria-label="Loading the outcome">
            <Skeleton className="h-40 w-full" />
          </div>
        )
      ) : (
        <div className={isPlaceholderData ? 'opacity-70' : ''} aria-live="polite">
          <Outcome answer={data} shown={shown} of={read} />
        </div>
      )}
    </Card>
  );
}

type OutcomeProps = { answer: Answer; shown: Shown; of: ReturnType<typeof useRead<'analyticsPpsWhatIf'>> };

function verdict({ accepted, would_pause }: Answer) {
  if (accepted === null) return <Pill tone="plain">Cannot be said: a price is missing</Pill>;
  if (would_pause === true) return <Pill tone="critical">Would pause the vault</Pill>;
  return accepted ? <Pill tone="ok">Would be accepted</Pill> : <Pill tone="warn">Would be refused</Pill>;
}

const guardNames: Record<Answer['guards'][number]['name'], string> = {
  paused: 'Vault is not paused',
  min_update_interval: 'Enough time since the last report',
  deviation: 'Within the deviation guard',
  upkeep: 'Upkeep pays for it',
};

function Outcome({ answer, shown: { vault }, of }: OutcomeProps) {
  return (
    <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
      <div className="flex flex-col gap-3">
        <div>{verdict(answer)}</div>
        <ul className="flex flex-col gap-2">
          {answer.guards.map(({ name, tripped, detail }) => (
            <li key={name} className="flex items-start gap-2 text-13">
              {tripped ? (
                <CircleX size={16} className="mt-0.5 shrink-0 text-danger" aria-hidden="true" />
              ) : (
                <CircleCheck size={16} className="mt-0.5 shrink-0 text-accent" aria-hidden="true" />
              )}
              <span>
                <span className="font-medium">{`${guardNames[name]}: ${tripped ? 'no' : 'yes'}`}</span>
                <span className="block text-muted">{typeset(detail)}</span>
              </span>
            </li>
          ))}
        </ul>
      </div>
      <Effects answer={answer} vault={vault} of={of} />
    </div>
  );
}

type EffectsProps = Pick<OutcomeProps, 'answer' | 'of'> & { vault: Shown['vault'] };

/** What would be different after it. Where a price is missing nothing can be said of most: only what is known has a row. */
function Effects({ answer, vault, of }: EffectsProps) {
  const decimals = decimalsOf(vault.pps_precision);
  const priced = (raw: string | null) =>
    raw === null ? null : cutDecimals(toDecimal(raw, decimals), Math.min(PLACES, decimals));
  const { accepted, fee, upkeep_after: upkeep, change_bps: change } = answer;
  const { symbol, decimals: upkeepDecimals } = vault.upkeep_info;
  const has = (value: unknown) => accepted !== null || value !== null;
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] content-start gap-x-4 gap-y-2 text-13">
      <Effect name="Price now" isShown={has(answer.current_pps)}>
        {priced(answer.current_pps) ?? NONE}
      </Effect>
      <Effect name="Price reported" isShown={has(answer.next_pps)}>
        {priced(answer.next_pps) ?? NONE}
      </Effect>
      <Effect name="Change" isShown={has(change)}>
        <ReceiptValue of={of} path="change_bps" label="Change">
          {change === null ? null : formatSignedBps(change)}
        </ReceiptValue>
      </Effect>
      <Effect name="Net price after" isShown={has(answer.next_net_pps)}>
        <ReceiptValue of={of} path="next_net_pps" label="Net price after">
          {priced(answer.next_net_pps)}
        </ReceiptValue>
      </Effect>
      <Effect
        name="Fee a skim would take"
        isShown={has(fee)}
        exact={fee === null ? undefined : assetsExact(vault, fee.total)}
      >
        <ReceiptValue of={of} path="fee.total" label="Fee a skim would take">
          {fee === null ? null : assetsText(vault, fee.total)}
        </ReceiptValue>
        {fee === null ? null : (
          <span className="block text-12 text-muted">{`of ${assetsText(vault, fee.profit)} gained above the mark`}</span>
        )}
      </Effect>
      <Effect name="Upkeep left after" isShown={has(upkeep)}>
        {upkeep === null
          ? `${NONE} not charged or not known`
          : `${formatAmount(upkeep, upkeepDecimals ?? 18)} ${symbol ?? ''}`}
      </Effect>
    </dl>
  );
}

type EffectProps = { name: string; isShown: boolean; exact?: string | undefined; children: ReactNode };

const Effect = ({ name, isShown, exact, children }: EffectProps) =>
  isShown ? (
    <>
      <dt className="text-muted">
        <Term>{name}</Term>
      </dt>
      <dd title={exact} className="text-right">
        {children}
      </dd>
    </>
  ) : null;
