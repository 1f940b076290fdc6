import { SendHorizontal, Square } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, type Ref, useId } from 'react';
import { Button } from '../design/button.tsx';

export const MOST_CHARACTERS = 4_000;

type Props = {
  text: string;
  onText: (text: string) => void;
  onAsk: () => void;
  onStop: () => void;
  isBusy: boolean;
  isStopping: boolean;
  fieldRef: Ref<HTMLTextAreaElement>;
};

/** Where one writes. Enter sends, Shift and Enter begin a line; the focus stays while an answer comes. */
export function Composer({ text, onText, onAsk, onStop, isBusy, isStopping, fieldRef }: Props) {
  const id = useId();
  const canAsk = !isBusy && text.trim() !== '';
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter also ends the composition of a character.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (canAsk) onAsk();
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (canAsk) onAsk();
  };
  return (
    <form aria-label="Ask" onSubmit={onSubmit} className="flex items-end gap-2 border-t p-3">
      <label htmlFor={id} className="sr-only">
        Your question
      </label>
      <textarea
        ref={fieldRef}
        id={id}
        value={text}
        rows={2}
        maxLength={MOST_CHARACTERS}
        placeholder="Ask about this vault"
        aria-describedby={`${id}-hint`}
        onChange={({ target }) => onText(target.value)}
        onKeyDown={onKeyDown}
        className="max-h-40 min-h-9 min-w-0 flex-1 resize-none rounded-control border border-line-strong bg-raised px-3 py-2 text-14 placeholder:text-muted"
      />
      <span id={`${id}-hint`} className="sr-only">
        Enter sends, Shift and Enter begin a new line.
      </span>
      {isBusy ? (
        <Button aria-label="Stop the answer" isDisabled={isStopping} onPress={onStop}>
          <Square size={14} aria-hidden="true" />
          Stop
        </Button>
      ) : (
        <Button type="submit" look="primary" aria-label="Send" isDisabled={!canAsk}>
          <SendHorizontal size={16} aria-hidden="true" />
        </Button>
      )}
    </form>
  );
}
