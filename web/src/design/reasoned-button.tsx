import { type ComponentProps, useId } from 'react';
import { Button } from './button.tsx';

type Props = Omit<ComponentProps<typeof Button>, 'isDisabled' | 'aria-describedby'> & {
  /** Why it cannot be pressed now; null where it can. */
  reason: string | null;
};

/** A button that cannot be pressed without saying why beside it. */
export function ReasonedButton({ reason, ...props }: Props) {
  const id = useId();
  return (
    <span className="inline-flex flex-wrap items-center gap-x-3 gap-y-1">
      <Button {...props} isDisabled={reason !== null} {...(reason === null ? {} : { 'aria-describedby': id })} />
      {reason === null ? null : (
        <span id={id} className="text-12 text-muted">
          {reason}
        </span>
      )}
    </span>
  );
}
