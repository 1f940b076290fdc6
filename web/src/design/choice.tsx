import { clsx } from 'clsx';
import { ChevronDown } from 'lucide-react';
import { Button, Label, ListBox, ListBoxItem, Popover, Select, SelectValue } from 'react-aria-components';

type Option<T extends string> = { value: T; label: string };
type Props<T extends string> = {
  label: string;
  value: T;
  options: readonly Option<T>[];
  onChange: (value: T) => void;
  hideLabel?: boolean;
  className?: string;
};

/** One of a few: a button that opens a list. */
export function Choice<T extends string>({ label, value, options, onChange, hideLabel = false, className }: Props<T>) {
  return (
    <Select
      selectedKey={value}
      onSelectionChange={(key) => {
        const chosen = options.find((option) => option.value === key);
        if (chosen) onChange(chosen.value);
      }}
      className={clsx('flex flex-col gap-1', className)}
    >
      <Label className={hideLabel ? 'sr-only' : 'text-13 font-medium'}>{label}</Label>
      <Button className="flex h-9 items-center justify-between gap-2 rounded-control border border-line-strong bg-raised px-3 text-13">
        <SelectValue className="truncate" />
        <ChevronDown size={14} aria-hidden="true" className="text-muted" />
      </Button>
      <Popover className="min-w-[var(--trigger-width)] rounded-control border bg-surface p-1 shadow-[var(--shadow)]">
        <ListBox className="max-h-80 overflow-auto outline-none">
          {options.map((option) => (
            <ListBoxItem
              key={option.value}
              id={option.value}
              textValue={option.label}
              className="flex min-h-8 cursor-pointer items-center rounded px-2 text-13 data-[focused]:bg-raised data-[selected]:text-accent"
            >
              {option.label}
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </Select>
  );
}
