import type { VaultSettings } from '@castellan/contracts';
import { useState } from 'react';
import { Button } from '../design/button.tsx';
import { Field } from '../design/field.tsx';
import { Pill } from '../design/pill.tsx';
import { formatAmount, formatExact, toDecimal } from '../format/amount.ts';
import { NONE } from '../format/figures.ts';
import { formatDuration, formatUtc } from '../format/time.ts';
import { emptyAt, roundedUp, runwayText } from '../vault/fees/runway.ts';
import { readAmount } from './inputs.ts';
import { Block, Facts, Pending, PrepareForm, Section } from './parts.tsx';
import { type Ask, isManager, isPrimary, type SectionProps } from './use-settings.ts';

type Token = { decimals: number; symbol: string };
const text = (raw: string, { decimals, symbol }: Token) => `${formatAmount(raw, decimals)} ${symbol}`;
const exact = (raw: string, { decimals, symbol }: Token) => `${formatExact(raw, decimals)} ${symbol}`;

const costBasis = {
  last_24h: 'at the pace of the last 24 hours',
  since_interval_change: 'at the pace since the least interval changed',
  heartbeat: 'at the heartbeat of the validators',
} as const;

export function UpkeepSection({ settings, role, ask }: SectionProps) {
  const { upkeep, chain_time } = settings;
  const { info } = upkeep;
  const token = { decimals: info.decimals ?? 18, symbol: info.symbol ?? 'tokens' };
  const { runway_seconds: runway, runway_worst_case_seconds: worst } = info;
  const empty = runway === null ? null : emptyAt(chain_time, runway);
  const row = (name: string, raw: string) => ({ name, value: text(raw, token), title: exact(raw, token) });
  return (
    <Section
      id="upkeep"
      title="Upkeep"
      text={
        info.enabled
          ? 'Each price update is paid from this balance. Without it the next price pauses the vault.'
          : 'The chain charges no upkeep now: price updates cost this vault nothing.'
      }
    >
      <Block title="Balance">
        <Facts
          rows={[
            row('Balance', info.balance),
            row('Required', info.threshold.required_balance),
            {
              ...row('Shortfall', info.threshold.shortfall),
              ...(info.threshold.shortfall === '0'
                ? {}
                : { value: <Pill tone="warn">{`${text(info.threshold.shortfall, token)} short`}</Pill> }),
            },
            {
              name: 'Lasts',
              value:
                runway === null
                  ? 'Not known: no update in the last 24 hours'
                  : `${runwayText(runway)}, at the pace of the last 24 hours`,
              ...(empty === null ? {} : { title: `Empty ${formatUtc(empty)}` }),
            },
            {
              name: 'Lasts at the fastest cadence',
              value: worst === null ? `${NONE} the chain sets no least interval` : runwayText(worst),
            },
            {
              name: 'Cost of a day',
              value:
                upkeep.cost_per_day === null
                  ? `${NONE} no update was charged`
                  : `${text(upkeep.cost_per_day, token)}, ${costBasis[upkeep.cost_basis ?? 'last_24h']}`,
            },
          ]}
        />
        {isManager(role) && info.token !== null ? <Deposit upkeep={upkeep} token={token} ask={ask} /> : null}
      </Block>
      <Withdrawal settings={settings} token={token} role={role} ask={ask} />
    </Section>
  );
}

type DepositProps = { upkeep: VaultSettings['upkeep']; token: Token; ask: Ask };

function Deposit({ upkeep, token, ask }: DepositProps) {
  const [amount, setAmount] = useState('');
  const [isTried, setTried] = useState(false);
  const { wallet } = upkeep;
  const read = readAmount(
    amount,
    token.decimals,
    wallet === null ? undefined : { raw: wallet.balance, words: exact(wallet.balance, token) },
  );
  const [isForYear, setForYear] = useState(false);
  const fill = (raw: string) => setAmount(toDecimal(raw, token.decimals));
  const wanted = 'value' in read ? read.value : undefined;
  const isShort = wallet !== null && wanted !== undefined && BigInt(wallet.allowance) < BigInt(wanted);
  const ofYear = wanted === undefined ? undefined : yearOf(upkeep.cost_per_day, wanted);
  const submit = () => {
    setTried(true);
    if (wanted === undefined) return;
    const more = isShort && isForYear && ofYear !== undefined ? { allowance: ofYear } : {};
    ask('Deposit upkeep', { kind: 'deposit_upkeep', args: { amount: wanted, ...more } });
  };
  return (
    <PrepareForm anchor="deposit-upkeep" label="Deposit upkeep" submit="Prepare deposit" onSubmit={submit}>
      <div className="flex items-start gap-2">
        <Field
          label={`Amount, ${token.symbol}`}
          value={amount}
          onChange={setAmount}
          error={isTried && 'error' in read ? read.error : undefined}
          hint={wallet === null ? 'From your wallet.' : `Your wallet has ${text(wallet.balance, token)}.`}
          inputMode="decimal"
          autoComplete="off"
          className="flex-1"
        />
        {wallet === null ? null : (
          <Button
            className="mt-6"
            aria-label="Max, the whole balance of the wallet"
            onPress={() => fill(wallet.balance)}
          >
            Max
          </Button>
        )}
      </div>
      <TopUp costPerDay={upkeep.cost_per_day} token={token} onUse={fill} />
      <Allowance wallet={wallet} wanted={wanted} isShort={isShort} token={token} />
      {isShort && ofYear !== undefined ? (
        <label className="flex items-start gap-2 text-13">
          <input
            type="checkbox"
            checked={isForYear}
            onChange={({ target }) => setForYear(target.checked)}
            className="mt-0.5 size-4 shrink-0 accent-[var(--accent)]"
          />
          {`Approve ${text(ofYear, token)}, a year at the cost of a day now, so that the next top-ups take one signature. It stays open until it is used up, or you approve less.`}
        </label>
      ) : null}
    </PrepareForm>
  );
}

type TopUpProps = { costPerDay: string | null; token: Token; onUse: (raw: string) => void };

/** Turns days into an amount at the cost of a day, rounded up. */
function TopUp({ costPerDay, token, onUse }: TopUpProps) {
  const [days, setDays] = useState('30');
  if (costPerDay === null || costPerDay === '0') return null;
  const isValid = /^[1-9]\d{0,3}$/.test(days.trim());
  const raw = isValid ? String(roundedUp(BigInt(costPerDay) * BigInt(days.trim()))) : undefined;
  return (
    <div className="flex flex-wrap items-start gap-2">
      <Field
        label="Days to cover"
        value={days}
        onChange={setDays}
        error={isValid ? undefined : 'Enter 1 to 9999 days.'}
        inputMode="numeric"
        autoComplete="off"
        className="w-28"
      />
      {raw === undefined ? null : (
        <Button className="mt-6" onPress={() => onUse(raw)}>
          {`Use ${text(raw, token)} for ${days.trim()} days`}
        </Button>
      )}
    </div>
  );
}

/** What a year costs, where that is more than one wants to pay now. */
function yearOf(costPerDay: string | null, wanted: string): string | undefined {
  if (costPerDay === null) return undefined;
  const raw = roundedUp(BigInt(costPerDay) * 365n);
  return raw > BigInt(wanted) ? String(raw) : undefined;
}

type AllowanceProps = {
  wallet: VaultSettings['upkeep']['wallet'];
  wanted: string | undefined;
  isShort: boolean;
  token: Token;
};

function Allowance({ wallet, wanted, isShort, token }: AllowanceProps) {
  if (wallet === null || wanted === undefined) {
    return (
      <p className="text-12 text-muted">
        The first deposit takes two signatures: one that lets the vault system take the amount, one that pays it.
      </p>
    );
  }
  return (
    <p role="status" className="text-12 text-muted">
      {isShort
        ? `Two signatures: the vault system may take ${text(wallet.allowance, token)} of your tokens now, so you first approve, then pay it.`
        : 'One signature: what you approved before covers this amount.'}
    </p>
  );
}

type WithdrawalProps = Omit<SectionProps, 'shown'> & { token: Token };

function Withdrawal({ settings: { upkeep, chain_time }, token, role, ask }: WithdrawalProps) {
  const { pending_withdrawal: pending, info } = upkeep;
  const wait = formatDuration(upkeep.withdrawal_timelock_seconds);
  return (
    <Block title="Withdrawal">
      <p className="text-13 text-muted">
        {`The whole balance is withdrawn to the primary manager, ${wait} after it is proposed. Without upkeep the next price pauses the vault. A proposal cannot be cancelled.`}
      </p>
      {pending === null ? (
        <p className="text-13">No withdrawal is proposed.</p>
      ) : (
        <Pending
          what={`${exact(pending.amount, token)} to the primary manager, or what is left of it by then.`}
          effectiveAt={pending.effective_at}
          canExecute={pending.can_execute}
          chainTime={chain_time}
          onExecute={
            isManager(role)
              ? () => ask('Execute the withdrawal', { kind: 'execute_upkeep_withdrawal', args: {} })
              : undefined
          }
        />
      )}
      {isPrimary(role) && pending === null ? (
        <div>
          <Button
            isDisabled={info.balance === '0'}
            onPress={() => ask('Propose a withdrawal', { kind: 'propose_upkeep_withdrawal', args: {} })}
          >
            {`Propose to withdraw ${text(info.balance, token)}`}
          </Button>
        </div>
      ) : null}
    </Block>
  );
}
