import { mandateHash, mandateTypedData } from '@castellan/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import type { Config } from 'wagmi';
import { useApp } from '../client/services.ts';
import { paramsOf } from '../data/queries.ts';
import { AddressTag } from '../design/address-tag.tsx';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { Pill } from '../design/pill.tsx';
import { Empty, Failure, RowSkeletons, Skeleton } from '../design/states.tsx';
import { toast } from '../design/toast.tsx';
import { formatUtc } from '../format/time.ts';
import { ReadTrouble } from '../live/read-trouble.tsx';
import { useKeptAfterSession, useViewer } from '../session/use-session.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import { DocumentEditor } from './document-editor.tsx';
import { differences } from './promise-words.ts';
import { type Version, versionsQuery } from './queries.ts';

/** What computes digests is for who signs. */
const DigestList = lazy(async () => ({ default: (await import('../digests/digest-list.tsx')).DigestList }));

const states = {
  draft: { tone: 'info', word: 'Draft' },
  in_force: { tone: 'ok', word: 'In force' },
  superseded: { tone: 'plain', word: 'Superseded' },
} as const;

/** The history of the mandate, and the next version of it. */
export function VersionsCard({ shown }: { shown: Shown }) {
  const { api } = useApp();
  const enabled = useKeptAfterSession();
  const list = useQuery({ ...versionsQuery(api, useViewer(), shown.vault), enabled });
  const role = shown.vault.my_role;
  const mayDraft = role === 'primary_manager' || role === 'secondary_manager';
  const versions = list.data?.versions;
  const [newest] = versions ?? [];
  return (
    <Card isFlush>
      <h3 className="border-b px-4 py-3 text-14 font-semibold">Versions</h3>
      {versions === undefined ? (
        list.isError ? (
          <ReadTrouble of={list} what="The versions" />
        ) : (
          <RowSkeletons rows={3} />
        )
      ) : (
        <>
          {versions.length === 0 ? (
            <Empty isCompact title="No version yet">
              A manager writes the first one below; the primary manager puts it into force with a signature.
            </Empty>
          ) : (
            <ul aria-label="Versions" className="divide-y">
              {versions.map((version, index) => (
                <VersionRow
                  key={version.version}
                  version={version}
                  before={versions[index + 1]}
                  shown={shown}
                  newest={newest}
                />
              ))}
            </ul>
          )}
          {mayDraft ? (
            <details className="border-t" open={versions.length === 0}>
              <summary className="cursor-pointer px-4 py-3 text-13 font-medium hover:bg-raised">
                Write the next version
              </summary>
              <DocumentEditor
                shown={shown}
                replaces={newest?.version ?? 0}
                start={newest && JSON.stringify(newest.document, null, 2)}
              />
            </details>
          ) : null}
        </>
      )}
    </Card>
  );
}

type RowProps = { version: Version; before: Version | undefined; newest: Version | undefined; shown: Shown };

function VersionRow({ version, before, newest, shown }: RowProps) {
  const { tone, word } = states[version.state];
  const changes = differences(before?.document, version.document);
  const isEnforceable = version.state === 'draft' && version.version === newest?.version;
  return (
    <li>
      <details>
        <summary className="cursor-pointer px-4 py-3 marker:text-muted hover:bg-raised">
          <span className="inline-flex max-w-[calc(100%-1.5rem)] flex-wrap items-center gap-2 pl-1 align-top text-13">
            <span className="font-medium">{`Version ${version.version}`}</span>
            <Pill tone={tone}>{word}</Pill>
            <span className="text-muted">{`${version.document.title}, ${formatUtc(version.created_at)}`}</span>
          </span>
        </summary>
        <div className="flex flex-col gap-2 px-4 pb-4 text-13">
          <p className="flex flex-wrap items-center gap-1 text-muted">
            Written by <AddressTag value={version.created_by} what="wallet that wrote the version" />
          </p>
          {version.signed_by === null || version.in_force_from === null ? null : (
            <p className="flex flex-wrap items-center gap-1 text-muted">
              {`Signed ${formatUtc(version.in_force_from)} by`}
              <AddressTag value={version.signed_by} what="wallet that signed the version" />
            </p>
          )}
          <p className="font-medium">
            {before === undefined ? 'What it says' : `What is different from version ${before.version}`}
          </p>
          <ul className="flex flex-col gap-1">
            {changes.map(({ id, before: was, after }) => (
              <li key={id} className="break-words">
                <code className="font-mono">{id}</code>
                {': '}
                {was === null ? null : <del className="text-muted">{was}</del>}{' '}
                {after === null ? null : <ins className="no-underline">{after}</ins>}
              </li>
            ))}
          </ul>
        </div>
      </details>
      {isEnforceable && shown.vault.my_role === 'primary_manager' ? <Enforce version={version} shown={shown} /> : null}
    </li>
  );
}

/** The wallet signs the hash that is worked out here, of the document that is shown. */
const typedDataOf = ({ chain_id, vault_address }: Shown['vault'], { version, document }: Version) =>
  mandateTypedData({ chain_id, vault_address, version, document_hash: mandateHash(document) });

async function signatureOf(wallets: Config, vault: Shown['vault'], of: Version): Promise<string> {
  const { signTypedData } = await import('wagmi/actions');
  const { domain, types, primaryType, message } = typedDataOf(vault, of);
  return signTypedData(wallets, { domain, types, primaryType, message } as never);
}

function Enforce({ version, shown }: { version: Version; shown: Shown }) {
  const { api, wallets } = useApp();
  const queries = useQueryClient();
  const send = useMutation({
    mutationFn: async () =>
      api.enforceMandate({
        params: { ...paramsOf(shown.vault), version: String(version.version) },
        body: { signature: await signatureOf(await wallets(), shown.vault, version) },
      }),
    onSuccess: () => {
      toast({ tone: 'info', title: `Version ${version.version} is in force` });
      return queries.invalidateQueries({ queryKey: ['mandate'] });
    },
  });
  return (
    <div className="flex flex-wrap items-center gap-3 px-4 pb-4">
      <div className="w-full">
        <Suspense fallback={<Skeleton className="h-36 w-full" />}>
          <DigestList typedData={typedDataOf(shown.vault, version)} />
        </Suspense>
      </div>
      <Button look="primary" isDisabled={send.isPending} onPress={() => send.mutate()}>
        {send.isPending ? 'Waiting for the wallet' : `Sign and put version ${version.version} into force`}
      </Button>
      <span className="text-13 text-muted">
        {version.document.public ? 'Everybody can read it then.' : 'People with a role on the vault can read it then.'}
      </span>
      {send.isError ? <Failure error={send.error} title="The version was not put into force" /> : null}
    </div>
  );
}
