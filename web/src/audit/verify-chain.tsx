import { useMutation } from '@tanstack/react-query';
import { useApp } from '../client/services.ts';
import type { Vault } from '../data/queries.ts';
import { CopyButton } from '../design/address-tag.tsx';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { Failure, Notice } from '../design/states.tsx';
import { formatCount } from '../format/figures.ts';
import { faultWords, type Verdict, verifyChain } from './chain.ts';
import { readWhole } from './export.ts';

const COMMAND = 'npm run verify:audit --';

/** Proves the log in this browser, and says how to prove it without us. */
export function VerifyChain({ vault }: { vault: Vault }) {
  const { session } = useApp();
  const check = useMutation({
    mutationFn: async () => {
      if (globalThis.crypto?.subtle === undefined) {
        throw new Error('This browser gives pages no SHA-256 without HTTPS. Verify a JSON export offline instead.');
      }
      return verifyChain(await readWhole(session, vault), vault);
    },
  });
  return (
    <Card>
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0 flex-1 basis-72">
          <h3 className="text-14 font-semibold">Is the log whole?</h3>
          <p className="text-13 text-muted">
            Each row carries the hash of the row before it, so that none can be changed or taken out unseen. This page
            checks all of them here. To check without us, download the JSON without filters and run{' '}
            <code className="font-mono text-12 break-all">{`${COMMAND} ${vault.vault_address}-audit.json`}</code>. Keep
            the last hash: a later log that is whole still contains it.
          </p>
        </div>
        <Button isDisabled={check.isPending} onPress={() => check.mutate()}>
          {check.isPending ? 'Checking' : 'Verify chain'}
        </Button>
      </div>
      {check.isError ? (
        <div className="pt-3">
          <Failure error={check.error} title="The log could not be checked" />
        </div>
      ) : null}
      {check.data === undefined ? null : (
        <div className="pt-3">
          <VerdictNotice verdict={check.data} />
        </div>
      )}
    </Card>
  );
}

function VerdictNotice({ verdict }: { verdict: Verdict }) {
  if (!verdict.ok) {
    return (
      <Notice tone="critical" title={`The log breaks at row ${formatCount(verdict.position)}`}>
        {`The check stopped there: ${faultWords[verdict.fault]}. Rows before it are whole. Download the JSON now and keep it as evidence.`}
      </Notice>
    );
  }
  const { rows, head } = verdict;
  return (
    <Notice tone="info" title={`The log is whole: ${formatCount(rows)} ${rows === 1 ? 'row' : 'rows'}`}>
      <span className="flex items-center gap-1">
        <span className="min-w-0">
          Last hash <code className="font-mono text-12 break-all">{head.hash}</code>
        </span>
        <CopyButton value={head.hash} what="last hash" />
      </span>
    </Notice>
  );
}
