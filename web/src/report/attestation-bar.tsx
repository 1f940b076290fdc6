import { useMutation, useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { download } from '../charts/download.ts';
import { useApp } from '../client/services.ts';
import { mandateStatusQuery, type Vault } from '../data/queries.ts';
import { usePollMs } from '../data/use-live.ts';
import { Button } from '../design/button.tsx';
import { Choice } from '../design/choice.tsx';
import { explain } from '../design/explain.ts';
import { toast } from '../design/toast.tsx';
import { useKeptAfterSession, useViewer } from '../session/use-session.ts';
import { monthsOf } from './months.ts';
import { readFile } from './read-file.ts';

/** Saves the signed attestation of a month that is over; nothing before the first month is, and without a mandate in force. */
export function AttestationBar({ vault }: { vault: Vault }) {
  const { api, session } = useApp();
  const enabled = useKeptAfterSession();
  const mandate = useQuery({ ...mandateStatusQuery(api, useViewer(), vault, usePollMs()), enabled });
  const months = monthsOf(vault.created_at, vault.chain_time).slice(1);
  const [chosen, setChosen] = useState<string>();
  const period = chosen ?? months[0]?.value;
  const file = useMutation({
    mutationFn: (month: string) =>
      readFile(session, `/api/v1/vaults/${vault.chain_id}/${vault.vault_address}/mandate/attestations/${month}`),
    onSuccess: (blob, month) => download(`${vault.vault_address}-attestation-${month}.json`, blob),
    onError: (error) =>
      toast({ tone: 'critical', title: 'The attestation could not be read', detail: explain(error).detail }),
  });
  if (period === undefined || mandate.data === undefined || mandate.data.version === null) return null;
  return (
    <section
      aria-label="Attestation of a month"
      className="flex flex-wrap items-center gap-2 rounded-card border bg-surface p-3 print:hidden"
    >
      <p className="mr-auto text-13 text-muted">
        The state of each promise over a month, signed; its keys are{' '}
        <a href="/.well-known/castellan-attestations.json" className="link">
          published
        </a>
        .
      </p>
      <Choice
        label="Month of the attestation"
        hideLabel
        value={period}
        options={months}
        onChange={setChosen}
        className="w-48"
      />
      <Button isDisabled={file.isPending} onPress={() => file.mutate(period)}>
        <Download size={14} aria-hidden="true" />
        {file.isPending ? 'Reading' : 'Attestation'}
      </Button>
    </section>
  );
}
