import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Api } from '../client/api.ts';
import { useApp } from '../client/services.ts';
import type { Vault } from '../data/queries.ts';
import { AddressTag } from '../design/address-tag.tsx';
import { Card } from '../design/card.tsx';
import { Pill } from '../design/pill.tsx';
import { formatBpsShare, formatCount, NONE } from '../format/figures.ts';
import { formatDuration, formatUtc } from '../format/time.ts';
import { Term } from '../glossary/term.tsx';
import { hooksState, useMerkleSync } from '../merkle/hooks-state.ts';
import { OfNow } from '../moment/of-now.tsx';

const STATUS_MS = 60_000;

type Props = { vault: Vault; explorerUrl: string | null | undefined };

/** Which calls of the strategy have a proof on chain, and the settings everything else stands on; for reading only. */
export function ProofsAndSettings({ vault, explorerUrl }: Props) {
  return (
    <div className="grid grid-cols-1 gap-3 lg:grid-cols-2">
      <Proofs vault={vault} />
      <Settings vault={vault} explorerUrl={explorerUrl} />
    </div>
  );
}

function Proofs({ vault }: { vault: Vault }) {
  const { merkle } = vault;
  const sync = useMerkleSync({ vault }, vault.my_role !== null);
  const { tone, word } = hooksState(vault, sync.data);
  return (
    <Group title="Merkle proofs" state={<Pill tone={tone}>{word}</Pill>}>
      <Fact name="Root of the strategy">
        <Root value={merkle.strategy_root} what="strategy root" />
      </Fact>
      <StoredProofs vault={vault} />
      <Fact name="Root for all strategies">
        <Root value={merkle.global_root} what="global root" />
      </Fact>
      <Fact name="Proposed root">
        {merkle.proposed_root === null ? (
          'None waits'
        ) : (
          <span className="flex flex-wrap items-center justify-end gap-x-2">
            <Root value={merkle.proposed_root} what="proposed root" />
            {merkle.effective_at === null ? null : <span>{`from ${formatUtc(merkle.effective_at)}`}</span>}
          </span>
        )}
      </Fact>
    </Group>
  );
}

/** Whether the chain takes the proofs that are kept here; asked of it, not of our own word. */
function StoredProofs({ vault: { chain_id, vault_address } }: { vault: Vault }) {
  const { api } = useApp();
  const status = useQuery({
    queryKey: ['proof-status', chain_id, vault_address.toLowerCase()],
    queryFn: () => api.merkleProofStatus({ params: { chain_id: String(chain_id), vault_address } }),
    refetchInterval: STATUS_MS,
  });
  return (
    <>
      <Fact name="Proofs the chain takes">
        {status.isError ? 'could not be checked' : status.data === undefined ? NONE : proofWords(status.data)}
      </Fact>
      {status.data?.published == null ? null : (
        <Fact name="Published tree">
          <Pill tone={status.data.published.is_in_force ? 'ok' : 'warn'}>
            {status.data.published.is_in_force ? 'In force' : 'Not the one in force'}
          </Pill>
        </Fact>
      )}
    </>
  );
}

function proofWords({ leaves, strategy_root }: Awaited<ReturnType<Api['merkleProofStatus']>>): string {
  if (strategy_root === null) return 'no root is in force';
  if (leaves === null) return 'the tree of this root is not kept here';
  const checked = leaves.checked < leaves.total ? ` of the first ${formatCount(leaves.checked)}` : '';
  return `${formatCount(leaves.valid)}${checked} of ${formatCount(leaves.total)} leaves`;
}

const Root = ({ value, what }: { value: string | null; what: string }) =>
  value === null ? <span title="Not set on chain">{NONE} not set</span> : <AddressTag value={value} what={what} />;

function Settings({ vault, explorerUrl }: Props) {
  const { pps_config: pps, fee_config: fees } = vault;
  return (
    <Group title="Settings">
      <Fact name="Time between price updates">{`at least ${formatDuration(pps.min_update_interval_seconds)}`}</Fact>
      <Fact name="Age of a report when it comes">{`at most ${formatDuration(pps.max_staleness_seconds)}`}</Fact>
      <Fact name="A price can be used for">{formatDuration(pps.expiration_seconds)}</Fact>
      <Fact name="Deviation guard">
        {pps.deviation_threshold_bps === null ? (
          <Pill tone="warn">Off: any price is taken</Pill>
        ) : (
          `pauses beyond ${formatBpsShare(pps.deviation_threshold_bps)}`
        )}
      </Fact>
      <Fact name="Fees">
        {`${formatBpsShare(fees.performance_fee_bps)} of gains, ${formatBpsShare(fees.management_fee_bps)} of deposits`}
      </Fact>
      <Fact name="Strategy">
        <AddressTag value={vault.strategy_address} what="strategy address" explorerUrl={explorerUrl} />
      </Fact>
      <Fact name="Escrow">
        <AddressTag value={vault.escrow_address} what="escrow address" explorerUrl={explorerUrl} />
      </Fact>
    </Group>
  );
}

const Group = ({ title, state, children }: { title: string; state?: ReactNode; children: ReactNode }) => (
  <Card className="flex flex-col gap-3">
    <div className="flex min-h-6 items-center justify-between gap-3">
      <h3 className="label-caps">{title}</h3>
      <span className="flex items-center gap-2">
        <OfNow />
        {state}
      </span>
    </div>
    <dl className="flex flex-col divide-y text-13">{children}</dl>
  </Card>
);

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="flex min-h-9 flex-wrap items-center justify-between gap-x-4 py-1">
    <dt className="text-muted">
      <Term>{name}</Term>
    </dt>
    <dd className="text-right">{children}</dd>
  </div>
);
