import type { Action } from './action.ts';
import { AlertChanged, AlertSignalled, AlertSignalStream, AlertStream } from './alerts/alerts.ts';
import { MeasureMetrics } from './alerts/own-rules.ts';
import { GetAlertReadings } from './alerts/readings.ts';
import { routes } from './all-routes.ts';
import { GetOperations, ListFees } from './analytics/operations.ts';
import { GetOverview, GetPps, GetTvlSeries } from './analytics/overview.ts';
import { GetPerformance, GetPpsWhatIf, GetValueBridge } from './analytics/performance.ts';
import { GetDrawdown, GetRisk, RunSimulation } from './analytics/risk.ts';
import { GetUsers, ListTopHolders } from './analytics/users.ts';
import { AuditRecorded, AuditStream, ListTimeline } from './audit/audit.ts';
import { RenewEnvelope } from './envelopes.ts';
import type { DurableEvent, StreamDefinition } from './event.ts';
import {
  ChainStream,
  DirectoryStream,
  DisplayNameChanged,
  FiguresStream,
  LogGrew,
  MandateEnforced,
  OracleStream,
  PriceTransmitted,
  ProjectionMoved,
  ProjectionStream,
  RoleStream,
  RolesChanged,
  SessionRevoked,
  SessionStream,
  UpdateStream,
  VaultMeasured,
  VaultUpdated,
  ViewOnlyChanged,
} from './events.ts';
import { JudgeMandate } from './mandates/mandates.ts';
import { PrepareChange } from './prepared/prepared-call.ts';
import { GetRoles } from './users/users.ts';
import { ListMyVaults } from './vaults/own-vaults.ts';
import { ReadTogether } from './vaults/read-together.ts';
import { GetValidators, ListTransmissions, ValidatorStream, validatorEvents } from './vaults/validators.ts';
import {
  GetBlock,
  GetChainRoles,
  GetVault,
  GetVaultManagers,
  ListChains,
  ListLogEntries,
  NoteViewOnly,
} from './vaults/vaults.ts';

/** What one service does on the bus; everything else is refused it. */
export type BusService = {
  /** Actions it asks of others, or of another instance of its own. Those it serves follow from their names. */
  readonly calls: readonly Action[];
  readonly publishes: readonly DurableEvent[];
  /** Streams that it creates and whose settings it changes; each stream has one such service. */
  readonly defines: readonly StreamDefinition[];
  /** Streams that each of its instances reads whole. */
  readonly follows: readonly StreamDefinition[];
  /** Events of those that it also takes as they are sent, since they end what somebody may do. */
  readonly hears?: readonly DurableEvent[];
  /** Groups of consumers by name, with the stream whose messages their instances share. */
  readonly consumes: Readonly<Record<string, StreamDefinition>>;
};

const isAction = (action: Action | undefined): action is Action => action !== undefined;
/** Asked before the roles of a vault are believed. */
const rolesRead = [GetVaultManagers];
const logRead = [ListChains, ListLogEntries];

/** Who does what on the bus. Permissions of its users are made from this; code that does more is refused. */
export const busServices = {
  gateway: {
    calls: [
      ...Object.values(routes)
        .map(({ action }): Action | undefined => action)
        .filter(isAction),
      ...rolesRead,
      ReadTogether,
    ],
    publishes: [],
    defines: [],
    follows: [SessionStream, UpdateStream, RoleStream, ProjectionStream],
    hears: [SessionRevoked, RolesChanged],
    consumes: {},
  },
  auth: {
    calls: [GetRoles, ...rolesRead],
    publishes: [SessionRevoked, AuditRecorded],
    defines: [SessionStream],
    follows: [],
    consumes: { 'auth-token-roles': RoleStream },
  },
  vaults: {
    calls: [],
    publishes: [LogGrew, VaultUpdated, RolesChanged, AuditRecorded, AlertSignalled],
    // The validators belong to others: what they publish is kept as this service says.
    defines: [ChainStream, UpdateStream, RoleStream, OracleStream, ValidatorStream],
    follows: [],
    consumes: {
      'vaults-directory': DirectoryStream,
      'vaults-transmissions': OracleStream,
      'vaults-validators': ValidatorStream,
      'vaults-measures': FiguresStream,
    },
  },
  analytics: {
    calls: [...logRead, GetBlock],
    publishes: [VaultMeasured, ProjectionMoved],
    defines: [FiguresStream, ProjectionStream],
    follows: [ChainStream],
    consumes: {},
  },
  users: {
    calls: [
      ...logRead,
      ...rolesRead,
      GetChainRoles,
      NoteViewOnly,
      GetAlertReadings,
      GetValidators,
      ListTransmissions,
      JudgeMandate,
      MeasureMetrics,
      GetVault,
      GetOverview,
      GetPerformance,
      GetValueBridge,
      GetTvlSeries,
      GetPps,
      GetRisk,
      GetUsers,
      ListTopHolders,
      GetOperations,
      ListFees,
    ],
    publishes: [ViewOnlyChanged, DisplayNameChanged, MandateEnforced, VaultUpdated, AlertChanged],
    defines: [DirectoryStream, AuditStream, AlertSignalStream, AlertStream],
    follows: [ChainStream],
    consumes: {
      'users-audit': AuditStream,
      'users-alert-signals': AlertSignalStream,
      'users-alert-validators': ValidatorStream,
      'users-channel-roles': RoleStream,
      'users-mandates': FiguresStream,
    },
  },
  ai: {
    calls: [
      ...logRead,
      ...rolesRead,
      RenewEnvelope,
      GetVault,
      ListMyVaults,
      ListTransmissions,
      ListTimeline,
      PrepareChange,
      GetOverview,
      GetPerformance,
      GetPps,
      GetPpsWhatIf,
      GetRisk,
      GetDrawdown,
      GetUsers,
      GetOperations,
      ListFees,
      RunSimulation,
    ],
    publishes: [AuditRecorded],
    defines: [],
    follows: [SessionStream, RoleStream, ChainStream],
    hears: [SessionRevoked, RolesChanged],
    consumes: {},
  },
  keeper: { calls: [], publishes: [], defines: [], follows: [], consumes: {} },
} as const satisfies Record<string, BusService>;

/** The name of a service of the bus. */
export type BusServiceName = keyof typeof busServices;
/** The keys of `busServices`. */
export const busServiceNames = Object.keys(busServices) as BusServiceName[];

/** Streams whose events are for programs that are not part of the system; what is in the others is for its services. */
export const publicStreams: readonly StreamDefinition[] = [ChainStream, OracleStream, ValidatorStream, AlertStream];

/**
 * Users of the bus that read public streams and publish nothing. Each has a place of its own in each stream, which the service makes
 * that makes the stream, and shares the messages among its processes. Another integration that needs all messages is a name here.
 */
export const busReaders: Readonly<Record<string, readonly StreamDefinition[]>> = { reader: publicStreams };

/** Whether somebody takes an event as it is sent. */
export const isHeard = ({ name, stream }: DurableEvent): boolean =>
  busServiceNames.some((service) => {
    const { hears = [] }: BusService = busServices[service];
    return hears.some((event) => event.name === name && event.stream.name === stream.name);
  });

/** The readers of a stream. */
export const readersOf = (stream: StreamDefinition): string[] =>
  Object.keys(busReaders).filter((reader) => busReaders[reader]?.some(({ name }) => name === stream.name));

/** What a validator publishes for the services; on the bus it does nothing else. */
export const oracleEvents: readonly DurableEvent[] = [...validatorEvents, PriceTransmitted];

/** Subjects of a service that another one's process serves. */
const servedBy: Readonly<Record<string, BusServiceName>> = { merkle: 'vaults' };

/** Which service serves an action: the second part of its name. */
export const serverOf = (action: string): string => {
  const subject = action.split('.')[1] ?? '';
  return Object.hasOwn(servedBy, subject) ? String(servedBy[subject]) : subject;
};

const callNames = new Map<string, ReadonlySet<string>>(
  busServiceNames.map((service) => [service, new Set(busServices[service].calls.map(({ name }: Action) => name))]),
);

/** False when a service of the table asks for what is not among its calls. Names outside of the table are tests and tools. */
export const mayCall = (service: string, action: string): boolean => callNames.get(service)?.has(action) ?? true;

/** False when a service of the table offers what the contract gives to another. */
export const servesAction = (service: string, action: string): boolean =>
  !callNames.has(service) || serverOf(action) === service;

/** The services that ask a service for something. */
export const callersOf = (service: string): BusServiceName[] =>
  busServiceNames.filter((name) => busServices[name].calls.some((action: Action) => serverOf(action.name) === service));

/** The service that creates a stream; undefined for a stream outside of the contracts. */
export const definerOf = (stream: StreamDefinition): BusServiceName | undefined =>
  busServiceNames.find((name) =>
    busServices[name].defines.some((defined: StreamDefinition) => defined.name === stream.name),
  );
