import { clsx } from 'clsx';
import { Check, Copy, ExternalLink } from 'lucide-react';
import { memo, useState } from 'react';
import { Button } from 'react-aria-components';
import { shortHex } from '../format/address.ts';
import { toast } from './toast.tsx';

const iconLook = 'grid size-6 shrink-0 place-items-center rounded text-muted hover:bg-raised hover:text-text';

export function CopyButton({ value, what }: { value: string; what: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      setCopied(true);
      setTimeout(() => setCopied(false), 1_500);
    } catch {
      toast({ tone: 'warn', title: `The browser did not allow copying. The ${what} is ${value}` });
    }
  };
  return (
    <Button aria-label={copied ? `Copied ${what}` : `Copy ${what}`} onPress={copy} className={iconLook}>
      {copied ? <Check size={14} aria-hidden="true" /> : <Copy size={14} aria-hidden="true" />}
    </Button>
  );
}

type Props = {
  value: string;
  /** What the address is, for the buttons' names: "vault address". */
  what: string;
  explorerUrl?: string | null | undefined;
  kind?: 'address' | 'tx';
  whole?: boolean;
};

/** An address or hash in short form with copy and explorer; the whole of it on hover and to a screen reader. */
export const AddressTag = memo(({ value, what, explorerUrl, kind = 'address', whole = false }: Props) => {
  return (
    <span className="inline-flex min-w-0 items-center gap-0.5">
      <span title={value} className={clsx('font-mono text-13', whole ? 'break-all' : 'whitespace-nowrap')}>
        <span aria-hidden={!whole}>{whole ? value : shortHex(value)}</span>
        {whole ? null : <span className="sr-only">{value}</span>}
      </span>
      <CopyButton value={value} what={what} />
      {explorerUrl ? (
        <a
          href={`${explorerUrl.replace(/\/$/, '')}/${kind}/${value}`}
          target="_blank"
          rel="noreferrer"
          aria-label={`Open ${what} in the explorer`}
          className={iconLook}
        >
          <ExternalLink size={14} aria-hidden="true" />
        </a>
      ) : null}
    </span>
  );
});
