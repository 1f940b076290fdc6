import type { PreparedCall } from '@castellan/contracts';
import { Download } from 'lucide-react';
import type { ReactNode } from 'react';
import { AddressTag } from '../design/address-tag.tsx';
import { Button } from '../design/button.tsx';
import { Notice } from '../design/states.tsx';
import { Digest } from '../digests/digest-list.tsx';
import { formatDuration } from '../format/time.ts';

type Package = NonNullable<PreparedCall['signer']['package']>;
type Props = {
  call: Pick<PreparedCall, 'id' | 'signer'>;
  /** A package that is not what was asked for is not handed out. */
  isTrusted: boolean;
  explorerUrl: string | null | undefined;
};

function download(name: string, content: unknown) {
  const url = URL.createObjectURL(new Blob([JSON.stringify(content, null, 2)], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

function Value({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-0.5">
      <dt className="text-12 text-muted">{label}</dt>
      <dd className="min-w-0">{children}</dd>
    </div>
  );
}

/** What the holder of the role has to be given where it is a contract and not a wallet. */
export function PackageView({ call: { id, signer }, isTrusted, explorerUrl }: Props) {
  if (signer.kind === 'eoa') return null;
  const { package: wrapped } = signer;
  if (wrapped === null) {
    return (
      <Notice tone="warn" title="The role is held by a contract this page does not know">
        <p className="flex flex-wrap items-center gap-x-1">
          <AddressTag value={signer.wallet_address} what="signer" explorerUrl={explorerUrl} /> has to make this call by
          its own means: the target, calldata and value above are all it needs.
        </p>
      </Notice>
    );
  }
  if (!isTrusted) return null;
  return wrapped.kind === 'safe' ? (
    <SafeView id={id} safe={wrapped} explorerUrl={explorerUrl} />
  ) : (
    <TimelockView lock={wrapped} explorerUrl={explorerUrl} />
  );
}

type SafeProps = { id: string; safe: Extract<Package, { kind: 'safe' }>; explorerUrl: Props['explorerUrl'] };

function SafeView({ id, safe, explorerUrl }: SafeProps) {
  return (
    <section className="flex flex-col gap-3 rounded-control border p-3">
      <h3 className="text-13 font-semibold">A Safe holds the role</h3>
      <p className="text-13 text-muted">
        {`${safe.threshold} of its ${safe.owners.length} owners sign. The hashes below were computed in this browser too; compare them on each hardware screen.`}
      </p>
      <dl className="flex flex-col gap-3">
        <Value label={`Safe, version ${safe.version}`}>
          <AddressTag value={safe.safe_address} what="Safe address" explorerUrl={explorerUrl} whole />
        </Value>
        <Digest label="Hash to sign" value={safe.safe_tx_hash} />
        <Digest label="Domain hash" value={safe.domain_hash} />
        <Digest label="Message hash" value={safe.message_hash} />
        <Value label="Nonce">{`${safe.nonce}. A transaction of the Safe before this one makes the hash void.`}</Value>
        <Value label="Threshold">{`${safe.threshold} of ${safe.owners.length}`}</Value>
      </dl>
      <div>
        <Button onPress={() => download(`safe-batch-${id}.json`, safe.batch)}>
          <Download size={16} aria-hidden="true" />
          Download for the Safe transaction builder
        </Button>
      </div>
    </section>
  );
}

type TimelockProps = { lock: Extract<Package, { kind: 'timelock' }>; explorerUrl: Props['explorerUrl'] };

function TimelockView({ lock, explorerUrl }: TimelockProps) {
  return (
    <section className="flex flex-col gap-3 rounded-control border p-3">
      <h3 className="text-13 font-semibold">A timelock holds the role</h3>
      <p className="text-13 text-muted">
        {`Its proposer sends the first call now; the second may be sent ${formatDuration(lock.min_delay_seconds)} later.`}
      </p>
      <dl className="flex flex-col gap-3">
        <Value label="Timelock">
          <AddressTag value={lock.timelock_address} what="timelock address" explorerUrl={explorerUrl} whole />
        </Value>
        <Digest label="Operation id" value={lock.operation_id} />
        <Digest label="1. Schedule: calldata for the timelock" value={lock.schedule.data} />
        <Digest label="2. Execute: calldata for the timelock" value={lock.execute.data} />
      </dl>
    </section>
  );
}
