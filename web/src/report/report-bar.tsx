import { useMutation } from '@tanstack/react-query';
import { Download, FileText } from 'lucide-react';
import { useState } from 'react';
import { download } from '../charts/download.ts';
import { useApp } from '../client/services.ts';
import { Button } from '../design/button.tsx';
import { Choice } from '../design/choice.tsx';
import { explain } from '../design/explain.ts';
import { toast } from '../design/toast.tsx';
import { anchors } from '../navigation/anchors.ts';
import { useFormArrival } from '../navigation/use-form-arrival.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import { lastWhole, monthsOf } from './months.ts';
import { readFile } from './read-file.ts';

const forms = [anchors.report] as const;

/** The report of a month, for who reads the vault's performance or is about to print it; people with a role can save the full edition. */
export default function ReportBar({ shown: { vault } }: { shown: Shown }) {
  const { session } = useApp();
  useFormArrival(forms);
  const months = monthsOf(vault.created_at, vault.chain_time);
  const [chosen, setChosen] = useState<string>();
  const period = chosen ?? lastWhole(months) ?? vault.chain_time.slice(0, 7);
  const addressOf = (more: Readonly<Record<string, string>>) =>
    `/api/v1/vaults/${vault.chain_id}/${vault.vault_address}/report?${new URLSearchParams({ period, ...more })}`;
  const full = useMutation({
    mutationFn: () => readFile(session, addressOf({ edition: 'full', format: 'html' })),
    onSuccess: (blob) => download(`${vault.vault_address}-report-${period}-full.html`, blob),
    onError: (error) =>
      toast({ tone: 'critical', title: 'The report could not be made', detail: explain(error).detail }),
  });
  return (
    <section
      id={anchors.report}
      aria-label="Report of a month"
      className="flex flex-wrap items-center gap-2 rounded-card border bg-surface p-3 print:hidden"
    >
      <p className="mr-auto text-13 text-muted">
        To send or print: one page about a month, with the receipt of each figure.
      </p>
      <Choice label="Month" hideLabel value={period} options={months} onChange={setChosen} className="w-48" />
      <a
        href={addressOf({ format: 'html' })}
        target="_blank"
        rel="noreferrer"
        className="inline-flex min-h-9 items-center gap-2 rounded-control border bg-surface px-3 text-13 font-medium hover:bg-raised"
      >
        <FileText size={14} aria-hidden="true" />
        Report
      </a>
      <a
        href={addressOf({ format: 'json' })}
        download={`${vault.vault_address}-report-${period}.json`}
        className="inline-flex min-h-9 items-center gap-2 rounded-control border bg-surface px-3 text-13 font-medium hover:bg-raised"
      >
        <Download size={14} aria-hidden="true" />
        JSON
      </a>
      {vault.my_role === null ? null : (
        <Button isDisabled={full.isPending} onPress={() => full.mutate()}>
          <Download size={14} aria-hidden="true" />
          {full.isPending ? 'Reading' : 'With alerts'}
        </Button>
      )}
    </section>
  );
}
