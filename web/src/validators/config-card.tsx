import type { ReactNode } from 'react';
import { AddressTag } from '../design/address-tag.tsx';
import { Card } from '../design/card.tsx';
import { formatCount } from '../format/figures.ts';
import { formatDuration, formatUtc } from '../format/time.ts';
import type { NetworkConfig } from './network.ts';

/** The rules the nodes work by, as the contract on the chain holds them, each with what it means. */
export function ConfigCard({ config, nodes }: { config: NetworkConfig; nodes: number }) {
  const { version, digest, quorum, f, round_seconds, heartbeat_seconds, since } = config;
  return (
    <Card>
      <h2 className="text-14 font-semibold">Configuration</h2>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-4 pt-3 lg:grid-cols-3">
        <Item name="Version" value={`Version ${version}`}>{`In force since ${formatUtc(since)}`}</Item>
        <Item name="Digest" value={<AddressTag value={digest} what="configuration digest" />}>
          A fingerprint of the configuration; nodes with another one are not listened to
        </Item>
        <Item name="Quorum" value={`${quorum} of ${nodes} sign`}>
          The chain accepts no price with fewer signatures
        </Item>
        <Item name="Tolerates (f)" value={`${formatCount(f)} faulty ${f === 1 ? 'node' : 'nodes'}`}>
          This many may fail or lie without harm to a price
        </Item>
        <Item name="Round" value={`Every ${formatDuration(round_seconds)}`}>
          The nodes read the vaults and agree whether a price is due
        </Item>
        <Item name="Heartbeat" value={`Every ${formatDuration(heartbeat_seconds)}`}>
          A new price is due at least this often
        </Item>
      </dl>
    </Card>
  );
}

const Item = ({ name, value, children }: { name: string; value: ReactNode; children: string }) => (
  <div className="flex min-w-0 flex-col gap-0.5">
    <dt className="label-caps">{name}</dt>
    <dd className="min-h-6 text-14 font-medium">{value}</dd>
    <dd className="text-12 text-muted">{children}</dd>
  </div>
);
