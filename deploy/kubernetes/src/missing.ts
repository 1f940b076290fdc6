import type { Configuration } from './configuration.ts';
import { archiveName, backupName } from './jobs.ts';
import type { Rule } from './rule.ts';
import { workloadsOf } from './workloads.ts';

/** A host that is lost is replaced and its pods start elsewhere meanwhile; a rollout leaves no service without pods. */
const patience = '5m';

type Severity = 'critical' | 'warning';
const alertOf = (
  alert: string,
  expr: string,
  summary: string,
  advice: Record<string, string>,
  severity: Severity = 'critical',
): Rule => ({
  alert,
  expr,
  for: patience,
  labels: { severity },
  annotations: { summary, ...advice },
});

const pageOf = (alert: string) => ({ runbook_url: `docs/runbooks/${alert}.md` });
const look = 'Look at what kubectl describe says of its workload and pods: no pod of it has an address.';

/** The label says that most are away: then what waits for the bus is explained by it, as deploy/prometheus/rules/events.yml has it. */
function busRules(answering: string, servers: number): Rule[] {
  const summary = `{{ $value }} of ${servers} servers of the bus answer`;
  const advice = { action: `${look} Of three servers one may be missing, of one none.`, ...pageOf('BusDown') };
  const lost = alertOf('BusDown', `${answering} * 2 <= ${servers}`, 'Most servers of the bus are away', advice);
  return [
    alertOf('BusDown', `${answering} < ${servers}`, summary, advice),
    { ...lost, labels: { ...lost.labels, quorum: 'lost' } },
  ];
}

/** By kube-state-metrics: a scheduled job that failed is there for a day, as long as the alert of Debian. */
function jobRules({ archive, backup, namespace }: Configuration): Rule[] {
  const failed = (jobs: string) =>
    `max by (job_name) (kube_job_failed{namespace="${namespace}",job_name=~"${jobs}-[0-9]+",condition="true"}) > 0`;
  const backups = backup
    ? [
        alertOf('BackupFailed', failed(backupName), 'The backup of Castellan failed', {
          action: 'Look at the output of its pods, and make one by hand: docs/operations/kubernetes.md.',
          ...pageOf('BackupOld'),
        }),
      ]
    : [];
  const advice = {
    action: 'Look at the output of its pods; the log stays whole, and grows.',
    ...pageOf('ArchiveFailed'),
  };
  const archives = archive
    ? [alertOf('ArchiveFailed', failed(`${archiveName}-[0-9]+`), '{{ $labels.job_name }} failed', advice, 'warning')]
    : [];
  return [...backups, ...archives];
}

/**
 * Alerts about what should be there and is not. The rules of deploy/prometheus ask what is scraped, and on Kubernetes that is what has
 * an address: without pods there is no series that could be 0.
 */
export function missingRules(configuration: Configuration): Rule[] {
  const { bus, namespace, store, validators } = configuration;
  const upOf = (job: string, more = '') => `up{job="${job}",namespace="${namespace}"${more}}`;
  const services = [...workloadsOf(configuration).keys()].map((service) =>
    alertOf('ServiceDown', `absent(${upOf('castellan', `,service="${service}"`)})`, `No pod of ${service} is there`, {
      action: look,
      ...pageOf('ServiceDown'),
    }),
  );
  // The exporter beside a server answers without it, and shows nothing of its health then.
  const answering = `(count(${upOf('nats')} == 1 and on (instance) gnatsd_healthz_status) or vector(0))`;
  const servers = bus.kind === 'cluster' ? busRules(answering, bus.servers) : [];
  const exporter = store.exporter
    ? [
        alertOf('StoreDown', `absent(${upOf('mongodb')})`, 'The exporter of the document store is not there', {
          action: look,
          ...pageOf('StoreDown'),
        }),
      ]
    : [];
  const nodes = validators.map(({ id }) =>
    alertOf('ValidatorDown', `absent(${upOf('castellan-validator', `,node="${id}"`)})`, `No pod of ${id} is there`, {
      description: look,
      ...pageOf('validator/ValidatorDown'),
    }),
  );
  return [...services, ...servers, ...exporter, ...nodes, ...jobRules(configuration)];
}
