import { type FormEvent, useState } from 'react';
import { Button } from '../design/button.tsx';
import { Field } from '../design/field.tsx';
import { sameAddress } from '../format/address.ts';
import { MAX_SECONDARY_MANAGERS, type Row } from './access.ts';
import { RolePowers } from './role-powers.tsx';
import { readWallet } from './wallet-input.ts';

/** Asks for the wallet; what the chain would refuse anyway is said before a call is prepared. */
export function AddManager({ rows, onAdd }: { rows: readonly Row[]; onAdd: (manager: string) => void }) {
  const [text, setText] = useState('');
  const [error, setError] = useState<string>();
  const secondaries = rows.filter(({ grant }) => grant.role === 'secondary_manager').length;
  const isFull = secondaries >= MAX_SECONDARY_MANAGERS;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const read = readWallet(text);
    if ('error' in read) return setError(read.error);
    const held = rows.find(({ user }) => sameAddress(user.wallet_address, read.address))?.grant.role;
    if (held === 'secondary_manager') return setError('This wallet is a secondary manager already.');
    if (held === 'primary_manager') return setError('The primary manager cannot be a secondary one.');
    setError(undefined);
    onAdd(read.address);
  };
  return (
    <form
      id="add-manager"
      onSubmit={submit}
      aria-label="Add a secondary manager"
      className="flex flex-wrap items-start gap-3 rounded-card border bg-surface p-4"
    >
      <Field
        label="New manager's address"
        value={text}
        onChange={(value) => {
          setText(value);
          setError(undefined);
        }}
        error={error}
        hint={
          isFull
            ? 'The vault has five secondary managers, the most allowed. Remove one first.'
            : 'Only the primary manager can take the role away again.'
        }
        mono
        placeholder="0x"
        autoComplete="off"
        className="flex-1 basis-72"
      />
      <Button type="submit" look="primary" className="sm:mt-6" isDisabled={isFull}>
        Add manager
      </Button>
      <RolePowers of="secondary_manager" />
    </form>
  );
}
