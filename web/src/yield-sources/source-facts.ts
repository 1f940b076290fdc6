import { useQuery } from '@tanstack/react-query';
import type { Api } from '../client/api.ts';
import { mayPass } from '../client/query-client.ts';
import { useApp } from '../client/services.ts';
import { explain } from '../design/explain.ts';
import { sameAddress } from '../format/address.ts';
import { formatAmount } from '../format/amount.ts';
import { formatCounted, formatShare, NONE } from '../format/figures.ts';
import { formatUtc } from '../format/time.ts';
import { readWallet } from '../users/wallet-input.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import { type Draft, type Known, knows } from './pairs.ts';

export type Facts = Awaited<ReturnType<Api['describeYieldSource']>>;

const FRESH_MS = 30_000;
const TURN_MS = 1_000;
const TURNS = 15;
const isLimited = (error: unknown): boolean => explain(error).code === 'RATE_LIMITED';

/** What the chain says of the address that was typed as a source; asked once it is one, and is not on the list. */
export function useSourceFacts({ vault }: Pick<Shown, 'vault'>, typed: string, known: Known) {
  const { api } = useApp();
  const { chain_id, vault_address } = vault;
  const read = typed.trim() === '' ? undefined : readWallet(typed);
  const source = read !== undefined && 'address' in read && !knows(known, read.address) ? read.address : undefined;
  return useQuery({
    queryKey: ['source-facts', chain_id, vault_address.toLowerCase(), source],
    queryFn: () =>
      api.describeYieldSource({
        params: { chain_id: String(chain_id), source_address: source ?? '' },
        query: { vault_address },
      }),
    enabled: source !== undefined,
    staleTime: FRESH_MS,
    // A pasted list asks about more addresses than a second allows: they take turns.
    retry: (failures, error) => failures < (isLimited(error) ? TURNS : 2) && mayPass(error),
    retryDelay: TURN_MS,
  });
}

/** Oracles that give a price for a source. */
export const pricing = ({ oracles }: Facts): Facts['oracles'] => oracles.filter(({ answers }) => answers);

/** Oracles of the vault that is operated, in lower case. */
export type OwnOracles = ReadonlySet<string>;

/**
 * The oracle to begin with: the only one of this vault that gives a price for the source. What other vaults use is never filled in:
 * anybody can create a vault, and pair a source with an oracle of theirs.
 */
export function oracleFor(facts: Facts, own: OwnOracles): string | undefined {
  const [oracle, ...others] = pricing(facts).filter(({ oracle_address }) => own.has(oracle_address.toLowerCase()));
  return others.length === 0 ? oracle?.oracle_address : undefined;
}

/** Who uses an oracle, as it is offered for a source. */
export function usersOf(
  { oracle_address, used_by, is_used_for_it }: Facts['oracles'][number],
  own: OwnOracles,
): string {
  const vaults = `${formatCounted(used_by, 'vault')} here ${used_by === 1 ? 'uses' : 'use'} it`;
  const parts = [own.has(oracle_address.toLowerCase()) ? 'this vault uses it' : null, vaults];
  return [...parts, is_used_for_it ? 'for this source too' : null].filter((part) => part !== null).join(', ');
}

/** What a source says it holds, in its asset; a dash where it does not say, or its asset has no decimals. */
export const holdsOf = ({ total_assets: total, asset }: Pick<Facts, 'total_assets' | 'asset'>): string =>
  total === null || asset?.decimals == null
    ? NONE
    : `${formatAmount(total, asset.decimals)} ${asset.symbol ?? 'of a token without a symbol'}`;

/** What the chain says, in one line. */
export function sentenceOf(facts: Facts): string {
  const { name, symbol, source_type: type, total_assets: total, vault_count: count, first_seen_at: since, apy } = facts;
  const called = name ?? 'A contract without a name';
  const parts = [
    symbol === null || symbol === name ? called : `${called} (${symbol})`,
    type === 'erc4626' ? 'ERC-4626 vault' : null,
    total === null ? null : `holds ${holdsOf(facts)}`,
    apy === null ? null : `APY ${formatShare(apy)}`,
    count === 0 ? 'no vault here has it' : `${formatCounted(count, 'vault')} here ${count === 1 ? 'has' : 'have'} it`,
    since === null ? null : `first added ${formatUtc(since)}`,
  ];
  return `${parts.filter((part) => part !== null).join(', ')}.`;
}

export type Remark = { tone: 'warn' | 'critical'; about: 'source' | 'oracle'; text: string };

/** What speaks against a source, or against the oracle beside it. */
export function remarksOn(facts: Facts, { oracle }: Draft, { asset, vault_address }: Shown['vault']): Remark[] {
  if (!facts.is_contract) return [{ tone: 'critical', about: 'source', text: 'There is no contract at this address.' }];
  const remarks: Remark[] = [];
  if (sameAddress(facts.source_address, vault_address))
    remarks.push({
      tone: 'critical',
      about: 'source',
      text: 'It is this vault itself, which would count its own shares as assets.',
    });
  if (facts.source_type === 'unknown')
    remarks.push({ tone: 'warn', about: 'source', text: 'It does not answer as an ERC-4626 vault.' });
  if (facts.is_vault_asset === false) {
    const own = facts.asset?.symbol ?? facts.asset?.address ?? 'another one';
    remarks.push({
      tone: 'critical',
      about: 'source',
      text: `Its asset is ${own}; the vault holds ${asset.symbol} (${asset.address}).`,
    });
  }
  const doubt = doubtAbout(facts, oracle.trim());
  return doubt === undefined ? remarks : [...remarks, doubt];
}

/** What speaks against the oracle beside a source, or that there is none to choose. */
function doubtAbout(facts: Facts, oracle: string): Remark | undefined {
  if (oracle === '') {
    if (pricing(facts).length > 0) return undefined;
    return { tone: 'warn', about: 'oracle', text: 'No oracle that is used on this chain gives a price for it.' };
  }
  const known = facts.oracles.find(({ oracle_address }) => sameAddress(oracle_address, oracle));
  if (known === undefined)
    return { tone: 'warn', about: 'oracle', text: 'It is not known whether the oracle beside it prices this source.' };
  return known.answers
    ? undefined
    : { tone: 'critical', about: 'oracle', text: 'This oracle gives no price for the source.' };
}
