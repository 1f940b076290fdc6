import { type ReactNode, useState } from 'react';
import { Button, Tooltip, TooltipTrigger } from 'react-aria-components';
import { meaningOf } from './terms.ts';

type Props = { meaning: string | undefined; children: ReactNode };

const Bubble = ({ meaning }: { meaning: string }) => (
  <Tooltip
    placement="top"
    offset={4}
    className="max-w-72 rounded-control border border-line-strong bg-raised px-3 py-2 text-13 text-text shadow-[var(--shadow)]"
  >
    {meaning}
  </Tooltip>
);

/**
 * A button that does something and says what its label means, on hover and on focus by keyboard. Escape closes it, and the
 * pointer may rest on it (WCAG 1.4.13).
 */
export function Explained({ meaning, children }: Props) {
  if (meaning === undefined) return children;
  return (
    <TooltipTrigger delay={400} closeDelay={150}>
      {children}
      <Bubble meaning={meaning} />
    </TooltipTrigger>
  );
}

/** A label as it stands; one that the glossary knows explains itself, on a press too, since fingers do not hover. */
export function Term({ children: label }: { children: string }) {
  const [isOpen, setIsOpen] = useState(false);
  const meaning = meaningOf(label);
  if (meaning === undefined) return label;
  return (
    <TooltipTrigger isOpen={isOpen} onOpenChange={setIsOpen} delay={400} closeDelay={150} shouldCloseOnPress={false}>
      <Button
        onPress={() => setIsOpen(true)}
        className="min-h-6 cursor-help text-left underline decoration-dotted underline-offset-4 [text-transform:inherit] hover:text-text"
      >
        {label}
      </Button>
      <Bubble meaning={meaning} />
    </TooltipTrigger>
  );
}
