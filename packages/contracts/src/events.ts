import { z } from 'zod';
import { Alert, AlertEvent } from './alerts/alerts.ts';
import { durableEvent, stream } from './event.ts';
import { longestTokenSeconds } from './identity/token-scope.ts';
import { MandateInAnswer } from './mandates/document.ts';
import { ChainId, Eip55, IsoTime, UintString } from './primitives.ts';
import { updateKinds } from './vaults/live.ts';
import { LogEntry, Transmission, VaultDetail } from './vaults/vaults.ts';

/** That the log of a chain has grown; the entries themselves are served by `v1.vaults.events`. */
export const ChainStream = stream('CHAIN', 'chain', { maxAgeSeconds: 7 * 86_400, diskPercent: 27 });
/** A chain's log has grown to `head_seq`, or further: time to read on from wherever one is, by `v1.vaults.events`. */
export const LogGrew = durableEvent(ChainStream, 'log_grew', z.object({ chain_id: ChainId, head_seq: z.int() }));

/** What an open dashboard hears about one vault, ready to send. `detail` is the anonymous view (`my_role` null). */
export const VaultUpdate = z.object({
  chain_id: ChainId,
  vault_address: Eip55,
  kind: z.enum(updateKinds),
  block_number: z.int(),
  detail: VaultDetail.optional(),
  entry: LogEntry.optional(),
  transmission: Transmission.optional(),
  /** An alert as it is now. */
  alert: Alert.optional(),
  /** What is sent to a websocket channel of the vault. */
  notification: AlertEvent.extend({ channel_id: z.string() }).optional(),
});
export type VaultUpdate = z.infer<typeof VaultUpdate>;

/** Kept 15 minutes, so that a reader who was away 5 minutes resumes without loss. */
export const UpdateStream = stream('VAULT_UPDATES', 'vault_updates', { maxAgeSeconds: 900, diskPercent: 5 });
/** A vault has changed; live streams pass it on. */
export const VaultUpdated = durableEvent(UpdateStream, 'vault_updated', VaultUpdate);

/** Kept longer than any token lives, so that a gateway that starts knows every revoked session. */
export const SessionStream = stream('SESSIONS', 'sessions', {
  maxAgeSeconds: longestTokenSeconds + 86_400,
  diskPercent: 3,
});
/** A session or token was ended before `expires_at`. */
export const SessionRevoked = durableEvent(
  SessionStream,
  'session_revoked',
  z.object({ sid: z.string(), expires_at: IsoTime }),
);

/** What `vaults` needs to know of people: names and view-only grants. `version` grows with each change of the same key. */
export const DirectoryStream = stream('DIRECTORY', 'directory', { maxAgeSeconds: 31 * 86_400, diskPercent: 3 });
/** A view-only grant was made or taken back; of two, the higher `version` counts. */
export const ViewOnlyChanged = durableEvent(
  DirectoryStream,
  'view_only_changed',
  z.object({ chain_id: ChainId, vault_address: Eip55, wallet_address: Eip55, granted: z.boolean(), version: z.int() }),
);
/** The primary manager of a vault has put a version of its mandate into force; of two, the higher `version` counts. */
export const MandateEnforced = durableEvent(
  DirectoryStream,
  'mandate_enforced',
  z.object({ chain_id: ChainId, vault_address: Eip55, version: z.int(), document: MandateInAnswer }),
);
/** A label on one vault, or (vault_address and chain_id null) the wallet's own name. */
export const DisplayNameChanged = durableEvent(
  DirectoryStream,
  'display_name_changed',
  z.object({
    chain_id: ChainId.nullable(),
    vault_address: Eip55.nullable(),
    wallet_address: Eip55,
    display_name: z.string(),
    version: z.int(),
  }),
);

/** Vaults on which a role may have begun or ended: what was opened for a role is checked again. */
export const RoleStream = stream('ROLES', 'roles', { maxAgeSeconds: 7 * 86_400, diskPercent: 3 });
/** `block_number`: roles read at an earlier block do not show the change yet. */
export const RolesChanged = durableEvent(
  RoleStream,
  'roles_changed',
  z.object({ chain_id: ChainId, vault_address: Eip55, block_number: z.int() }),
);

/** What the validators report of their transmissions. */
export const OracleStream = stream('ORACLE', 'oracle', { maxAgeSeconds: 7 * 86_400, diskPercent: 14 });
/**
 * What became of a price in a transmission of a validator: once a block has it, and again once that is final. The later one of a
 * `transmission_id` (absent from nodes that do not have it yet) replaces the earlier: a reorganisation may have undone it.
 */
export const PriceTransmitted = durableEvent(
  OracleStream,
  'price_transmitted',
  Transmission.extend({ transmission_id: z.string().optional() }),
);

/** How far analytics has come. Kept for a few minutes: it matters to who holds answers made before. */
export const ProjectionStream = stream('PROJECTIONS', 'projections', { maxAgeSeconds: 900, diskPercent: 1 });
/** Reads of a chain are answered as of another block now, or from other facts. After a reorganisation the block may be an earlier one. */
export const ProjectionMoved = durableEvent(
  ProjectionStream,
  'projection_moved',
  z.object({ chain_id: ChainId, block_number: z.int() }),
);

/** Figures of a vault that need its history, for those who show its present state. */
export const FiguresStream = stream('FIGURES', 'figures', { maxAgeSeconds: 7 * 86_400, diskPercent: 9 });
/** `apy`: realised over 7 days, net. `peak_pps`: as {@link AllocationItem} has it. `seq`: how much of the log went in; a lower one is older. */
export const VaultMeasured = durableEvent(
  FiguresStream,
  'vault_measured',
  z.object({
    chain_id: ChainId,
    vault_address: Eip55,
    seq: z.int().nonnegative(),
    block_number: z.int(),
    apy: z.number().nullable(),
    runway_seconds: z.int().nonnegative().nullable(),
    allocation: z.array(
      z.object({ source_address: Eip55, apy: z.number().nullable(), peak_pps: UintString.nullable().optional() }),
    ),
  }),
);
