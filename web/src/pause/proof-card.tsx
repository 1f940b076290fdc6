import type { PauseProof } from '@castellan/contracts';
import { serverNow } from '../client/server-clock.ts';
import { AddressTag } from '../design/address-tag.tsx';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { Pill, roleWords } from '../design/pill.tsx';
import { PlainTable } from '../design/plain-table.tsx';
import { Failure, Skeleton } from '../design/states.tsx';
import { formatAmount } from '../format/amount.ts';
import { NONE } from '../format/figures.ts';
import { formatAgo, formatDuration, formatUtc } from '../format/time.ts';
import { useTick } from '../live/chain-clock.ts';
import { ReadTrouble } from '../live/read-trouble.tsx';
import type { Shown } from '../vault/vault-gate.tsx';
import type { useProof } from './use-proof.ts';

type Props = { shown: Shown } & Pick<ReturnType<typeof useProof>, 'proof' | 'check'>;

const NATIVE_DECIMALS = 18;
const reasonWords = (reason: string | null): string =>
  reason === 'NO_GAS' ? 'The wallet cannot pay for the gas' : (reason ?? 'No reason was given');

/** Whether the button would work if it were needed now, and who it would work for. */
export function ProofCard({ shown, proof, check }: Props) {
  const { data } = proof;
  return (
    <Card className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 className="text-16 font-semibold">Panic button</h3>
        <Button isDisabled={check.isPending} onPress={() => check.mutate()}>
          {check.isPending ? 'Checking' : 'Check now'}
        </Button>
      </div>
      {check.isError ? <Failure error={check.error} title="It could not be checked now" /> : null}
      <ReadTrouble of={proof} what="The last check" />
      {data === undefined ? (
        proof.isError ? null : (
          <Skeleton className="h-32 w-full" />
        )
      ) : (
        <Verdict shown={shown} proof={data} />
      )}
    </Card>
  );
}

function Verdict({ shown, proof }: { shown: Shown; proof: PauseProof }) {
  useTick();
  const age = (serverNow() - Date.parse(proof.checked_at)) / 1_000;
  const call = proof.call === 'pauseStrategy' ? 'pause' : 'release from the pause';
  return (
    <>
      <div role="status" className="flex flex-wrap items-center gap-2">
        {proof.ok ? <Pill tone="ok">Works</Pill> : <Pill tone="critical">Would fail</Pill>}
        {proof.is_stale ? <Pill tone="warn">Not checked lately</Pill> : null}
      </div>
      <p className="text-13">
        {proof.ok
          ? `At least one manager could send the ${call} at block ${proof.block_number}.`
          : `No manager could send the ${call} at block ${proof.block_number}. See below what prevents it.`}
      </p>
      <p className="text-12 text-muted">
        <span title={formatUtc(proof.checked_at)}>{`Checked ${formatAgo(age)}`}</span>
        {`, every ${formatDuration(proof.interval_seconds)} by a simulation from each manager's wallet.`}
        {proof.is_stale ? ' The last check is older than it should be: check now.' : ''}
      </p>
      <Trials shown={shown} proof={proof} />
      <Removals shown={shown} proof={proof} />
    </>
  );
}

type WalletProps = { shown: Shown; address: string; role?: keyof typeof roleWords };

function Wallet({ shown: { vault, chain }, address, role }: WalletProps) {
  const people = [vault.managers.primary, ...vault.managers.secondary];
  const name = people.find((person) => person.wallet_address === address)?.display_name ?? null;
  return (
    <span className="flex flex-col">
      {name === null ? null : <span>{name}</span>}
      <AddressTag value={address} what="manager" explorerUrl={chain.explorer_url} />
      {role === undefined ? null : <span className="text-12 text-muted">{roleWords[role]}</span>}
    </span>
  );
}

const Result = ({ ok, reason }: { ok: boolean; reason: string | null }) => (
  <span className="flex flex-col items-start gap-1">
    <Pill tone={ok ? 'ok' : 'critical'}>{ok ? 'Works' : 'Fails'}</Pill>
    {ok ? null : <span className="text-12 text-danger">{reasonWords(reason)}</span>}
  </span>
);

function Trials({ shown, proof }: { shown: Shown; proof: PauseProof }) {
  const symbol = shown.chain.native_symbol;
  const native = (raw: bigint | string) => `${formatAmount(raw, NATIVE_DECIMALS)} ${symbol}`;
  return (
    <PlainTable
      label="Trials"
      head={['Manager', 'Result', 'Costs', 'Has']}
      words={[1]}
      isInset
      rows={proof.trials.map((trial) => ({
        id: trial.wallet_address,
        cells: [
          <Wallet key="wallet" shown={shown} address={trial.wallet_address} role={trial.role} />,
          <Result key="result" ok={trial.ok} reason={trial.reason} />,
          trial.gas === null || trial.gas_price === null ? NONE : native(BigInt(trial.gas) * BigInt(trial.gas_price)),
          native(trial.balance),
        ],
      }))}
    />
  );
}

function Removals({ shown, proof }: { shown: Shown; proof: PauseProof }) {
  if (proof.removals.length === 0) return null;
  return (
    <div className="flex flex-col gap-1">
      <h4 className="text-13 font-semibold">Removal of a secondary manager by the primary</h4>
      <PlainTable
        label="Removals"
        head={['Manager', 'Result']}
        words={[1]}
        isInset
        rows={proof.removals.map(({ wallet_address, ok, reason }) => ({
          id: wallet_address,
          cells: [
            <Wallet key="wallet" shown={shown} address={wallet_address} />,
            <Result key="result" ok={ok} reason={reason} />,
          ],
        }))}
      />
    </div>
  );
}
