import { clsx } from 'clsx';
import { Switch as AriaSwitch } from 'react-aria-components';

type Props = {
  label: string;
  isSelected: boolean;
  isDisabled?: boolean;
  onChange: (isSelected: boolean) => void;
};

/** Something that is on or off at once; the words beside it say what is on. */
export function Switch({ label, isSelected, isDisabled = false, onChange }: Props) {
  return (
    <AriaSwitch
      isSelected={isSelected}
      isDisabled={isDisabled}
      onChange={onChange}
      className="group inline-flex min-h-9 cursor-pointer items-center gap-2 text-13 font-medium data-[disabled]:cursor-not-allowed data-[disabled]:opacity-50"
    >
      <span
        className={clsx(
          'inline-flex h-5 w-9 shrink-0 items-center rounded-full border border-line-strong bg-raised p-0.5',
          'outline-offset-2 group-data-[focus-visible]:outline-2 group-data-[focus-visible]:outline-accent',
          'group-data-[selected]:border-transparent group-data-[selected]:bg-accent',
        )}
      >
        <span className="size-3.5 rounded-full bg-muted transition-transform duration-100 group-data-[selected]:translate-x-4 group-data-[selected]:bg-on-accent" />
      </span>
      {label}
    </AriaSwitch>
  );
}
