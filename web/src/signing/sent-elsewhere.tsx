import { type FormEvent, useState } from 'react';
import { Button } from '../design/button.tsx';
import { Field } from '../design/field.tsx';

/** Asks for the hash of a transaction that was sent elsewhere. */
export function SentElsewhere({ onSent }: { onSent: (hash: string) => void }) {
  const [text, setText] = useState('');
  const [error, setError] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const hash = text.trim();
    if (/^0x[0-9a-fA-F]{64}$/.test(hash)) onSent(hash.toLowerCase());
    else setError('A transaction hash is 0x followed by 64 hexadecimal digits.');
  };
  return (
    <form onSubmit={submit} aria-label="Follow the transaction" className="flex flex-wrap items-start gap-3">
      <Field
        label="Transaction hash, once it was sent"
        value={text}
        onChange={(value) => {
          setText(value);
          setError(undefined);
        }}
        error={error}
        hint="The page then follows it until the change is made."
        mono
        placeholder="0x"
        autoComplete="off"
        className="flex-1 basis-72"
      />
      <Button type="submit" className="sm:mt-6">
        Follow it
      </Button>
    </form>
  );
}
