import { Reason } from '@castellan/contracts';
import { type FormEvent, useState } from 'react';
import { Button } from '../design/button.tsx';
import { Field } from '../design/field.tsx';

/** How much of the address is typed: enough to look at it, little enough for an emergency. */
const SUFFIX = 6;

type Props = {
  kind: 'pause' | 'unpause';
  vaultAddress: string;
  /** Why nothing can be prepared now. What was typed stays meanwhile. */
  closed: string | undefined;
  onAsk: (reason: string) => void;
};

const words = {
  pause: {
    label: 'Pause the vault',
    submit: 'Prepare pause',
    hint: 'Why it is paused. It is kept in the audit log; 280 characters at most.',
  },
  unpause: {
    label: 'Release the vault',
    submit: 'Prepare release',
    hint: 'Why it may be released. It is kept in the audit log; 280 characters at most.',
  },
} as const;

/** A reason and the end of the address, typed, before a pause or its release is prepared. */
export function ConfirmForm({ kind, vaultAddress, closed, onAsk }: Props) {
  const [reason, setReason] = useState('');
  const [typed, setTyped] = useState('');
  const [isTried, setTried] = useState(false);
  const { label, submit, hint } = words[kind];
  const suffix = vaultAddress.slice(-SUFFIX);
  const isConfirmed = typed.trim().toLowerCase() === suffix.toLowerCase();
  const read = Reason.safeParse(reason);
  const ask = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (closed === undefined && isConfirmed && read.success) onAsk(read.data);
  };
  return (
    <form id="pause-form" aria-label={label} noValidate onSubmit={ask} className="flex flex-col gap-3">
      <Field
        label="Reason"
        value={reason}
        onChange={setReason}
        error={isTried && !read.success ? `The reason ${read.error.issues[0]?.message ?? 'is needed'}.` : undefined}
        hint={hint}
        autoComplete="off"
        isRequired
      />
      <p className="font-mono text-13 break-all">
        <span className="sr-only">Vault address </span>
        {vaultAddress.slice(0, -SUFFIX)}
        <strong className="inline-block rounded bg-raised px-0.5 whitespace-nowrap text-danger">{suffix}</strong>
      </p>
      <Field
        label={`Type the last ${SUFFIX} characters of the vault address`}
        value={typed}
        onChange={setTyped}
        error={isTried && !isConfirmed ? 'These are not the last characters of the address above.' : undefined}
        hint="The button works once these match the address above."
        mono
        autoComplete="off"
        autoCorrect="off"
        spellCheck="false"
        isRequired
        className="sm:max-w-80"
      />
      <div className="flex flex-wrap items-center gap-3">
        <Button
          type="submit"
          look={kind === 'pause' ? 'danger' : 'primary'}
          isDisabled={!isConfirmed || closed !== undefined}
          className={kind === 'pause' ? 'border-danger' : ''}
        >
          {submit}
        </Button>
        <span className="text-12 text-muted">{closed ?? 'You review the call before your wallet signs it.'}</span>
      </div>
    </form>
  );
}
