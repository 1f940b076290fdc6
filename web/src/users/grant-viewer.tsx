import { DisplayName } from '@castellan/contracts';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useApp } from '../client/services.ts';
import type { Vault } from '../data/queries.ts';
import { Button } from '../design/button.tsx';
import { Field } from '../design/field.tsx';
import { Failure } from '../design/states.tsx';
import { toast } from '../design/toast.tsx';
import { sameAddress, shortHex } from '../format/address.ts';
import type { Row } from './access.ts';
import { powersSentence } from './powers.ts';
import { readWallet } from './wallet-input.ts';

type Props = { vault: Vault; rows: readonly Row[]; onGranted: () => void };

export function GrantViewer({ vault, rows, onGranted }: Props) {
  const { api } = useApp();
  const [wallet, setWallet] = useState('');
  const [name, setName] = useState('');
  const [errors, setErrors] = useState<{ wallet?: string; name?: string }>({});
  const grant = useMutation({
    mutationFn: ({ address, displayName }: { address: string; displayName: string | undefined }) =>
      api.grantViewOnly({
        body: {
          vault_address: vault.vault_address,
          chain_id: vault.chain_id,
          wallet_address: address,
          ...(displayName === undefined ? {} : { display_name: displayName }),
        },
      }),
    onSuccess: (_, { address, displayName }) => {
      toast({ tone: 'info', title: `${displayName ?? shortHex(address)} can see this vault in Operate` });
      setWallet('');
      setName('');
      onGranted();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const read = readWallet(wallet);
    const named = name.trim() === '' ? undefined : DisplayName.safeParse(name);
    const faults: { wallet?: string; name?: string } = {};
    if ('error' in read) faults.wallet = read.error;
    else if (rows.some(({ user }) => sameAddress(user.wallet_address, read.address))) {
      faults.wallet = 'This wallet already has a role on the vault.';
    }
    if (named?.success === false) faults.name = `A name ${named.error.issues[0]?.message ?? 'is not valid'}.`;
    setErrors(faults);
    if ('error' in read || faults.wallet !== undefined || faults.name !== undefined) return;
    grant.mutate({ address: read.address, displayName: named?.data });
  };
  return (
    <form
      id="grant-view-only"
      onSubmit={submit}
      aria-label="Grant view-only access"
      className="flex flex-col gap-3 rounded-card border bg-surface p-4"
    >
      <div className="flex flex-wrap items-start gap-3">
        <Field
          label="Viewer's address"
          value={wallet}
          onChange={setWallet}
          error={errors.wallet}
          hint={powersSentence('view_only')}
          mono
          placeholder="0x"
          autoComplete="off"
          className="flex-1 basis-72"
        />
        <Field
          label="Name on this vault (optional)"
          value={name}
          onChange={setName}
          error={errors.name}
          autoComplete="off"
          className="flex-1 basis-48"
        />
        <Button type="submit" look="primary" className="sm:mt-6" isDisabled={grant.isPending}>
          {grant.isPending ? 'Granting' : 'Grant access'}
        </Button>
      </div>
      {grant.isError ? <Failure error={grant.error} title="Access was not granted" /> : null}
    </form>
  );
}
