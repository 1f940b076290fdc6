import { Clock } from 'lucide-react';
import { Pill } from '../design/pill.tsx';
import { useMoment } from './use-moment.ts';

/** Marks what is of the present on a page that shows the past; nothing on a page of the present. */
export function OfNow() {
  const { at } = useMoment();
  return at === undefined ? null : (
    <Pill tone="info" icon={Clock}>
      Of now
    </Pill>
  );
}
