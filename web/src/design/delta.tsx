import { ArrowDown, ArrowUp, Equal } from 'lucide-react';

type Props = {
  value: number;
  show: (value: number) => string;
  /** The span of it: "in 24 h". */
  words: string;
};

/** A change with arrow, sign and words; red only for a fall. */
export function Delta({ value, show, words }: Props) {
  const Icon = value === 0 ? Equal : value > 0 ? ArrowUp : ArrowDown;
  return (
    <span className={`inline-flex items-center gap-1 whitespace-nowrap ${value < 0 ? 'text-danger' : ''}`}>
      <Icon size={13} aria-hidden="true" className="shrink-0" />
      <span className="sr-only">{value === 0 ? 'unchanged' : value > 0 ? 'up' : 'down'} </span>
      {`${show(value)} ${words}`}
    </span>
  );
}
