import { useState } from 'react';
import { Button } from '../design/button.tsx';
import { Field } from '../design/field.tsx';
import { formatExact, toDecimal } from '../format/amount.ts';
import { readAmount } from '../settings/inputs.ts';
import { PrepareForm } from '../settings/parts.tsx';

type Props = {
  label: string;
  submit: string;
  unit: { decimals: number; symbol: string };
  /** All there is of it in base units; undefined while it is not known. */
  all: string | undefined;
  /** Said below the field besides what there is. */
  note: string;
  /** Why nothing can be prepared now. */
  closed: string | undefined;
  onSubmit: (raw: string) => void;
  onCancel: () => void;
};

/** An amount of one token, at most what the wallet has of it. */
export function AmountForm({ label, submit, unit, all, note, closed, onSubmit, onCancel }: Props) {
  const [text, setText] = useState('');
  const [isTried, setTried] = useState(false);
  const { decimals, symbol } = unit;
  const has = all === undefined ? undefined : { raw: all, words: `${formatExact(all, decimals)} ${symbol}` };
  const read = readAmount(text, decimals, has);
  return (
    <PrepareForm
      label={label}
      submit={submit}
      closed={closed}
      onCancel={onCancel}
      onSubmit={() => {
        setTried(true);
        if ('value' in read) onSubmit(read.value);
      }}
    >
      <div className="flex items-start gap-2">
        <Field
          label={`Amount, ${symbol}`}
          value={text}
          onChange={setText}
          error={isTried && 'error' in read ? read.error : undefined}
          hint={has === undefined ? 'From your wallet.' : `Your wallet has ${has.words}.`}
          inputMode="decimal"
          autoComplete="off"
          autoFocus
          className="max-w-96 flex-1"
        />
        {all === undefined ? null : (
          <Button
            className="mt-6"
            aria-label="Max, all that the wallet has"
            onPress={() => setText(toDecimal(all, decimals))}
          >
            Max
          </Button>
        )}
      </div>
      <p className="text-12 text-muted">{note}</p>
    </PrepareForm>
  );
}
