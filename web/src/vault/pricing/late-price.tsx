import { Notice } from '../../design/states.tsx';
import { formatUsd, formatUsdFull } from '../../format/figures.ts';
import { formatDuration, formatUtc } from '../../format/time.ts';
import { type NetworkNode, nodeName, nodeNames, type Pricing } from '../../validators/network.ts';
import { lateWords } from '../../validators/validator-labels.ts';

type Props = { next: Pricing['next']; nodes: readonly Pick<NetworkNode, 'index' | 'node_id' | 'last_seen'>[] };

/** To the minute once it is one, so that a screen reader does not repeat it every few seconds. */
const lateFor = (seconds: number): string => formatDuration(seconds < 60 ? seconds : Math.floor(seconds / 60) * 60);

const areSilent = (nodes: Props['nodes'], silent: readonly number[]): string =>
  `${nodeNames(nodes, silent)} ${silent.length === 1 ? 'is' : 'are'} silent`;

/** Why there is no new price, who is silent and how much money stands at the old one; nothing while it is not late. */
export function LatePrice({ next, nodes }: Props) {
  const { late_by_seconds: late, reason, detail, silent_nodes: silent, value_at_risk_usd: value } = next;
  if (late === null || reason === null) {
    return silent.length === 0 ? null : (
      <Notice tone="warn" title={areSilent(nodes, silent)}>
        The last rounds went on without. Prices still come while enough of the other nodes agree.
      </Notice>
    );
  }
  if (reason === 'paused') {
    return (
      <Notice tone="info" title="No new price: the vault is paused">
        {lateWords.paused.what}
      </Notice>
    );
  }
  const isTooFew = (reason === 'too_few_observers' || reason === 'too_few_signers') && silent.length > 0;
  const why = isTooFew ? areSilent(nodes, silent) : lateWords[reason].why;
  return (
    <Notice tone="critical" title={`Price is ${lateFor(late)} late: ${why}`}>
      {detail === null ? null : <p className="text-text">{detail}</p>}
      <p>{lateWords[reason].what}</p>
      <dl className="flex flex-wrap gap-x-8 gap-y-2 pt-2">
        <div>
          <dt className="label-caps">Value at risk</dt>
          <dd
            title={value === null ? undefined : formatUsdFull(value)}
            className="text-20 font-semibold tracking-tight text-danger"
          >
            {value === null ? 'Not known' : formatUsd(value)}
          </dd>
          <dd className="text-12">
            {value === null ? 'The vault has no price in dollars' : 'All of the vault stands at its old price'}
          </dd>
        </div>
        <div>
          <dt className="label-caps">Silent nodes</dt>
          {silent.length === 0 ? (
            <dd className="text-20 font-semibold tracking-tight text-text">None</dd>
          ) : (
            silent.map((index) => <SilentNode key={index} nodes={nodes} index={index} />)
          )}
        </div>
      </dl>
    </Notice>
  );
}

function SilentNode({ nodes, index }: { nodes: Props['nodes']; index: number }) {
  const seen = nodes.find((node) => node.index === index)?.last_seen ?? null;
  return (
    <dd>
      <span className="font-semibold text-text">{nodeName(nodes, index)}</span>
      {seen === null ? '' : `, last heard ${formatUtc(seen)}`}
    </dd>
  );
}
