import { DisplayName } from '@castellan/contracts';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useApp } from '../app/services.ts';
import type { Vault } from '../data/queries.ts';
import { AddressTag } from '../design/address-tag.tsx';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Field } from '../design/field.tsx';
import { Failure } from '../design/states.tsx';
import { sameAddress } from '../format/address.ts';
import { useSession } from '../session/use-session.ts';
import type { Row } from './access.ts';

type Props = { row: Row; vault: Vault; onDone: () => void; onClose: () => void };

/** Names oneself everywhere, or, as primary manager, labels a wallet on this vault. */
export function NameDialog({ row: { user }, vault, onDone, onClose }: Props) {
  const { api } = useApp();
  const session = useSession();
  const [name, setName] = useState(user.display_name ?? '');
  const [fault, setFault] = useState<string>();
  const isSelf = session.status !== 'anonymous' && sameAddress(user.wallet_address, session.address);
  const save = useMutation({
    mutationFn: (display_name: string) =>
      api.setDisplayName({
        params: { wallet_address: user.wallet_address },
        body: isSelf
          ? { display_name }
          : { display_name, vault_address: vault.vault_address, chain_id: vault.chain_id },
      }),
    onSuccess: () => {
      onDone();
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const parsed = DisplayName.safeParse(name);
    if (!parsed.success) return setFault(`A name ${parsed.error.issues[0]?.message ?? 'is not valid'}.`);
    setFault(undefined);
    save.mutate(parsed.data);
  };
  return (
    <Dialog title={isSelf ? 'Your display name' : 'Name this wallet'} isOpen onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
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
        {save.isError ? <Failure error={save.error} title="The name was not saved" /> : null}
        <Button type="submit" look="primary" isDisabled={save.isPending}>
          {save.isPending ? 'Saving' : 'Save name'}
        </Button>
      </form>
    </Dialog>
  );
}
