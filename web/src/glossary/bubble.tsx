import { type RefObject, useEffect } from 'react';
import { Tooltip, TooltipTriggerStateContext } from 'react-aria-components';

type Props = {
  id: string;
  meaning: string;
  of: RefObject<HTMLElement | null>;
  isOpen: boolean;
  onKeep: () => void;
  onLeave: () => void;
  onClose: () => void;
};

/** The meaning beside its label. The pointer may rest on it, and Escape closes it (WCAG 1.4.13). */
export default function Bubble({ id, meaning, of, isOpen, onKeep, onLeave, onClose }: Props) {
  useEffect(() => {
    if (!isOpen) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape') onClose();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  });
  return (
    <TooltipTriggerStateContext value={{ isOpen, shouldSkipAnimation: true, open: onKeep, close: onLeave }}>
      <Tooltip
        triggerRef={of}
        placement="top"
        offset={4}
        className="max-w-72 rounded-control border border-line-strong bg-raised px-3 py-2 text-13 text-text shadow-[var(--shadow)]"
      >
        <span id={id}>{meaning}</span>
      </Tooltip>
    </TooltipTriggerStateContext>
  );
}
