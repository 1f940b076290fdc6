import { type FormEvent, useState } from 'react';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Field } from '../design/field.tsx';
import { sameAddress } from '../format/address.ts';
import { readWallet } from '../users/wallet-input.ts';
import type { Listing, Source, SourceChange } from './types.ts';

type Props = {
  sources: readonly Source[];
  oracles: Listing['oracles'];
  onPrepare: (change: SourceChange) => void;
  onClose: () => void;
};

/** Asks which oracle is to value the chosen sources. */
export function OracleDialog({ sources, oracles, onPrepare, onClose }: Props) {
  const [text, setText] = useState('');
  const [fault, setFault] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const read = readWallet(text);
    if ('error' in read) return setFault(read.error);
    if (sources.every(({ oracle_address }) => sameAddress(oracle_address, read.address))) {
      return setFault('This oracle values them already.');
    }
    onPrepare({
      kind: 'update_yield_source_oracles',
      args: { sources: sources.map(({ source_address }) => ({ source_address, oracle_address: read.address })) },
    });
  };
  return (
    <Dialog
      title={sources.length === 1 ? `Oracle of ${sources[0]?.name}` : `Oracle of ${sources.length} sources`}
      isOpen
      onClose={onClose}
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <p className="text-13 text-muted">
          The oracle says what the vault's holding is worth, and the price per share follows it. An oracle that does not
          answer for a source is refused before anything is signed.
        </p>
        <Field
          label="New oracle"
          value={text}
          onChange={(value) => {
            setText(value);
            setFault(undefined);
          }}
          error={fault}
          hint="Oracles that others use on this chain are offered while you type."
          suggestions={oracles.map(({ oracle_address }) => oracle_address)}
          mono
          placeholder="0x"
          autoComplete="off"
          autoFocus
        />
        <Button type="submit" look="primary">
          Prepare change
        </Button>
      </form>
    </Dialog>
  );
}
