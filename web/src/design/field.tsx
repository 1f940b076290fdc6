import { clsx } from 'clsx';
import { useId } from 'react';
import { FieldError, Input, Label, Text, TextField, type TextFieldProps } from 'react-aria-components';

type Props = Omit<TextFieldProps, 'className' | 'children'> & {
  label: string;
  hint?: string | undefined;
  error?: string | undefined;
  mono?: boolean;
  className?: string;
  placeholder?: string;
  /** What the browser offers while one types; anything else may be typed too. */
  suggestions?: readonly string[];
};

export function Field({ label, hint, error, mono = false, className, placeholder, suggestions, ...props }: Props) {
  const listId = useId();
  return (
    <TextField
      {...props}
      validationBehavior="aria"
      isInvalid={error !== undefined}
      className={clsx('flex min-w-0 flex-col gap-1', className)}
    >
      <Label className="text-13 font-medium">{label}</Label>
      <Input
        placeholder={placeholder ?? ''}
        {...(suggestions === undefined ? {} : { list: listId })}
        className={clsx(
          'h-9 w-full rounded-control border border-line-strong bg-raised px-3 placeholder:text-muted invalid:border-danger data-[invalid]:border-danger',
          // On a phone a whole address fits so.
          mono ? 'font-mono text-12 max-sm:px-2 sm:text-13' : 'text-14',
        )}
      />
      {suggestions === undefined ? null : (
        <datalist id={listId}>
          {suggestions.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
      {hint === undefined || error !== undefined ? null : (
        <Text slot="description" className="text-12 text-muted">
          {hint}
        </Text>
      )}
      <FieldError className="text-12 text-danger">{error}</FieldError>
    </TextField>
  );
}
