import { lazy, memo, type ReactNode, Suspense, useEffect, useId, useRef, useState } from 'react';
import { Button } from 'react-aria-components';
import { meaningOf } from './terms.ts';

// Loaded when the first meaning is asked for: the first page has no byte to spare for it.
const Bubble = lazy(() => import('./bubble.tsx'));

const OPEN_MS = 400;
const CLOSE_MS = 150;

/** What a button needs to say what its label means, on hover and on focus; and the bubble, to stand beside it. */
function useMeaning(meaning: string | undefined) {
  const id = useId();
  const ref = useRef<HTMLButtonElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const [wasOpened, setWasOpened] = useState(false);
  if (isOpen && !wasOpened) setWasOpened(true);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const put = (open: boolean, ms = 0) => {
    clearTimeout(timer.current);
    if (ms === 0) setIsOpen(open);
    else timer.current = setTimeout(() => setIsOpen(open), ms);
  };
  const trigger = {
    ref,
    onHoverStart: () => put(true, OPEN_MS),
    onHoverEnd: () => put(false, CLOSE_MS),
    onFocus: () => put(true),
    onBlur: () => put(false),
    ...(isOpen ? { 'aria-describedby': id } : {}),
  };
  const bubble =
    meaning !== undefined && wasOpened ? (
      <Suspense fallback={null}>
        <Bubble
          id={id}
          meaning={meaning}
          of={ref}
          isOpen={isOpen}
          onKeep={() => put(true)}
          onLeave={() => put(false, CLOSE_MS)}
          onClose={() => put(false)}
        />
      </Suspense>
    ) : null;
  return { trigger: meaning === undefined ? { ref } : trigger, bubble, open: () => put(true) };
}

type ActionProps = { of: string | undefined; onPress: () => void; className: string; children: ReactNode };

/** A button that does something, and says what its label means where the glossary knows it. */
export function ExplainedButton({ of, onPress, className, children }: ActionProps) {
  const { trigger, bubble } = useMeaning(of === undefined ? undefined : meaningOf(of));
  return (
    <>
      <Button {...trigger} onPress={onPress} className={className}>
        {children}
      </Button>
      {bubble}
    </>
  );
}

/** A label as it stands; one that the glossary knows explains itself, on a press too, since fingers do not hover. */
export const Term = memo(({ children: label }: { children: string }) => {
  const meaning = meaningOf(label);
  return meaning === undefined ? label : <Known label={label} meaning={meaning} />;
});

function Known({ label, meaning }: { label: string; meaning: string }) {
  const { trigger, bubble, open } = useMeaning(meaning);
  return (
    <>
      <Button
        {...trigger}
        onPress={open}
        className="min-h-6 cursor-help [text-align:inherit] underline decoration-dotted underline-offset-4 [text-transform:inherit] hover:text-text [th_&]:-my-1"
      >
        {label}
      </Button>
      {bubble}
    </>
  );
}
