import { createHash } from 'node:crypto';
import {
  AppError,
  formulasVersion,
  GetOverview,
  GetValidators,
  GetVault,
  type GetVaultReport,
  ListChains,
  monthEnds,
  type ParamsOf,
  type ResultOf,
  type VaultReport,
} from '@castellan/contracts';
import { type Call, type CallAction, isDuplicateKey } from '@castellan/service-kit';
import type { AccessCollections } from '../access/models/collections.ts';
import { needs, requireRole } from '../access/use-cases/require-role.ts';
import type { RecordCollections } from '../alerts/records/models/collections.ts';
import { isFinal } from '../mandates/attestations/attest.ts';
import { type JudgeMonthDeps, judgeMonth, stretchesIn } from '../mandates/attestations/judge-month.ts';
import { keyOf, type Vault } from '../mandates/stored.ts';
import { askAnalytics, type Moment, questionsOf, type Span } from './ask-analytics.ts';
import { incidentSection, type MonthAlerts, mandateSection, validatorSection } from './domain/more-sections.ts';
import { analysedSections } from './domain/sections.ts';
import { reportHtml } from './html/page.ts';
import type { ReportCollections } from './models/collections.ts';

export type ReportDeps = JudgeMonthDeps & {
  collections: AccessCollections;
  alerts: Pick<RecordCollections, 'alerts'>;
  reports: ReportCollections;
  now: () => Date;
};
type Asked = ParamsOf<typeof GetVaultReport>;
type File = { text: string; sha256: string };
type Files = { json: File; html: File };

const mostAlerts = 500;
const fileOf = (text: string): File => ({ text, sha256: createHash('sha256').update(text).digest('hex') });

/** Alerts that were open in the month, the oldest first. */
async function alertsIn({ alerts }: ReportDeps, vault: Vault, { from, to }: Required<Span>): Promise<MonthAlerts> {
  const open = {
    ...keyOf(vault),
    opened_at: { $lt: to },
    $or: [{ resolved_at: null }, { resolved_at: { $gt: from } }],
  };
  const [found, total] = await Promise.all([
    alerts.alerts.find(open).sort({ opened_at: 1, alert_id: 1 }).limit(mostAlerts).toArray(),
    alerts.alerts.countDocuments(open),
  ]);
  return { alerts: found, total };
}

/** The mandates that this edition may show; null for none. A version stays as public as it was when it was in force. */
async function mandatesIn(deps: ReportDeps, call: Call, vault: Vault, { period, edition }: Asked) {
  const stretches = await stretchesIn(deps, vault, period);
  const shown = edition === 'full' ? stretches : stretches.filter(({ version }) => version.document.public);
  return shown.length === 0 ? null : judgeMonth(deps, call, vault, shown);
}

/** The configuration of the oracle network, if it has not changed since. */
async function networkAt(callAction: CallAction, to: string) {
  const { config } = await callAction(GetValidators, {});
  return config && config.since <= to ? config : null;
}

type MomentOfMonth = { moment: Moment; span: Span; state: VaultReport['state'] };

/** Of a month that is over its end is the moment; else the last block, which all questions are about then. */
async function momentFor(call: Call, vault: Vault, period: string): Promise<MomentOfMonth> {
  const { from, to } = monthEnds(period);
  if (await isFinal(call, vault, period)) return { moment: { at: to }, span: { from, to }, state: 'final' };
  const { as_of, block_number } = await call.callAction(GetOverview, vault);
  if (as_of <= from)
    throw new AppError('PERIOD_UNKNOWN', `${period} has not begun on this chain, whose last block is of ${as_of}.`);
  // Over, but not final: the end is known all the same.
  if (as_of >= to) return { moment: { at: to }, span: { from, to }, state: 'preview' };
  return { moment: { block: block_number }, span: { from }, state: 'preview' };
}

async function compose(deps: ReportDeps, call: Call, asked: Asked): Promise<VaultReport> {
  const { callAction } = call;
  const { period, edition } = asked;
  const vault = { chain_id: asked.chain_id, vault_address: asked.vault_address };
  const { moment, span, state } = await momentFor(call, vault, period);
  const [detail, { chains }, answers] = await Promise.all([
    callAction(GetVault, vault),
    callAction(ListChains, {}),
    askAnalytics(callAction, vault, moment, span),
  ]);
  const { as_of, block_number, from, to } = answers.performance;
  const [alerts, mandates, network] = await Promise.all([
    edition === 'full' ? alertsIn(deps, vault, { from, to }) : null,
    mandatesIn(deps, call, vault, asked),
    networkAt(callAction, to),
  ]);
  const attestation = `/api/v1/vaults/${vault.chain_id}/${vault.vault_address}/mandate/attestations/${period}`;
  const chain = chains.find(({ chain_id }) => chain_id === vault.chain_id);
  return {
    format: 1,
    ...vault,
    vault_name: detail.name,
    vault_symbol: detail.symbol,
    chain_name: chain?.name ?? String(vault.chain_id),
    asset_symbol: detail.asset.symbol,
    asset_decimals: detail.asset.decimals,
    share_decimals: detail.vault_share_decimals,
    pps_precision: answers.pps.pps_precision,
    native_symbol: chain?.native_symbol ?? 'ETH',
    period,
    from,
    to,
    state,
    edition,
    as_of,
    block_number,
    formulas_version: formulasVersion,
    sections: [
      ...analysedSections(answers),
      incidentSection(answers, to, alerts),
      mandateSection(mandates, attestation, edition),
      validatorSection(answers, network),
    ],
    reads: questionsOf(vault, moment, span),
  };
}

function filesOf(report: VaultReport): Files {
  const json = fileOf(`${JSON.stringify(report)}\n`);
  return { json, html: fileOf(reportHtml(report, json.sha256)) };
}

/** Keeps a report unless another process kept one meanwhile: that one counts then. */
async function keep(deps: ReportDeps, { period, edition, ...vault }: Asked, report: VaultReport): Promise<Files> {
  const key = { ...keyOf(vault), period, edition };
  const files = filesOf(report);
  try {
    const made = { formulas_version: report.formulas_version, made_at: deps.now() };
    await deps.reports.reports.insertOne({ ...key, ...files, ...made });
    return files;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    const other = await deps.reports.reports.findOne(key);
    if (!other) throw error;
    return other;
  }
}

/** The report of a month. The public edition is for everybody; the full one takes a role on the vault. */
export const getVaultReport =
  (deps: ReportDeps) =>
  async (asked: Asked, call: Call): Promise<ResultOf<typeof GetVaultReport>> => {
    const { period, edition, format } = asked;
    if (edition === 'full') await requireRole(deps.collections, call, asked, needs.anyRole);
    const kept = await deps.reports.reports.findOne({ ...keyOf(asked), period, edition });
    if (kept) return { state: 'final', ...kept[format] };
    const report = await compose(deps, call, asked);
    const files = report.state === 'final' ? await keep(deps, asked, report) : filesOf(report);
    return { state: report.state, ...files[format] };
  };
