import { Maximize, Minus, Plus } from 'lucide-react';
import { Button as AriaButton } from 'react-aria-components';
import { formatWholeShare } from '../../format/figures.ts';

const tool = 'grid size-8 place-items-center rounded-control text-muted hover:bg-raised hover:text-text';

type Props = { zoom: number; onPress: (key: '-' | '+' | '0') => void };

/** In a corner of a canvas, for who has neither a wheel nor its keys at hand. */
export function ZoomTools({ zoom, onPress }: Props) {
  return (
    <div className="absolute right-3 bottom-3 flex items-center gap-1 rounded-control border bg-surface p-0.5">
      <AriaButton className={tool} aria-label="Zoom out of the canvas" onPress={() => onPress('-')}>
        <Minus size={16} aria-hidden="true" />
      </AriaButton>
      <span className="w-11 text-center text-12 text-muted tabular-nums">{formatWholeShare(zoom)}</span>
      <AriaButton className={tool} aria-label="Zoom into the canvas" onPress={() => onPress('+')}>
        <Plus size={16} aria-hidden="true" />
      </AriaButton>
      <AriaButton className={tool} aria-label="Show the whole canvas" onPress={() => onPress('0')}>
        <Maximize size={16} aria-hidden="true" />
      </AriaButton>
    </div>
  );
}
