import { Card } from '../../design/card.tsx';
import { RowSkeletons } from '../../design/states.tsx';
import { formatShare, formatSignedUsd } from '../../format/figures.ts';
import { formatUtc } from '../../format/time.ts';
import { Term } from '../../glossary/term.tsx';
import { type MoneyUnit, useView } from '../../period/use-view.ts';
import type { Read } from '../../receipts/metric.tsx';
import { ReadFailure } from '../../receipts/read-failure.tsx';
import { ReceiptValue } from '../../receipts/receipt-value.tsx';
import { useRead } from '../../receipts/use-read.ts';
import { assetsSigned } from '../money.ts';
import type { Shown } from '../vault-gate.tsx';
import { type BridgeStep, barsBegin, bridgeSteps, type ValueBridge } from './bridge-steps.ts';

const TITLE = 'From the first value to the last';

/** How the value at the start of the period became the value at its end: each step with its bar, its amount and its receipt. */
export function ValueBridgeCard({ shown }: { shown: Shown }) {
  const { vault } = shown;
  const { span, words, unit } = useView(vault);
  const read = useRead(shown, 'analyticsBridge', span);
  const { data, isError, isPlaceholderData } = read.result;
  return (
    <Card className={isPlaceholderData ? 'opacity-70' : ''}>
      <h3 className="text-14 font-semibold">{TITLE}</h3>
      <ReadFailure of={read} what="The parts of the change" />
      {data === undefined ? (
        isError ? null : (
          <RowSkeletons rows={7} />
        )
      ) : (
        <>
          <p className="pb-2 text-13 text-muted">{takeaway(data, vault, unit, words)}</p>
          <Waterfall of={read} steps={bridgeSteps(data, vault, unit)} />
          <p className="pt-2 text-12 text-muted">{restsOn(data)}</p>
        </>
      )}
    </Card>
  );
}

function takeaway({ total, flow, yield: earned }: ValueBridge, vault: Shown['vault'], unit: MoneyUnit, words: string) {
  const text = ({ assets, usd }: { assets: string | null; usd: number | null }): string | null => {
    if (unit === 'usd') return usd === null ? null : formatSignedUsd(usd);
    return assets === null ? null : assetsSigned(vault, assets);
  };
  const [whole, moved, gained] = [total, flow, earned].map(text);
  return whole == null
    ? 'The asset has no price in dollars; choose the asset itself as the unit above.'
    : `The value changed by ${whole} ${words}: ${moved} from deposits less withdrawals, ${gained} from yield.`;
}

/** Since when sources were observed, and what they leave unexplained. */
function restsOn({ yield: earned, yield_by: { observed, residual } }: ValueBridge): string {
  if (observed === null) return 'No positions were observed in this period: the yield is not split by source.';
  const since = `Yield by source as observed since ${formatUtc(observed.from)}.`;
  if (residual.assets === null || earned.assets === null || earned.assets === '0') return since;
  const share = Math.abs(Number(residual.assets) / Number(earned.assets));
  return `${since} The residual is ${formatShare(share)} of the yield.`;
}

function Waterfall({ of, steps }: { of: Read<'analyticsBridge'>; steps: readonly BridgeStep[] }) {
  const begin = barsBegin(steps);
  const most = Math.max(...steps.map(({ to }) => to));
  return (
    <table aria-label={TITLE} className="w-full border-collapse text-13">
      {begin === 0 ? null : (
        <caption className="caption-bottom pt-1 text-left text-12 text-muted">
          The bars do not begin at 0, so that the steps can be seen.
        </caption>
      )}
      <tbody>
        {steps.map((step) => (
          <tr key={step.id} className={step.kind === 'level' ? 'border-y font-medium' : ''}>
            <th scope="row" className="max-w-40 py-1.5 pr-3 text-left font-normal sm:max-w-none sm:whitespace-nowrap">
              <Term>{step.label}</Term>
            </th>
            <td className="w-full min-w-16 py-1.5">
              <Bar step={step} begin={begin} most={most} />
            </td>
            <td className="py-1.5 pl-3 text-right whitespace-nowrap">
              <ReceiptValue of={of} path={step.path} label={step.label}>
                {step.text}
              </ReceiptValue>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const colours = { level: 'bg-line-strong', gain: 'bg-accent', loss: 'bg-danger' } as const;

function Bar({ step: { kind, from, to }, begin, most }: { step: BridgeStep; begin: number; most: number }) {
  const width = Math.max(most - begin, Number.MIN_VALUE);
  const place = (value: number) => (Math.max(0, value - begin) / width) * 100;
  return (
    <span aria-hidden="true" className="block h-3 rounded-sm bg-raised">
      <span
        className={`block h-full rounded-sm ${colours[kind]}`}
        style={{
          marginLeft: `min(${place(from)}%, 100% - 2px)`,
          // A small step beside a large one stays visible.
          width: to === from ? '0' : `max(2px, ${place(to) - place(from)}%)`,
        }}
      />
    </span>
  );
}
