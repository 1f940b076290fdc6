import { useId, useState } from 'react';
import { Button } from '../design/button.tsx';
import { LeaveGuard } from '../design/leave-guard.tsx';
import { type Known, type LineFault, MAX_PAIRS, type Pair, readLines } from './pairs.ts';

/** Takes a pasted list into the rows of the form; a fault is reported with its line number, and nothing is taken. */
export function PasteSources({ known, onRead }: { known: Known; onRead: (pairs: Pair[]) => void }) {
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  const [text, setText] = useState('');
  const [faults, setFaults] = useState<readonly LineFault[]>([]);
  const read = () => {
    const result = readLines(text, known);
    if ('faults' in result) return setFaults(result.faults);
    setFaults([]);
    setText('');
    setIsOpen(false);
    onRead(result.pairs);
  };
  return (
    <div className="flex flex-col gap-3 border-t pt-4">
      <LeaveGuard isDirty={text.trim() !== ''} what="the pasted list of sources" />
      <span>
        <Button aria-expanded={isOpen} aria-controls={id} onPress={() => setIsOpen(!isOpen)}>
          Paste a list
        </Button>
      </span>
      {isOpen ? (
        <div id={id} className="flex flex-col gap-3">
          <label className="flex flex-col gap-1 text-13 font-medium">
            {`Lines of source, oracle (${MAX_PAIRS} at most)`}
            <textarea
              value={text}
              onChange={({ target }) => {
                setText(target.value);
                setFaults([]);
              }}
              rows={6}
              spellCheck={false}
              placeholder="0xsource, 0xoracle"
              aria-invalid={faults.length > 0}
              aria-describedby={faults.length > 0 ? `${id}-faults` : undefined}
              className="w-full rounded-control border border-line-strong bg-raised p-3 font-mono text-13 placeholder:text-muted"
            />
          </label>
          {faults.length === 0 ? null : (
            <ul id={`${id}-faults`} role="alert" className="flex flex-col gap-1 text-13 text-danger">
              {faults.map(({ line, text: words }) => (
                <li key={line}>{`Line ${line}: ${words}`}</li>
              ))}
            </ul>
          )}
          <span>
            <Button onPress={read}>Take over the list</Button>
          </span>
        </div>
      ) : null}
    </div>
  );
}
