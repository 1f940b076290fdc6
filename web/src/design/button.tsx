import { clsx } from 'clsx';
import type { Ref } from 'react';
import { Button as AriaButton, type ButtonProps } from 'react-aria-components';

const looks = {
  primary: 'bg-accent text-on-accent hover:brightness-110 border-transparent',
  secondary: 'bg-surface text-text hover:bg-raised',
  quiet: 'border-transparent text-muted hover:bg-raised hover:text-text',
  danger: 'bg-surface text-danger hover:bg-raised',
} as const;

type Props = Omit<ButtonProps, 'className'> & {
  look?: keyof typeof looks;
  className?: string;
  ref?: Ref<HTMLButtonElement>;
};

export function Button({ look = 'secondary', className, ...props }: Props) {
  return (
    <AriaButton
      {...props}
      className={clsx(
        'inline-flex min-h-9 items-center justify-center gap-2 whitespace-nowrap rounded-control border px-3 text-13 font-medium',
        'disabled:cursor-not-allowed disabled:opacity-50',
        looks[look],
        className,
      )}
    />
  );
}
