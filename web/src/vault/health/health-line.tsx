import { useQuery } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { ChevronDown, CircleCheck, CircleDashed, CircleX, type LucideIcon, TriangleAlert } from 'lucide-react';
import { useId, useState } from 'react';
import { Button } from 'react-aria-components';
import { Link, type To } from 'react-router';
import { alertsQuery } from '../../alerts/queries.ts';
import { useApp } from '../../client/services.ts';
import { mandateTitle } from '../../data/mandate-title.ts';
import { mandateStatusQuery } from '../../data/queries.ts';
import { useAnalytics } from '../../data/use-analytics.ts';
import { usePollMs } from '../../data/use-live.ts';
import { sameAddress } from '../../format/address.ts';
import { formatCount } from '../../format/figures.ts';
import { useChainNow } from '../../live/chain-clock.ts';
import { useMoment } from '../../moment/use-moment.ts';
import { alertsPathOf, mandatePath } from '../../navigation/paths.ts';
import { useKeptAfterSession, useSession, useViewer } from '../../session/use-session.ts';
import { largestLeave } from '../risk/run-query.ts';
import { useSectionLink } from '../section-link.ts';
import type { Shown } from '../vault-gate.tsx';
import { type Check, type HealthInput, healthOf, type NotRead, type Verdict, worstOf } from './health.ts';

const looks: Readonly<Record<Verdict, { icon: LucideIcon; tone: string; word: string }>> = {
  good: { icon: CircleCheck, tone: 'text-accent', word: 'good' },
  watch: { icon: TriangleAlert, tone: 'text-brass', word: 'to watch' },
  bad: { icon: CircleX, tone: 'text-danger', word: 'bad' },
  unknown: { icon: CircleDashed, tone: 'text-muted', word: 'not known' },
};

const listLook = 'grid grid-cols-1 gap-x-5 gap-y-1 text-13 sm:grid-cols-2 lg:grid-cols-3';

/** Is the vault all right? One line, each part a link to its proof. Of a past moment nothing is said. */
export function HealthLine({ shown }: { shown: Shown }) {
  const { at } = useMoment();
  return at === undefined ? <HealthNow shown={shown} /> : null;
}

function HealthNow({ shown }: { shown: Shown }) {
  const { vault } = shown;
  const now = useChainNow(vault.chain_time);
  const { data: run, isError } = useAnalytics(shown, 'analyticsRun', largestLeave);
  const alerts = useAlertCount(shown);
  const linkTo = useSectionLink(shown);
  const to = (proof: Check['proof']) => {
    if (proof === 'alerts') return alertsPathOf(vault, hasAcknowledged(alerts) ? 'open' : undefined);
    if (proof !== 'mandate') return linkTo(proof);
    // Without a role it is read further down on this page.
    return vault.my_role === null ? { hash: mandateTitle } : mandatePath(vault.chain_slug, vault.vault_address);
  };
  const checks = healthOf({ vault, run: run ?? notRead(isError), mandate: useMandate(shown), alerts, now });
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  // On a phone, where the first figures would be below the screen; nothing that is wrong is folded away. Of each answer by itself, so
  // that a bad one moves the page by its own line.
  const isFolded = ({ verdict, isWaiting }: Check): boolean => !isOpen && (verdict === 'good' || isWaiting === true);
  return (
    <section
      aria-labelledby="health-title"
      className="relative flex flex-col gap-2 rounded-card border bg-surface px-4 py-3"
    >
      <div className="flex items-center justify-between gap-2">
        <h2 id="health-title" className="text-14 font-semibold">
          {summaryOf(checks)}
        </h2>
        <Button
          aria-label={isOpen ? 'Hide the checks' : 'Show the checks'}
          aria-expanded={isOpen}
          aria-controls={id}
          onPress={() => setIsOpen(!isOpen)}
          className="grid size-6 place-items-center text-muted after:absolute after:inset-x-0 after:top-0 after:h-11 sm:hidden"
        >
          <ChevronDown size={16} aria-hidden="true" className={clsx(isOpen && 'rotate-180')} />
        </Button>
      </div>
      {/* In columns: words that are read in later do not wrap and move the page. */}
      <ul id={id} className={clsx(listLook, checks.every(isFolded) && 'max-sm:hidden')}>
        {checks.map((check) => (
          <li key={check.name} className={clsx(isFolded(check) && 'max-sm:hidden')}>
            <CheckLink check={check} to={to(check.proof)} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function CheckLink({ check: { verdict, text }, to }: { check: Check; to: To }) {
  const { icon: Icon, tone, word } = looks[verdict];
  return (
    <Link to={to} className="inline-flex min-h-6 items-center gap-1.5 hover:text-accent hover:underline">
      <Icon size={14} aria-hidden="true" className={`shrink-0 ${tone}`} />
      <span className="tabular-nums">{text}</span>
      <span className="sr-only">{`(${word})`}</span>
    </Link>
  );
}

function summaryOf(checks: readonly Check[]): string {
  const wrong = checks.filter(({ verdict }) => verdict === 'bad').length;
  const watched = checks.filter(({ verdict }) => verdict === 'watch').length;
  const worst = worstOf(checks);
  if (worst === 'bad') return `${formatCount(wrong)} of ${formatCount(checks.length)} checks need action`;
  if (worst === 'watch') return `${formatCount(watched)} of ${formatCount(checks.length)} checks need a look`;
  const unknown = checks.filter(({ verdict }) => verdict === 'unknown').length;
  return unknown === 0
    ? `All ${formatCount(checks.length)} checks are good`
    : `No trouble found, ${formatCount(unknown)} not known yet`;
}

const notRead = (isError: boolean): NotRead => (isError ? 'failed' : 'being read');

/** Who has no role sees it where it is public, and is not kept waiting for one that may not be there. */
function useMandate({ vault }: Shown) {
  const { api } = useApp();
  const enabled = useKeptAfterSession();
  const query = useQuery({ ...mandateStatusQuery(api, useViewer(), vault, usePollMs()), enabled });
  if (query.data === undefined && vault.my_role === null && !query.isError) return undefined;
  return query.data ?? notRead(query.isError);
}

/** Acknowledged alerts are not in the list of the active ones. */
const hasAcknowledged = (alerts: HealthInput['alerts']): boolean =>
  typeof alerts === 'object' && alerts.acknowledged !== undefined && alerts.acknowledged > 0;

/** Only people with a role may read a vault's alerts. Counted by the server: the list ends after a hundred of all vaults. */
function useAlertCount({ vault }: Shown) {
  const { api } = useApp();
  const isSignedIn = useSession().status === 'signed_in';
  const query = useQuery({
    ...alertsQuery(api, useViewer(), 'active'),
    enabled: isSignedIn && vault.my_role !== null,
    refetchInterval: usePollMs(),
  });
  if (vault.my_role === null) return undefined;
  if (query.data === undefined) return notRead(query.isError);
  const found = query.data.counts.by_vault.find(
    ({ chain_id, vault_address }) => chain_id === vault.chain_id && sameAddress(vault_address, vault.vault_address),
  );
  return found ?? { critical: 0, warning: 0, info: 0, acknowledged: 0 };
}
