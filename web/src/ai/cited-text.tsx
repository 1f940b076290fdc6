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
        className="ml-px inline-grid size-4 place-items-center rounded align-baseline text-muted hover:bg-raised hover:text-text"
      >
        <ReceiptText size={10} aria-hidden="true" />
      </Button>
    </sup>
  );
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
        citedPieces(piece.text, citations, name).map((part, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text do not move
          <Fragment key={at}>
            {typeset(part.text)}
            {part.citation === undefined ? null : <Mark citation={part.citation} />}
          </Fragment>
        ))
      )}
    </Fragment>
  ));
}
