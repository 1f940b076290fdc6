import { clsx } from 'clsx';
import { type ComponentProps, useId } from 'react';
import { Button } from './button.tsx';

type Props = Omit<ComponentProps<typeof Button>, 'isDisabled' | 'aria-describedby'> & {
  /** Why it cannot be pressed now; null where it can. */
  reason: string | null;
  /** The button at the end of its line, for cells that are. */
  align?: 'start' | 'end';
};

/** A button that cannot be pressed without saying why beside it. */
export function ReasonedButton({ reason, align = 'start', ...props }: Props) {
  const id = useId();
  return (
    <span
      className={clsx(
        'inline-flex flex-wrap items-center gap-x-3 gap-y-1',
        align === 'end' && 'flex-row-reverse text-right',
      )}
    >
      <Button {...props} isDisabled={reason !== null} {...(reason === null ? {} : { 'aria-describedby': id })} />
      {reason === null ? null : (
        <span id={id} className="text-12 text-muted">
          {reason}
        </span>
      )}
    </span>
  );
}
