import { chainById } from '../client/config.ts';
import { useApp } from '../client/services.ts';
import { AddressTag } from '../design/address-tag.tsx';
import { Card } from '../design/card.tsx';
import { Pill } from '../design/pill.tsx';
import { PlainTable } from '../design/plain-table.tsx';
import { formatCount } from '../format/figures.ts';
import { When } from '../lists/when.tsx';
import { type Network, type NetworkConfig, type NetworkNode, nodeName } from './network.ts';
import { nodeStatus } from './validator-labels.ts';

type Props = { network: Network; config: NetworkConfig };

const head = ['Node', 'Status', 'Last seen', 'Observed', 'Signed', 'Led', 'Stored in 24 h', 'Signer', 'Transmitter'];

/** Each node of the configuration: whether it answers, what it did lately, and the two keys it works with. */
export function NodesTable({ network, config }: Props) {
  const { nodes, rounds, rounds_counted: counted } = network;
  const reports = rounds.filter(({ outcome }) => outcome === 'report').length;
  return (
    <Card isFlush>
      <div className="px-3 pt-4 pb-2 sm:px-4">
        <h2 className="text-14 font-semibold">Nodes</h2>
        <p className="text-13 text-muted">
          {`Of the last ${formatCount(counted)} rounds, ${formatCount(reports)} agreed on prices. ${config.quorum} signatures are enough, so a slower node is often left out of “Signed”.`}
        </p>
      </div>
      <PlainTable
        label="Nodes"
        head={head}
        words={[1, 7, 8]}
        narrow={[1, 7, 8]}
        rows={nodes.map((node) => ({
          id: String(node.index),
          cells: cellsOf(node, { network, config, counted, reports }),
        }))}
      />
    </Card>
  );
}

function cellsOf(
  node: NetworkNode,
  { network, config, counted, reports }: Props & { counted: number; reports: number },
) {
  const { index, status, last_seen, observed, signed, led, transmitted } = node;
  const { tone, word, meaning } = nodeStatus[status];
  return [
    <span key="name" className="whitespace-nowrap">
      <span className="text-muted">{`${index} `}</span>
      {nodeName(network.nodes, index)}
    </span>,
    <Pill key="status" tone={tone} title={meaning}>
      {word}
    </Pill>,
    last_seen === null ? 'never' : <When key="seen" at={last_seen} asOf={network.as_of} />,
    `${formatCount(observed)} of ${formatCount(counted)}`,
    `${formatCount(signed)} of ${formatCount(reports)}`,
    formatCount(led),
    formatCount(transmitted),
    <Key key="signer" node={node} what="signer" value={node.signer_address} chainId={config.chain_id} />,
    <Key key="transmitter" node={node} what="transmitter" value={node.transmitter_address} chainId={config.chain_id} />,
  ];
}

function Key({ node, what, value, chainId }: { node: NetworkNode; what: string; value: string; chainId: number }) {
  const { config } = useApp();
  const of = node.node_id ?? `node ${node.index}`;
  return <AddressTag value={value} what={`${what} of ${of}`} explorerUrl={chainById(config, chainId)?.explorer_url} />;
}
