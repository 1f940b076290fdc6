import { CircleCheck, CircleX } from 'lucide-react';
import { Card } from '../../design/card.tsx';
import { withMinus } from '../../format/amount.ts';
import { formatCount } from '../../format/figures.ts';
import { type Bridge, type BridgeStep, bridgeGap, bridgeSteps } from './bridge.ts';

type Props = { title: string; start: string; bridge: Bridge; isOld: boolean };

const colours = { level: 'bg-line-strong', gain: 'bg-accent', loss: 'bg-danger' } as const;

/** How the holders of then became the holders of now, step by step, and whether the steps add up. */
export function BridgeCard({ title, start, bridge, isOld }: Props) {
  const steps = bridgeSteps(bridge, { start, end: 'Now' });
  const most = Math.max(1, ...steps.map(({ to }) => to));
  return (
    <Card className={isOld ? 'opacity-70 grayscale' : ''}>
      <h3 className="pb-2 text-14 font-semibold">{title}</h3>
      <table aria-label={title} className="w-full border-collapse text-13">
        <tbody>
          {steps.map((step) => (
            <tr key={step.id} className={step.id === 'end' ? 'border-t font-medium' : ''}>
              <th scope="row" className="py-1.5 pr-3 text-left font-normal whitespace-nowrap">
                {step.label}
              </th>
              <td className="w-full py-1.5">
                <Bar step={step} most={most} />
              </td>
              <td className="py-1.5 pl-3 text-right whitespace-nowrap tabular-nums">{stepText(step)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Reconciled bridge={bridge} />
    </Card>
  );
}

function stepText({ kind, change }: BridgeStep): string {
  if (kind === 'level' || change === 0) return formatCount(Math.abs(change));
  return change > 0 ? `+${formatCount(change)}` : formatCount(change);
}

function Bar({ step: { kind, from, to }, most }: { step: BridgeStep; most: number }) {
  return (
    <span aria-hidden="true" className="block h-3 rounded-sm bg-raised">
      <span
        className={`block h-full rounded-sm ${colours[kind]}`}
        style={{
          marginLeft: `${(from / most) * 100}%`,
          // A step of one holder among thousands stays visible.
          width: to === from ? '0' : `max(2px, ${((to - from) / most) * 100}%)`,
        }}
      />
    </span>
  );
}

function Reconciled({ bridge }: { bridge: Bridge }) {
  const { start, new_kept: fresh, reactivated, churned, end } = bridge;
  const gap = bridgeGap(bridge);
  const sum = withMinus(
    `${formatCount(start)} + ${formatCount(fresh)} + ${formatCount(reactivated)} - ${formatCount(churned)}`,
  );
  return (
    <p className="flex items-center gap-1.5 pt-2 text-12 text-muted tabular-nums">
      {gap === 0 ? (
        <>
          <CircleCheck size={14} aria-hidden="true" className="shrink-0 text-accent" />
          {`${sum} = ${formatCount(end)}: it adds up`}
        </>
      ) : (
        <span role="alert" className="flex items-center gap-1.5 text-danger">
          <CircleX size={14} aria-hidden="true" className="shrink-0" />
          {`${sum} is not ${formatCount(end)}: these figures contradict each other by ${formatCount(Math.abs(gap))}`}
        </span>
      )}
    </p>
  );
}
