import { clsx } from 'clsx';
import { ChevronDown } from 'lucide-react';
import { type Ref, useId } from 'react';

type Option<T extends string> = { value: T; label: string };
type Props<T extends string> = {
  label: string;
  value: T;
  options: readonly Option<T>[];
  onChange: (value: T) => void;
  hideLabel?: boolean;
  /** Shown while the value is none of the options. */
  placeholder?: string;
  className?: string;
  /** The list itself, for who moves the focus to it. */
  ref?: Ref<HTMLSelectElement>;
};

/**
 * One of a few. The browser's own list: it is the one every reader, keyboard and phone knows, and costs no script on the
 * first page, where React Aria's would be a quarter of it.
 */
export function Choice<T extends string>({
  label,
  value,
  options,
  onChange,
  hideLabel = false,
  placeholder = 'Choose one',
  className,
  ref,
}: Props<T>) {
  const id = useId();
  const isKnown = options.some((option) => option.value === value);
  return (
    <div className={clsx('flex flex-col gap-1', className)}>
      <label htmlFor={id} className={hideLabel ? 'sr-only' : 'text-13 font-medium'}>
        {label}
      </label>
      <span className="relative block">
        <select
          ref={ref}
          id={id}
          value={value}
          onChange={({ target }) => {
            const chosen = options.find((option) => option.value === target.value);
            if (chosen) onChange(chosen.value);
          }}
          className="h-9 w-full cursor-pointer appearance-none truncate rounded-control border border-line-strong bg-raised pr-8 pl-3 text-13"
        >
          {/* Without it the browser shows the first option as if it were chosen. */}
          {isKnown ? null : (
            <option value={value} disabled>
              {placeholder}
            </option>
          )}
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
        <ChevronDown
          size={14}
          aria-hidden="true"
          className="pointer-events-none absolute top-[11px] right-3 text-muted"
        />
      </span>
    </div>
  );
}
