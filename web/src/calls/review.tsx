import { isDepositorKind } from '@castellan/contracts';
import { changes, checkDescribed } from '@castellan/sdk/calls';
import { useMutation, useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense } from 'react';
import { Link } from 'react-router';
import { chainById } from '../client/config.ts';
import { useApp } from '../client/services.ts';
import { vaultQuery } from '../data/queries.ts';
import { AddressTag } from '../design/address-tag.tsx';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { Failure, Notice, Skeleton } from '../design/states.tsx';
import { formatUtc } from '../format/time.ts';
import { operatePath } from '../navigation/paths.ts';
import { useViewer } from '../session/use-session.ts';
import { CallReview } from '../signing/call-review.tsx';
import { placeOf } from '../signing/prepare-dialog.tsx';
import { type Prepared, stateWords } from './call-states.ts';
import { Lifecycle } from './lifecycle.tsx';
import { CallStatePill } from './state-pill.tsx';

// What signs is loaded when something is to be signed.
const SendStep = lazy(() => import('./send-with-wallet.tsx'));

type Props = { call: Prepared; refresh: () => void };

/** Everything there is to know about one prepared call, and what this wallet can do about it. */
export function Review({ call, refresh }: Props) {
  const { config, api } = useApp();
  const viewer = useViewer();
  const chain = chainById(config, call.chain_id);
  const vault = useQuery(vaultQuery(api, viewer, call.chain_id, call.vault_address));
  return (
    <>
      <Head call={call} name={vault.data?.name} />
      <Card>
        <div className="flex flex-col gap-4">
          <Lifecycle call={call} />
          <Outcome call={call} />
        </div>
      </Card>
      {vault.data === undefined ? (
        vault.isError ? (
          <Failure
            error={vault.error}
            title="The vault could not be read, so the call cannot be checked here"
            retry={() => vault.refetch()}
          />
        ) : (
          <Skeleton className="h-56 w-full" />
        )
      ) : (
        <Checked call={call} shown={{ vault: vault.data }} explorerUrl={chain?.explorer_url} refresh={refresh} />
      )}
    </>
  );
}

function Head({ call, name }: { call: Prepared; name: string | undefined }) {
  const { config } = useApp();
  const chain = chainById(config, call.chain_id);
  const slug = chain?.slug ?? String(call.chain_id);
  return (
    <header className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-3">
        <h1 className="text-20 font-semibold">{changes[call.kind].title}</h1>
        <CallStatePill state={call.status} />
      </div>
      <p className="text-13 text-muted">{stateWords[call.status].meaning}</p>
      <dl className="grid grid-cols-1 gap-3 sm:grid-cols-2">
        <Fact label="Vault">
          <Link to={operatePath(slug, call.vault_address)} className="link">
            {name ?? 'The vault of this call'}
          </Link>
          <span className="text-muted">{` · ${chain?.name ?? `chain ${call.chain_id}`}`}</span>
        </Fact>
        <Fact label="Prepared by">
          <AddressTag value={call.prepared_by} what="who prepared it" explorerUrl={chain?.explorer_url} />
        </Fact>
        <Fact label="Prepared">{`${formatUtc(call.prepared_at)}, at block ${call.block_number}`}</Fact>
        <Fact label={call.status === 'prepared' ? 'To be sent before' : 'Was to be sent before'}>
          {formatUtc(call.expires_at)}
        </Fact>
        {call.reason === null ? null : <Fact label="Reason">{call.reason}</Fact>}
        {call.tx_hash === null ? null : (
          <Fact label="Transaction">
            <AddressTag value={call.tx_hash} what="transaction hash" kind="tx" explorerUrl={chain?.explorer_url} />
          </Fact>
        )}
      </dl>
      {call.forced ? (
        <Notice tone="warn" title="Prepared although the chain would refuse it">
          The person who prepared this saw that warning and went on. Look at what the chain checks below.
        </Notice>
      ) : null}
    </header>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-0.5">
      <dt className="text-12 text-muted">{label}</dt>
      <dd className="min-w-0 break-words text-13">{children}</dd>
    </div>
  );
}

/** What the chain must say afterwards, and what it did say. */
function Outcome({ call }: { call: Prepared }) {
  const { description, ok, actual } = call.post_condition;
  const said = actual === null ? '' : ` The chain says ${String(actual)}.`;
  return (
    <div className="flex flex-col gap-2 text-13">
      <p>
        <span className="text-muted">Afterwards the chain must say: </span>
        {description}
      </p>
      {ok === null ? null : (
        <p className={ok ? 'text-accent' : 'text-danger'}>
          {ok ? `It does.${said}` : `It does not.${said} Somebody has to look.`}
        </p>
      )}
      {call.revert_reason === null ? null : (
        <p className="text-danger">{`The chain refused it: ${call.revert_reason}`}</p>
      )}
    </div>
  );
}

type CheckedProps = Props & { shown: Parameters<typeof placeOf>[0]; explorerUrl: string | null | undefined };

/** The call decoded and checked in this browser; a second look at the chain on demand. */
function Checked({ call, shown, explorerUrl, refresh }: CheckedProps) {
  const { api } = useApp();
  const recheck = useMutation({
    mutationFn: () => api.getPrepared({ params: { id: call.id }, query: { recheck: 'true' } }),
  });
  const { place, units } = placeOf(shown, call.kind);
  // Only what the chain is asked anew may differ; the call itself is what was prepared.
  const seen: Prepared =
    recheck.data === undefined
      ? call
      : { ...call, simulation: recheck.data.simulation, preconditions: recheck.data.preconditions };
  const check = checkDescribed(call, { kind: call.kind, ...place });
  return (
    <Card>
      <div className="flex flex-col gap-4">
        <div className="flex flex-wrap items-center justify-between gap-3">
          <h2 className="text-14 font-semibold">The call</h2>
          {call.status === 'prepared' ? (
            <Button isDisabled={recheck.isPending} onPress={() => recheck.mutate()}>
              {recheck.isPending ? 'Asking the chain' : 'Simulate it again'}
            </Button>
          ) : null}
        </div>
        <p role="status" className="text-13 text-muted">
          {recheck.data === undefined
            ? `Simulated when it was prepared, at block ${call.block_number}.`
            : `Simulated again just now: ${recheck.data.simulation.ok ? 'it would succeed' : 'it would fail'}.`}
        </p>
        {recheck.isError ? <Failure error={recheck.error} title="It could not be simulated again" /> : null}
        <CallReview
          call={seen}
          check={check}
          units={units}
          explorerUrl={explorerUrl}
          isOwn={isDepositorKind(call.kind)}
        />
        <Suspense fallback={<Skeleton className="h-9 w-full" />}>
          <SendStep call={seen} isTrusted={check.problems.length === 0} explorerUrl={explorerUrl} refresh={refresh} />
        </Suspense>
      </div>
    </Card>
  );
}
