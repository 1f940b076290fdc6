import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { download } from '../charts/download.ts';
import { useApp } from '../client/services.ts';
import type { Vault } from '../data/queries.ts';
import { Button } from '../design/button.tsx';
import { explain } from '../design/explain.ts';
import { toast } from '../design/toast.tsx';
import { type ExportFormat, exportFormats, readFile } from './export.ts';
import { type AuditFilter, queryOf } from './filter.ts';

type Props = { vault: Vault; filter: AuditFilter; isDisabled: boolean };

/** Saves all rows of the filter, not only those on the page. */
export function ExportButtons({ vault, filter, isDisabled }: Props) {
  const { session } = useApp();
  const file = useMutation({
    mutationFn: (format: ExportFormat) => readFile(session, { vault, format, query: queryOf(filter) }),
    onSuccess: ({ name, blob }) => download(name, blob),
    onError: (error) => toast({ tone: 'critical', title: 'The file could not be made', detail: explain(error).detail }),
  });
  return (
    <span className="flex flex-wrap items-center gap-2">
      {exportFormats.map((format) => (
        <Button
          key={format}
          aria-label={`Download the filtered log as ${format.toUpperCase()}`}
          isDisabled={isDisabled || file.isPending}
          onPress={() => file.mutate(format)}
        >
          <Download size={14} aria-hidden="true" />
          {file.isPending && file.variables === format ? 'Reading' : format.toUpperCase()}
        </Button>
      ))}
    </span>
  );
}
