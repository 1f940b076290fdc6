import type { LogEntry } from '@castellan/contracts';

/** Events that hold what calls do not return; entries of these names are given to {@link foldFacts}. */
export const factEvents = [
  'VaultDeployed',
  'StrategyPaused',
  'StrategyUnpaused',
  'StrategyCheckFailed',
  'InsufficientUpkeep',
  'VaultFeeConfigProposed',
  'VaultFeeConfigUpdated',
  'SecondaryManagerAdded',
  'PrimaryManagerChanged',
  'PrimaryManagerChangeProposed',
  'PrimaryManagerChangeCancelled',
  'GlobalLeavesStatusChanged',
] as const;

type FactEntry = Pick<LogEntry, 'name' | 'args' | 'block_time' | 'block_number' | 'tx_hash'>;

/** A manager's appointment, wallets in lower case. */
export type Appointment = { wallet: string; grantedBy: string | null; grantedAt: string };

/** Proposed fees, which no getter returns. `effectiveTime` in chain seconds, the recipient in lower case. */
export type PendingFees = {
  performanceFeeBps: number;
  managementFeeBps: number;
  recipient: string;
  effectiveTime: bigint;
};

/** Events that say which fees are proposed; the newest of them counts. */
export const feeEvents = ['VaultFeeConfigProposed', 'VaultFeeConfigUpdated'] as const;

/** The fees that are proposed after one of {@link feeEvents}. */
export const pendingFeesAfter = ({
  name,
  args,
}: {
  name: string;
  args: Record<string, unknown>;
}): PendingFees | null =>
  name === 'VaultFeeConfigProposed'
    ? {
        performanceFeeBps: Number(String(args.performanceFeeBps)),
        managementFeeBps: Number(String(args.managementFeeBps)),
        recipient: String(args.recipient).toLowerCase(),
        effectiveTime: BigInt(String(args.effectiveTime)),
      }
    : null;

/**
 * Leaves of the global root that a vault may not use: no getter returns them.
 * @param events - Its `GlobalLeavesStatusChanged`, oldest first, `leaves` and `statuses` of one length each.
 */
export function bannedLeavesOf(events: readonly { args: Record<string, unknown> }[]): Set<string> {
  const banned = new Set<string>();
  for (const { args } of events) {
    const [leaves, statuses] = [args.leaves as readonly string[], args.statuses as readonly unknown[]];
    for (const [index, leaf] of leaves.entries()) {
      if (String(statuses[index]) === 'true') banned.add(leaf.toLowerCase());
      else banned.delete(leaf.toLowerCase());
    }
  }
  return banned;
}

/** What the log knows of a vault beyond its present state. */
export type VaultFacts = {
  created: { at: string; block: number; tx: string };
  pause: { since: string; tx: string; reason: string | null } | null;
  pendingFees: PendingFees | null;
  managerProposal: { proposedManager: string; proposer: string } | null;
  /** The latest appointment of each secondary manager by its wallet, since the last change of the primary. */
  secondaryAppointments: ReadonlyMap<string, Appointment>;
  primaryAppointment: Appointment | null;
  /** Leaves of the global root that the vault may not use, in the order of their bans. */
  bannedLeaves: readonly string[];
};

const text = (entry: FactEntry, name: string): string => String(entry.args[name]);
const wallet = (entry: FactEntry, name: string): string => text(entry, name).toLowerCase();

/** Why the chain paused by itself, as it says in the same transaction. */
function automaticReason(entries: readonly FactEntry[], tx: string): string | null {
  const found = entries.find(
    ({ tx_hash, name }) => tx_hash === tx && (name === 'StrategyCheckFailed' || name === 'InsufficientUpkeep'),
  );
  if (!found) return null;
  return found.name === 'InsufficientUpkeep' ? 'INSUFFICIENT_UPKEEP' : text(found, 'reason');
}

class Fold {
  readonly #entries: readonly FactEntry[];
  readonly #facts: Omit<VaultFacts, 'created' | 'bannedLeaves'> & { secondaryAppointments: Map<string, Appointment> };
  created: VaultFacts['created'] | undefined;
  /** The primary manager as far as changes show. */
  #primary: string | undefined;

  constructor(entries: readonly FactEntry[], currentPrimary: string) {
    this.#entries = entries;
    // Initial managers are in no event: the first change names the primary it replaced, else it is still the first one.
    const firstChange = entries.find(({ name }) => name === 'PrimaryManagerChanged');
    this.#primary = firstChange ? wallet(firstChange, 'oldManager') : currentPrimary.toLowerCase();
    this.#facts = {
      pause: null,
      pendingFees: null,
      managerProposal: null,
      secondaryAppointments: new Map(),
      primaryAppointment: null,
    };
  }

  apply(entry: FactEntry): void {
    const facts = this.#facts;
    switch (entry.name) {
      case 'VaultDeployed':
        this.created = { at: entry.block_time, block: entry.block_number, tx: entry.tx_hash ?? '' };
        return;
      case 'StrategyPaused':
        facts.pause = {
          since: entry.block_time,
          tx: entry.tx_hash ?? '',
          reason: automaticReason(this.#entries, entry.tx_hash ?? ''),
        };
        return;
      case 'StrategyUnpaused':
        facts.pause = null;
        return;
      case 'VaultFeeConfigProposed':
      case 'VaultFeeConfigUpdated':
        facts.pendingFees = pendingFeesAfter(entry);
        return;
      default:
        this.#applyManagers(entry);
    }
  }

  #applyManagers(entry: FactEntry): void {
    const facts = this.#facts;
    if (entry.name === 'SecondaryManagerAdded') {
      const manager = wallet(entry, 'manager');
      const grantedBy = this.#primary ?? null;
      facts.secondaryAppointments.set(manager, { wallet: manager, grantedBy, grantedAt: entry.block_time });
    } else if (entry.name === 'PrimaryManagerChangeProposed') {
      facts.managerProposal = { proposedManager: wallet(entry, 'newManager'), proposer: wallet(entry, 'proposer') };
    } else if (entry.name === 'PrimaryManagerChangeCancelled') {
      facts.managerProposal = null;
    } else if (entry.name === 'PrimaryManagerChanged') {
      const primary = wallet(entry, 'newManager');
      // A takeover by governance names no proposer; a matured proposal does.
      const matured = facts.managerProposal?.proposedManager === primary ? facts.managerProposal.proposer : null;
      facts.primaryAppointment = { wallet: primary, grantedBy: matured, grantedAt: entry.block_time };
      facts.managerProposal = null;
      // Both ways of changing the primary clear all secondaries, one of them without an event.
      facts.secondaryAppointments.clear();
      this.#primary = primary;
    }
  }

  result(): Omit<VaultFacts, 'created' | 'bannedLeaves'> {
    return this.#facts;
  }
}

/**
 * What the living log says of one vault.
 * @param entries - Its entries of {@link factEvents}, oldest first, without voided ones.
 * @param currentPrimary - The primary manager now: who appointed the first secondaries when it never changed.
 * @throws {Error} when the vault's creation is not among them: the registry only lists vaults it saw deployed.
 */
export function foldFacts(entries: readonly FactEntry[], currentPrimary: string): VaultFacts {
  const fold = new Fold(entries, currentPrimary);
  for (const entry of entries) fold.apply(entry);
  if (!fold.created) throw new Error('The log holds no creation of this vault.');
  const bannedLeaves = [...bannedLeavesOf(entries.filter(({ name }) => name === 'GlobalLeavesStatusChanged'))];
  return { created: fold.created, ...fold.result(), bannedLeaves };
}

/** One vault's managers as of a block; wallets in lower case. */
export type Managers = { primary: Appointment; secondary: Appointment[] };

/** Wallets of managers, for `roleOnVault`. */
export const walletsOf = ({ primary, secondary }: Managers): { primary: string; secondary: string[] } => ({
  primary: primary.wallet,
  secondary: secondary.map(({ wallet }) => wallet),
});

/**
 * Managers with who appointed them and when. Managers without an appointment in the log were named at creation.
 * @param now - As `getMainManager` and `getSecondaryManagers` answer.
 */
export function managersOf(now: { primary: string; secondary: readonly string[] }, facts: VaultFacts): Managers {
  const primary = now.primary.toLowerCase();
  const appointed = facts.primaryAppointment?.wallet === primary ? facts.primaryAppointment : null;
  const atCreation = (wallet: string): Appointment => ({ wallet, grantedBy: null, grantedAt: facts.created.at });
  return {
    primary: appointed ?? atCreation(primary),
    secondary: now.secondary.map((item) => {
      const manager = item.toLowerCase();
      return facts.secondaryAppointments.get(manager) ?? atCreation(manager);
    }),
  };
}
