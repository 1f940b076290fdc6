import { DisplayName } from '@castellan/contracts';
import { type FormEvent, useState } from 'react';
import type { Vault } from '../data/queries.ts';
import { AddressTag } from '../design/address-tag.tsx';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Field } from '../design/field.tsx';
import { Failure, Notice } from '../design/states.tsx';
import { sameAddress } from '../format/address.ts';
import { useSession } from '../session/use-session.ts';
import type { Row } from './access.ts';
import { type Conflict, useSaveName } from './use-save-name.ts';

type Props = { row: Row; vault: Vault; onDone: () => void; onClose: () => void };

/** Names oneself everywhere, or, as primary manager, labels a wallet on this vault. */
export function NameDialog({ row: { user }, vault, onDone, onClose }: Props) {
  const session = useSession();
  const [name, setName] = useState(user.display_name ?? '');
  const [fault, setFault] = useState<string>();
  const isSelf = session.status !== 'anonymous' && sameAddress(user.wallet_address, session.address);
  const { save, conflict } = useSaveName(vault, user, isSelf, () => {
    onDone();
    onClose();
  });
  const submit = (version: number) => {
    const parsed = DisplayName.safeParse(name);
    if (!parsed.success) return setFault(`A name ${parsed.error.issues[0]?.message ?? 'is not valid'}.`);
    setFault(undefined);
    save.mutate({ name: parsed.data, version });
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    submit(user.label_version);
  };
  return (
    <Dialog title={isSelf ? 'Your display name' : 'Name this wallet'} isOpen onClose={onClose}>
      <form onSubmit={onSubmit} className="flex flex-col gap-4">
        <AddressTag value={user.wallet_address} what="wallet address" />
        <Field
          label="Display name"
          value={name}
          onChange={setName}
          error={fault}
          hint={isSelf ? 'Shown wherever a vault has no label of its own for you.' : 'Shown on this vault only.'}
          autoComplete="off"
          autoFocus
        />
        {save.isError && conflict === undefined ? <Failure error={save.error} title="The name was not saved" /> : null}
        {conflict === undefined ? (
          <Button type="submit" look="primary" isDisabled={save.isPending}>
            {save.isPending ? 'Saving' : 'Save name'}
          </Button>
        ) : (
          <ConflictNotice
            conflict={conflict}
            isSaving={save.isPending}
            onSave={() => submit(conflict.version)}
            onKeep={() => {
              onDone();
              onClose();
            }}
          />
        )}
      </form>
    </Dialog>
  );
}

type ConflictProps = { conflict: Conflict; isSaving: boolean; onSave: () => void; onKeep: () => void };

/** Somebody was faster: both names are seen, and nothing is overwritten without saying so. */
function ConflictNotice({ conflict: { name }, isSaving, onSave, onKeep }: ConflictProps) {
  const title =
    name === null
      ? 'The name was taken away by someone else meanwhile'
      : `“${name}” was saved by someone else meanwhile`;
  return (
    <Notice tone="warn" title={title}>
      <p>What you typed is still here and was not saved.</p>
      <span className="flex flex-wrap gap-2 pt-3">
        <Button look="primary" isDisabled={isSaving} onPress={onSave}>
          {isSaving ? 'Saving' : 'Save mine anyway'}
        </Button>
        <Button isDisabled={isSaving} onPress={onKeep}>
          {name === null ? 'Leave it so' : `Keep “${name}”`}
        </Button>
      </span>
    </Notice>
  );
}
