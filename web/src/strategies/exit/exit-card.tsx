import { Lock as LockIcon, Siren } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { AddressTag } from '../../design/address-tag.tsx';
import { Button } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { Field } from '../../design/field.tsx';
import { Pill } from '../../design/pill.tsx';
import { Failure, Notice } from '../../design/states.tsx';
import { toast } from '../../design/toast.tsx';
import { sameAddress } from '../../format/address.ts';
import { formatBps, formatBpsShare, NONE } from '../../format/figures.ts';
import { formatUtc } from '../../format/time.ts';
import { assetsExact, assetsText } from '../../vault/money.ts';
import type { Shown } from '../../vault/vault-gate.tsx';
import { type Lock, nameAt, type Strategy, sourceAt } from '../types.ts';
import { useStrategyActions } from '../use-strategies.ts';

/** As long as the one of a pause: enough to look at the address, little enough for an emergency. */
const SUFFIX = 6;

const namesOf = (strategies: readonly Strategy[]): string => strategies.map(({ name }) => name).join(', ');

const isBps = (typed: string): boolean => /^\d{1,5}$/.test(typed.trim()) && Number(typed) <= 10_000;

type Props = {
  shown: Shown;
  exit: Strategy;
  locks: readonly Lock[];
  own: readonly Strategy[];
  may: boolean;
  /** It is not known what is locked: nothing is armed or stopped until it is. */
  isClosed: boolean;
};

/** The exit from one source: what is there, what it locks, and what arms or stops it. */
export function ExitCard({ shown: { vault, chain }, exit, locks, own, may, isClosed }: Props) {
  const target = exit.action_config.target_address;
  const [asked, setAsked] = useState<'arm' | 'stop'>();
  const source = sourceAt(vault, target);
  const lock = locks.find(({ target_address }) => sameAddress(target_address, target));
  const held = source?.assets ?? null;
  const stopped = own.filter(({ action_config }) => sameAddress(action_config.target_address, target));
  return (
    <Card className={lock === undefined ? 'flex flex-col gap-3' : 'flex flex-col gap-3 border-danger'}>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 className="min-w-0 text-14 font-semibold break-words">{nameAt(vault, target)}</h3>
        {lock === undefined ? (
          <Pill tone="plain">Not armed</Pill>
        ) : (
          <Pill tone="critical" icon={Siren}>
            Armed
          </Pill>
        )}
      </div>
      <div className="flex flex-wrap items-center justify-between gap-2 text-13">
        <AddressTag value={target} what="source address" explorerUrl={chain.explorer_url} />
        <span title={held === null ? undefined : assetsExact(vault, held)}>
          {held === null ? `${NONE} not known` : `${assetsText(vault, held)} there`}
        </span>
      </div>
      {lock === undefined ? null : (
        <p className="flex items-start gap-2 text-13">
          <LockIcon size={14} aria-hidden="true" className="mt-[3px] shrink-0 text-danger" />
          <span>{`Locked since ${formatUtc(lock.started_at)}. ${lock.reason ?? 'No reason was given.'}`}</span>
        </p>
      )}
      <p className="text-13 text-muted">
        {stopped.length === 0
          ? 'No other strategy works on this source.'
          : `${lock === undefined ? 'Would stop' : 'Stops'}: ${namesOf(stopped)}.`}
      </p>
      {may ? (
        <span>
          {lock === undefined ? (
            <Button
              look="danger"
              aria-label={`Arm the exit from ${nameAt(vault, target)}`}
              onPress={() => setAsked('arm')}
            >
              Arm
            </Button>
          ) : (
            <Button aria-label={`Stop the exit from ${nameAt(vault, target)}`} onPress={() => setAsked('stop')}>
              Stop
            </Button>
          )}
        </span>
      ) : null}
      {asked === undefined ? null : (
        <Dialog
          title={`${asked === 'arm' ? 'Arm' : 'Stop'} the exit from ${nameAt(vault, target)}`}
          isOpen
          onClose={() => setAsked(undefined)}
        >
          {asked === 'arm' ? (
            <ArmForm
              vault={vault}
              exit={exit}
              held={held}
              stopped={stopped}
              isClosed={isClosed}
              onDone={() => setAsked(undefined)}
            />
          ) : (
            <StopForm vault={vault} exit={exit} isClosed={isClosed} onDone={() => setAsked(undefined)} />
          )}
        </Dialog>
      )}
    </Card>
  );
}

type FormProps = { vault: Shown['vault']; exit: Strategy; isClosed: boolean; onDone: () => void };

const Closed = () => (
  <Notice tone="critical" title="Not now">
    What is locked is not known. What you typed stays, and the button works as soon as it is.
  </Notice>
);

const done = (what: string, onDone: () => void) => (exit: Strategy) => {
  toast({ tone: 'info', title: `${exit.name} ${what}`, key: 'strategy-state' });
  onDone();
};

/** What the keeper will do, and which strategies stop meanwhile. */
function Effect({ vault, held, stopped }: Pick<ArmProps, 'vault' | 'held' | 'stopped'>) {
  return (
    <p className="text-13" title={held === null ? undefined : assetsExact(vault, held)}>
      {`The keeper withdraws ${held === null ? 'all that is there' : assetsText(vault, held)}, block by block, until you stop it. `}
      {stopped.length === 0 ? 'No other strategy stops.' : `Stops: ${namesOf(stopped)}.`}
    </p>
  );
}

type ArmProps = FormProps & { held: string | null; stopped: readonly Strategy[] };

/** A wrong source drained costs as much as the right one saves, so its address is typed. */
function ArmForm({ vault, exit, held, stopped, isClosed, onDone }: ArmProps) {
  const { setState } = useStrategyActions(vault);
  const target = exit.action_config.target_address;
  const suffix = target.slice(-SUFFIX);
  const [typed, setTyped] = useState('');
  const [reason, setReason] = useState('');
  const [slippage, setSlippage] = useState(String(exit.action_config.max_slippage_bps));
  const isConfirmed = typed.trim().toLowerCase() === suffix.toLowerCase();
  const isSlippage = isBps(slippage);
  const arm = (event: FormEvent) => {
    event.preventDefault();
    if (!isConfirmed || !isSlippage || isClosed) return;
    const why = reason.trim();
    setState.mutate(
      {
        strategy: exit,
        target_state: 'RUNNING',
        emergency_max_slippage_bps: Number(slippage),
        ...(why === '' ? {} : { emergency_arm_reason: why }),
      },
      { onSuccess: done('was armed', onDone) },
    );
  };
  return (
    <form aria-label="Arm the exit" noValidate onSubmit={arm} className="flex flex-col gap-3">
      <Effect vault={vault} held={held} stopped={stopped} />
      <p className="font-mono text-13 break-all">
        <span className="sr-only">Source address </span>
        {target.slice(0, -SUFFIX)}
        <strong className="inline-block rounded bg-raised px-0.5 whitespace-nowrap text-danger">{suffix}</strong>
      </p>
      <Field
        label={`Type the last ${SUFFIX} characters of the source address`}
        value={typed}
        onChange={setTyped}
        hint="The button works once these match the address above."
        mono
        autoComplete="off"
        autoCorrect="off"
        spellCheck="false"
        isRequired
      />
      <Field
        label="Reason"
        value={reason}
        onChange={setReason}
        maxLength={500}
        hint="Optional. It stands beside the lock and in the audit log."
        autoComplete="off"
      />
      <Field
        label="Max slippage of each withdrawal (bps)"
        value={slippage}
        onChange={setSlippage}
        hint={isSlippage ? `${formatBps(Number(slippage))} is ${formatBpsShare(Number(slippage))}.` : undefined}
        error={isSlippage ? undefined : 'A whole number from 0 to 10,000.'}
        inputMode="numeric"
        autoComplete="off"
        className="sm:max-w-64"
      />
      {isClosed ? <Closed /> : null}
      {setState.isError ? <Failure error={setState.error} title="It was not armed" /> : null}
      <span className="flex flex-wrap justify-end gap-2">
        <Button onPress={onDone}>Do not arm it</Button>
        <Button
          type="submit"
          look="danger"
          className="border-danger"
          isDisabled={!isConfirmed || !isSlippage || isClosed || setState.isPending}
        >
          Arm the exit
        </Button>
      </span>
    </form>
  );
}

function StopForm({ vault, exit, isClosed, onDone }: FormProps) {
  const { setState } = useStrategyActions(vault);
  return (
    <div className="flex flex-col gap-4 text-13">
      <p>No further withdrawal is made, and the other strategies of this source act again at the next block.</p>
      {isClosed ? <Closed /> : null}
      {setState.isError ? <Failure error={setState.error} title="It was not stopped" /> : null}
      <span className="flex flex-wrap justify-end gap-2">
        <Button onPress={onDone}>Let it go on</Button>
        <Button
          look="primary"
          isDisabled={isClosed || setState.isPending}
          onPress={() =>
            setState.mutate({ strategy: exit, target_state: 'IDLE' }, { onSuccess: done('was stopped', onDone) })
          }
        >
          Stop the exit
        </Button>
      </span>
    </div>
  );
}
