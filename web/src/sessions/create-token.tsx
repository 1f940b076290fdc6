import { DisplayName } from '@castellan/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, lazy, Suspense, useState } from 'react';
import { useApp } from '../client/services.ts';
import { myVaultsQuery } from '../data/queries.ts';
import { Button } from '../design/button.tsx';
import { Choice } from '../design/choice.tsx';
import { explain } from '../design/explain.ts';
import { Field } from '../design/field.tsx';
import { Failure } from '../design/states.tsx';
import type { Asked } from '../digests/digests.ts';
import { useSession, useViewer } from '../session/use-session.ts';
import { type Issued, lifetimes, scopeWords } from './session-labels.ts';

/** What computes digests is for who signs. */
const AskedToSign = lazy(async () => ({ default: (await import('../digests/digest-list.tsx')).AskedToSign }));

const scopes = [
  { value: 'read', label: scopeWords.read },
  { value: 'prepare', label: scopeWords.prepare },
] as const;
const ALL = 'all';

function useVaultOptions(vault: string) {
  const { api } = useApp();
  const viewer = useViewer();
  const isSignedIn = useSession().status === 'signed_in';
  const mine = useQuery({ ...myVaultsQuery(api, viewer), enabled: isSignedIn });
  const vaults = mine.data?.vaults ?? [];
  const idOf = (vault: (typeof vaults)[number]) => `${vault.chain_id}:${vault.vault_address}`;
  return {
    options: [
      { value: ALL, label: 'All my vaults' },
      ...vaults.map((each) => ({ value: idOf(each), label: each.name })),
      // A choice that is gone must not look like all.
      ...(vault === ALL || vaults.some((each) => idOf(each) === vault)
        ? []
        : [{ value: vault, label: 'A vault that is none of yours' }]),
    ],
    find: (id: string) => vaults.find((each) => idOf(each) === id),
  };
}

type Body = Parameters<ReturnType<typeof useApp>['api']['createScopedToken']>[0]['body'];

/** Makes the token; a signature that is too old is given anew in place, and what was typed stays. */
function useCreate(onIssued: (issued: Issued) => void) {
  const app = useApp();
  const { api } = app;
  const [isSigning, setIsSigning] = useState(false);
  const [asked, setAsked] = useState<Asked>();
  const create = useMutation({
    gcTime: 0,
    mutationFn: async (body: Body) => {
      try {
        return await api.createScopedToken({ body });
      } catch (error) {
        if (explain(error).code !== 'STEP_UP_REQUIRED') throw error;
        setIsSigning(true);
        await (await import('../wallet/fresh-signature.ts')).giveFreshSignature(app, setAsked);
        return await api.createScopedToken({ body });
      } finally {
        setIsSigning(false);
        setAsked(undefined);
      }
    },
    onSuccess: (issued) => {
      onIssued(issued);
      // The answer holds the token: it is not kept here once it is handed on.
      create.reset();
    },
  });
  return { create, isSigning, asked };
}

export function CreateToken({ onIssued }: { onIssued: (issued: Issued) => void }) {
  const [name, setName] = useState('');
  const [fault, setFault] = useState<string>();
  const [scope, setScope] = useState<'read' | 'prepare'>('read');
  const [vault, setVault] = useState(ALL);
  const [vaultFault, setVaultFault] = useState<string>();
  const { options, find } = useVaultOptions(vault);
  const [lifetime, setLifetime] = useState<(typeof lifetimes)[number]['value']>('604800');
  const { create, isSigning, asked } = useCreate((issued) => {
    setName('');
    onIssued(issued);
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const parsed = DisplayName.safeParse(name);
    if (!parsed.success) return setFault(`A name ${parsed.error.issues[0]?.message ?? 'is not valid'}.`);
    setFault(undefined);
    const bound = find(vault);
    // It was to be a token for one vault: it never becomes one for all.
    if (vault !== ALL && bound === undefined) return setVaultFault('Choose the vault again: it is none of yours now.');
    setVaultFault(undefined);
    create.mutate({
      name: parsed.data,
      scope,
      expires_in_seconds: Number(lifetime),
      ...(bound === undefined ? {} : { vault: { chain_id: bound.chain_id, vault_address: bound.vault_address } }),
    });
  };
  return (
    <form
      onSubmit={submit}
      aria-labelledby="create-token-title"
      className="flex flex-col gap-3 rounded-card border bg-surface p-4"
    >
      <h2 id="create-token-title" className="text-14 font-semibold">
        New token
      </h2>
      <p className="text-13 text-muted">For a script or a colleague's tool. Give it the least it needs.</p>
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
        <Field
          label="Name"
          value={name}
          onChange={setName}
          error={fault}
          hint="So that you recognise it in the list."
          autoComplete="off"
        />
        <Choice label="May do" value={scope} options={scopes} onChange={setScope} />
        <div className="flex flex-col gap-1">
          <Choice label="Vault" value={vault} options={options} onChange={setVault} />
          {vaultFault === undefined ? null : (
            <p role="alert" className="text-12 text-danger">
              {vaultFault}
            </p>
          )}
        </div>
        <Choice label="Expires after" value={lifetime} options={lifetimes} onChange={setLifetime} />
      </div>
      {create.isError ? <Failure error={create.error} title="The token was not made" /> : null}
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" look="primary" isDisabled={create.isPending}>
          {create.isPending ? 'Making the token' : 'Make token'}
        </Button>
        {isSigning ? (
          <p role="status" className="text-13 text-brass">
            This takes a fresh signature: confirm the message in your wallet.
          </p>
        ) : null}
      </div>
      {asked === undefined ? null : (
        <Suspense>
          <AskedToSign asked={asked} />
        </Suspense>
      )}
    </form>
  );
}
