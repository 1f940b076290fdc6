import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { download } from '../charts/download.ts';
import { Button } from '../design/button.tsx';
import { explain } from '../design/explain.ts';
import { toast } from '../design/toast.tsx';
import { useMoment } from '../moment/use-moment.ts';
import { type ExportRequest, readExport } from './export.ts';

type Props = Omit<ExportRequest, 'at'> & { label: string; isDisabled?: boolean };

/** Saves all rows of the filter, not only those on the page, as CSV. */
export function ExportButton({ label, isDisabled = false, ...request }: Props) {
  const { at } = useMoment();
  const file = useMutation({
    mutationFn: () => readExport({ ...request, at }, (...input) => window.fetch(...input)),
    onSuccess: ({ name, blob }) => download(name, blob),
    onError: (error) => toast({ tone: 'critical', title: 'The file could not be made', detail: explain(error).detail }),
  });
  return (
    <Button aria-label={label} isDisabled={isDisabled || file.isPending} onPress={() => file.mutate()}>
      <Download size={14} aria-hidden="true" />
      {file.isPending ? 'Reading' : 'CSV'}
    </Button>
  );
}
