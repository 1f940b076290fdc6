import { clsx } from 'clsx';
import { Eye, type LucideIcon, PenLine, Send, X } from 'lucide-react';
import { membersOf, type Named, nodeName, type Round } from './network.ts';

type Part = 'signed' | 'observed' | 'missing';

const looks: Record<Part, string> = {
  signed: 'border-accent bg-accent/15 text-text',
  observed: 'border-line-strong text-muted',
  missing: 'border-dashed border-danger text-danger',
};
const icons: Record<Part, LucideIcon> = { signed: PenLine, observed: Eye, missing: X };
const words: Record<Part, string> = { signed: 'observed and signed', observed: 'observed', missing: 'missing' };

type Shown = Pick<Round, 'observers' | 'signers' | 'missing'>;

const partOf = ({ observers, signers }: Shown, index: number): Part =>
  signers.includes(index) ? 'signed' : observers.includes(index) ? 'observed' : 'missing';

const markLook = 'inline-flex h-6 items-center gap-0.5 rounded border px-1 sm:gap-1 sm:px-1.5 text-12 font-medium';

type Props = {
  round: Shown;
  nodes: readonly Named[];
  /** Places of the nodes that sent its prices to the chain. */
  senders?: readonly number[];
};

/** What each node did in a round: its place in the configuration with a sign, in words for a screen reader and on hover. */
export function NodeMarks({ round, nodes, senders = [] }: Props) {
  return (
    <ul aria-label="What each node did" className="flex flex-wrap gap-1">
      {membersOf(round).map((index) => {
        const part = partOf(round, index);
        const Icon = icons[part];
        const isSender = senders.includes(index);
        const said = `${nodeName(nodes, index)}: ${words[part]}${isSender ? ', sent it to the chain' : ''}`;
        return (
          <li key={index} title={said} className={clsx(markLook, looks[part])}>
            <span aria-hidden="true">{index}</span>
            <Icon size={12} aria-hidden="true" />
            {isSender ? <Send size={12} aria-hidden="true" className="text-info" /> : null}
            <span className="sr-only">{said}</span>
          </li>
        );
      })}
    </ul>
  );
}

const keysOf: readonly { Icon: LucideIcon; look: string; word: string }[] = [
  { Icon: Eye, look: looks.observed, word: 'observed: read the vaults on the chain' },
  { Icon: PenLine, look: looks.signed, word: 'also signed: its signature stands under the prices' },
  { Icon: X, look: looks.missing, word: 'missing' },
  { Icon: Send, look: 'border-line text-info', word: 'sent it to the chain' },
];

/** What the marks mean; that of the sender only where who sent is known. */
export function MarksLegend({ withSender = true }: { withSender?: boolean }) {
  return (
    <ul aria-label="What the marks mean" className="flex flex-wrap gap-x-4 gap-y-1 text-12 text-muted">
      {keysOf.slice(0, withSender ? undefined : -1).map(({ Icon, look, word }) => (
        <li key={word} className="flex items-center gap-1.5">
          <span className={clsx('inline-grid size-5 shrink-0 place-items-center rounded border', look)}>
            <Icon size={12} aria-hidden="true" />
          </span>
          {word}
        </li>
      ))}
    </ul>
  );
}
