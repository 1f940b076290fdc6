import { ReceiptText } from 'lucide-react';
import { createContext, Fragment, type ReactNode, useContext, useState } from 'react';
import { Button } from 'react-aria-components';
import { typeset } from '../format/typeset.ts';
import { type CitationSource, OpenedCitation } from './citations.tsx';
import type { Cited } from './cited.ts';
import { citedPieces } from './cited-places.ts';
import { Untraced } from './marked-text.tsx';
import { type Doubtful, piecesOf } from './ungrounded.ts';

type Marks = { citations: readonly Cited[]; open: (citation: Cited) => void };
const CitationMarks = createContext<Marks>({ citations: [], open: () => undefined });

type ScopeProps = CitationSource & { citations: readonly Cited[]; children: ReactNode };

/** Around texts whose figures are marked: a mark opens the receipt of its figure. */
export function CitedTexts({ citations, children, ...from }: ScopeProps) {
  const [opened, setOpened] = useState<Cited>();
  return (
    <CitationMarks value={{ citations, open: setOpened }}>
      {children}
      {opened === undefined ? null : (
        <OpenedCitation citation={opened} from={from} onClose={() => setOpened(undefined)} />
      )}
    </CitationMarks>
  );
}

/** A small mark behind a figure. */
function Mark({ citation }: { citation: Cited }) {
  const { open } = useContext(CitationMarks);
  return (
    <sup className="leading-none print:hidden">
      <Button
        aria-label={`Receipt of ${citation.metric}`}
        onPress={() => open(citation)}
        className="relative ml-px inline-grid size-4 place-items-center rounded align-baseline text-muted after:absolute after:-inset-1 hover:bg-raised hover:text-text"
      >
        <ReceiptText size={10} aria-hidden="true" />
      </Button>
    </sup>
  );
}

/** So long a word is broken where a line ends, with its mark or without. */
const LONG_WORD = 24;

/** A text that ends with a figure: its last word and the mark stay on one line. */
function Figure({ text, citation }: { text: string; citation: Cited }) {
  const last = text.slice(text.search(/\S+$/));
  return (
    <>
      {text.slice(0, -last.length)}
      <span className={last.length > LONG_WORD ? undefined : 'whitespace-nowrap'}>
        {last}
        <Mark citation={citation} />
      </span>
    </>
  );
}

const punctuation = /^[.,;:!?)]*/;

/** As they are read, with the punctuation that follows a figure before its mark: behind it a gap would show. */
function markedParts(parts: ReturnType<typeof citedPieces>): ReturnType<typeof citedPieces> {
  const closing = (text: string): string => punctuation.exec(text)?.[0] ?? '';
  return parts.map(({ text, citation }, at) => {
    const isBehindMark = parts[at - 1]?.citation !== undefined;
    const after = citation === undefined ? '' : closing(parts[at + 1]?.text ?? '');
    return { text: `${typeset(isBehindMark ? text.slice(closing(text).length) : text)}${after}`, citation };
  });
}

type TextProps = { text: string; doubtful: readonly Doubtful[]; name?: string | undefined };

/** Plain text with marks behind its figures and at those that could not be traced; nothing in it is markup. */
export function CitedText({ text, doubtful, name }: TextProps) {
  const { citations } = useContext(CitationMarks);
  return piecesOf(text, doubtful).map((piece, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text do not move
    <Fragment key={index}>
      {piece.isDoubtful ? (
        <Untraced>{typeset(piece.text)}</Untraced>
      ) : (
        markedParts(citedPieces(piece.text, citations, name)).map(({ text: words, citation }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text do not move
          <Fragment key={at}>{citation === undefined ? words : <Figure text={words} citation={citation} />}</Fragment>
        ))
      )}
    </Fragment>
  ));
}
