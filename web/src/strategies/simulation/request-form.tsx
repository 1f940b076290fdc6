import { type FormEvent, useState } from 'react';
import { Card } from '../../design/card.tsx';
import { Choice } from '../../design/choice.tsx';
import { Field } from '../../design/field.tsx';
import { ReasonedButton } from '../../design/reasoned-button.tsx';
import { typedDecimals } from '../../format/typed.ts';
import type { Shown } from '../../vault/vault-gate.tsx';
import { laneWords, type Strategy, sourcesOf } from '../types.ts';
import { beginning, type Form, faultsOf, type Request, requestOf } from './request.ts';

type Props = {
  shown: Shown;
  strategies: readonly Strategy[];
  isRunning: boolean;
  onRun: (request: Request) => void;
};

const kinds = [
  { value: 'backtest', label: 'Back-test over the past' },
  { value: 'ahead', label: 'Ahead, into an assumed future' },
] as const;

/** What is to be tried, over which time, and with which assumptions. */
export function RequestForm({ shown: { vault }, strategies, isRunning, onRun }: Props) {
  const [form, setForm] = useState<Form>(() => beginning(vault));
  const [isTried, setTried] = useState(false);
  const faults = faultsOf(form);
  const shownFaults: typeof faults = isTried ? faults : {};
  const put = (part: Partial<Form>) => setForm((now) => ({ ...now, ...part }));
  const run = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (Object.keys(faults).length === 0) onRun(requestOf(form, vault));
  };
  const part = { form, faults: shownFaults, put };
  return (
    <Card>
      <form aria-label="Simulation" noValidate onSubmit={run} className="flex flex-col gap-4">
        <div className="grid grid-cols-1 items-start gap-3 sm:grid-cols-2 lg:grid-cols-4">
          <Choice label="Kind" value={form.kind} options={kinds} onChange={(kind) => put({ kind })} />
          {form.kind === 'backtest' ? <PastFields {...part} /> : <AheadFields {...part} symbol={vault.asset.symbol} />}
          <Field
            label="Slippage of each execution (bps)"
            value={form.slippage_bps}
            onChange={(slippage_bps) => put({ slippage_bps })}
            error={shownFaults.slippage_bps}
            inputMode="numeric"
            autoComplete="off"
          />
        </div>
        {form.kind === 'ahead' ? <ApyFields {...part} vault={vault} /> : null}
        <StrategyChoice {...part} strategies={strategies} />
        <span className="flex flex-wrap items-center gap-3">
          <ReasonedButton type="submit" look="primary" reason={whyNotRun(isRunning, strategies)}>
            {isRunning ? 'Running' : 'Run the simulation'}
          </ReasonedButton>
          <span className="text-12 text-muted">Nothing is sent to the chain.</span>
        </span>
      </form>
    </Card>
  );
}

function whyNotRun(isRunning: boolean, strategies: Props['strategies']): string | null {
  if (isRunning) return 'The result appears below.';
  return strategies.length === 0 ? 'It takes a strategy to try.' : null;
}

type PartProps = { form: Form; faults: ReturnType<typeof faultsOf>; put: (part: Partial<Form>) => void };

function PastFields({ form, faults, put }: PartProps) {
  const field = (name: 'from' | 'to', label: string) => (
    <label className="flex min-w-0 flex-col gap-1 text-13 font-medium">
      {label}
      <input
        type="datetime-local"
        value={form[name]}
        aria-invalid={faults[name] !== undefined}
        onChange={({ target }) => put({ [name]: target.value })}
        className="h-9 w-full rounded-control border border-line-strong bg-raised px-3 text-13 aria-invalid:border-danger"
      />
      {faults[name] === undefined ? null : <span className="text-12 font-normal text-danger">{faults[name]}</span>}
    </label>
  );
  return (
    <>
      {field('from', 'From (UTC)')}
      {field('to', 'To (UTC)')}
    </>
  );
}

function AheadFields({ form, faults, put, symbol }: PartProps & { symbol: string }) {
  const fields = [
    { name: 'horizon_days', label: 'Days ahead' },
    { name: 'step_minutes', label: 'Time between readings (minutes)' },
    { name: 'net_deposits', label: `Net deposits per day (${symbol})` },
  ] as const;
  return fields.map(({ name, label }) => (
    <Field
      key={name}
      label={label}
      value={form[name]}
      onChange={(text) => put({ [name]: text })}
      error={faults[name]}
      inputMode={name === 'net_deposits' ? 'text' : 'numeric'}
      autoComplete="off"
    />
  ));
}

function ApyFields({ form, faults, put, vault }: PartProps & { vault: Shown['vault'] }) {
  const sources = sourcesOf(vault);
  if (sources.length === 0) return null;
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="text-13 font-medium">Yearly yield to assume (%)</legend>
      <div className="grid grid-cols-1 items-start gap-3 sm:grid-cols-2 lg:grid-cols-4">
        {sources.map(({ source_address, name, apy }) => (
          <Field
            key={source_address}
            label={name}
            value={form.apys[source_address] ?? ''}
            onChange={(text) => put({ apys: { ...form.apys, [source_address]: text } })}
            error={faults[`apy:${source_address}`]}
            placeholder={apy === null ? 'none known' : `as now, ${typedDecimals(apy * 100, 2)}`}
            autoComplete="off"
          />
        ))}
      </div>
    </fieldset>
  );
}

function StrategyChoice({ form, faults, put, strategies }: PartProps & { strategies: readonly Strategy[] }) {
  const toggle = (id: string) =>
    put({
      strategy_ids: form.strategy_ids.includes(id)
        ? form.strategy_ids.filter((each) => each !== id)
        : [...form.strategy_ids, id],
    });
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="text-13 font-medium">Strategies to try</legend>
      {strategies.length === 0 ? (
        <p className="text-13 text-muted">There is none yet. Save one first; it does not have to be started.</p>
      ) : (
        <div className="grid grid-cols-1 gap-x-4 sm:grid-cols-2">
          {strategies.map(({ id, name, lane }) => (
            <label key={id} className="flex min-h-8 items-center gap-2 text-13">
              <input
                type="checkbox"
                checked={form.strategy_ids.includes(id)}
                onChange={() => toggle(id)}
                className="size-4 accent-[var(--accent)]"
              />
              <span className="min-w-0 break-words">{name}</span>
              <span className="text-12 text-muted">{laneWords[lane].title}</span>
            </label>
          ))}
        </div>
      )}
      {faults.strategy_ids === undefined ? null : (
        <p role="alert" className="text-12 text-danger">
          {faults.strategy_ids}
        </p>
      )}
    </fieldset>
  );
}
