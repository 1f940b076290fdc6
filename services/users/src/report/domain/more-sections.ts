import type {
  Alert,
  GetValidators,
  MandateAttestation,
  ReportEdition,
  ReportSection,
  ReportTable,
  ResultOf,
} from '@castellan/contracts';
import { type Column, factsOf, figuresOf } from './figures.ts';
import type { Answers } from './sections.ts';

const empty = { notes: [], figures: [], tables: [], charts: [] };

const markerNames = {
  skim: 'Performance fee taken',
  pause: 'Paused',
  unpause: 'Unpaused',
  stale: 'Price out of date',
  hwm_reset: 'High-water mark moved',
  fee_config: 'Terms of fees changed',
  check_failed: 'Price refused by a check',
} as const;
const incidentKinds: readonly (keyof typeof markerNames)[] = ['pause', 'unpause', 'stale', 'hwm_reset', 'check_failed'];

const eventColumns: readonly Column[] = [
  ['t', 'Time', 'time', 'fact'],
  ['kind', 'What', 'text', 'fact'],
  ['label', 'Detail', 'text', 'fact'],
  ['block', 'Block', 'number', 'fact'],
  ['tx_hash', 'Transaction', 'hash', 'fact'],
];
const alertColumns: readonly Column[] = [
  ['opened_at', 'Opened', 'time', 'fact'],
  ['severity', 'Severity', 'text', 'fact'],
  ['rule_id', 'Rule', 'text', 'fact'],
  ['message', 'Message', 'text', 'fact'],
  ['acknowledged_at', 'Acknowledged', 'time', 'fact'],
  ['resolved_at', 'Ended', 'time', 'fact'],
];

/** Alerts of a month: those that were open in it. */
export type MonthAlerts = {
  alerts: readonly Pick<Alert, 'opened_at' | 'severity' | 'rule_id' | 'message' | 'acknowledged_at' | 'resolved_at'>[];
  total: number;
};

function alertTable({ alerts, total }: MonthAlerts, to: string): ReportTable {
  /** What happened after the month is no part of it. */
  const within = (time: string | null) => (time !== null && time <= to ? time : null);
  const rows = alerts.map(({ opened_at, severity, rule_id, message, acknowledged_at, resolved_at }) => [
    opened_at,
    severity,
    rule_id,
    message,
    within(acknowledged_at),
    within(resolved_at),
  ]);
  return factsOf('alerts', 'Alerts', alertColumns, rows, total);
}

/** @param alerts - Null for a reader without a role. */
export function incidentSection({ pps }: Answers, to: string, alerts: MonthAlerts | null): ReportSection {
  const events = pps.markers
    .filter(({ kind }) => incidentKinds.includes(kind))
    .map(({ t, kind, label, block, tx_hash }) => [t, markerNames[kind], label, block, tx_hash]);
  return {
    ...empty,
    id: 'incidents',
    title: 'Incidents',
    notes: alerts === null ? ['Alerts are in the full edition, which takes a role on the vault.'] : [],
    tables: [
      factsOf('events', 'Pauses, prices out of date or refused, moves of the mark', eventColumns, events),
      ...(alerts === null ? [] : [alertTable(alerts, to)]),
    ],
  };
}

const promiseColumns: readonly Column[] = [
  ['promise_id', 'Promise', 'text', 'fact'],
  ['kind', 'About', 'text', 'fact'],
  ['bound', 'Bound', 'text', 'fact'],
  ['limit', 'Limit', 'number', 'fact'],
  ['unit', 'Unit', 'text', 'fact'],
  ['verdict', 'Verdict', 'text', 'fact'],
  ['worst', 'Worst value', 'number', 'fact'],
  ['worst_block', 'At block', 'number', 'fact'],
  ['breaches', 'Breaches', 'count', 'fact'],
];
const breachColumns: readonly Column[] = [
  ['promise_id', 'Promise', 'text', 'fact'],
  ['started', 'Began', 'time', 'fact'],
  ['ended', 'Ended', 'time', 'fact'],
  ['worst', 'Worst value', 'number', 'fact'],
  ['worst_block', 'At block', 'number', 'fact'],
  ['acknowledged_at', 'Acknowledged', 'time', 'fact'],
  ['note', 'Note', 'text', 'fact'],
];

type Mandates = MandateAttestation['mandates'];

function mandateTables({ version, document, promises }: Mandates[number]): ReportTable[] {
  const rows = promises.map(({ promise_id, kind, bound, limit, unit, verdict, worst, breaches }) => [
    promise_id,
    kind,
    bound,
    limit,
    unit,
    verdict,
    worst?.value ?? null,
    worst?.block_number ?? null,
    breaches.length,
  ]);
  const breaches = promises.flatMap((promise) =>
    promise.breaches.map(({ started, ended, worst, acknowledged_at, note }) => [
      promise.promise_id,
      started.time,
      ended?.time ?? null,
      worst.value,
      worst.block_number,
      acknowledged_at,
      note,
    ]),
  );
  return [
    factsOf(`promises_${version}`, `${document.title}, version ${version}`, promiseColumns, rows),
    ...(breaches.length === 0
      ? []
      : [factsOf(`breaches_${version}`, `Breaches of version ${version}`, breachColumns, breaches)]),
  ];
}

/** @param mandates - Null where the reader may see none, or there is none. */
export function mandateSection(mandates: Mandates | null, attestation: string, edition: ReportEdition): ReportSection {
  const proven = [
    'A value is proven by the observation of its block. Limits and values are in the unit beside them.',
    `The signed attestation of this month: ${attestation}`,
  ];
  return {
    ...empty,
    id: 'mandate',
    title: 'Mandate',
    notes: mandates ? proven : [edition === 'full' ? 'No mandate was in force.' : 'No public mandate was in force.'],
    tables: (mandates ?? []).flatMap(mandateTables),
  };
}

type Network = ResultOf<typeof GetValidators>['config'];

/** @param network - Null where the configuration of the network at the end of the month is not known. */
export function validatorSection(answers: Answers, network: Network): ReportSection {
  const { pps, operations } = answers;
  const rows = network ? [[network.version, network.digest, network.quorum, network.f, network.since]] : [];
  return {
    ...empty,
    id: 'validators',
    title: 'Validators',
    notes: network ? [] : ['The configuration of the oracle network has changed since, or is not known.'],
    figures: [
      ...figuresOf('pps', pps, [
        ['cadence.reports', 'Prices reported', 'count'],
        ['cadence.p50_seconds', 'Time between prices, median', 'seconds'],
        ['cadence.p95_seconds', 'Time between prices, 95 %', 'seconds'],
        ['cadence.max_seconds', 'Longest time without a price', 'seconds'],
      ]),
      ...figuresOf('operations', operations, [
        ['gas.by_payer.validator.transactions', 'Transactions of validators', 'count'],
        ['gas.by_payer.validator.total', 'Gas of validators', 'wei'],
        ['gas.by_payer.validator.usd', 'Gas of validators in dollars', 'usd'],
      ]),
    ],
    tables: [
      factsOf(
        'network',
        'Configuration of the oracle network at the end',
        [
          ['version', 'Version', 'text', 'fact'],
          ['digest', 'Digest', 'hash', 'fact'],
          ['quorum', 'Quorum', 'count', 'fact'],
          ['f', 'Faults it bears', 'count', 'fact'],
          ['since', 'Since', 'time', 'fact'],
        ],
        rows,
      ),
    ],
  };
}
