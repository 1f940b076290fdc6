import {
  AcknowledgeAlert,
  AcknowledgeMandateBreach,
  BacktestAlertRule,
  BacktestMandate,
  BacktestOwnRule,
  BindChannel,
  ChangeChannel,
  ChangeOwnRule,
  CreateChannel,
  CreateOwnRule,
  DeleteChannel,
  DeleteOwnRule,
  DraftMandate,
  EnforceMandate,
  ExportAudit,
  GetAlert,
  GetAttestationKeys,
  GetAudit,
  GetDuty,
  GetMandate,
  GetMandateAttestation,
  GetMandateStatus,
  GetRoles,
  GetScenarioSet,
  GetVaultReport,
  GrantViewOnly,
  ListAlertEvents,
  ListAlertRules,
  ListAlerts,
  ListAudit,
  ListChannels,
  ListDeliveries,
  ListDuty,
  ListMandateBreaches,
  ListMandateVersions,
  ListOwnRules,
  ListTimeline,
  ListUsers,
  ListVaultChannels,
  RedeliverChannel,
  ReplayChannel,
  ResolveAlert,
  RevokeViewOnly,
  SetAlertRule,
  SetDisplayName,
  SetDuty,
  SetScenarioSet,
  TestChannel,
  UnbindChannel,
} from '@castellan/contracts';
import { implement } from '@castellan/service-kit';
import type { ServiceSchema } from 'moleculer';
import { type ChangeDeps, grantViewOnly, revokeViewOnly, setDisplayName } from './access/use-cases/change-access.ts';
import { getRoles, listUsers } from './access/use-cases/read-users.ts';
import { bindChannel, listVaultChannels, unbindChannel } from './alerts/channels/use-cases/bindings.ts';
import { changeChannel, createChannel, deleteChannel, listChannels } from './alerts/channels/use-cases/channels.ts';
import { redeliverChannel, replayChannel } from './alerts/delivery/use-cases/ask-for-redelivery.ts';
import { type DeliveryDeps, listDeliveries, testChannel } from './alerts/delivery/use-cases/deliveries.ts';
import { type DutyDeps, getDuty, listDuty, setDuty } from './alerts/duty/use-cases/duty.ts';
import { acknowledgeAlert, type ChangeAlertsDeps, resolveAlert } from './alerts/records/use-cases/change-alerts.ts';
import { getAlert, listAlertEvents, listAlerts } from './alerts/records/use-cases/read-alerts.ts';
import {
  backtestAlertRule,
  listAlertRules,
  type RulesDeps,
  setAlertRule,
} from './alerts/rules/use-cases/alert-rules.ts';
import { backtestOwnRule } from './alerts/rules/use-cases/backtest-own-rule.ts';
import {
  changeOwnRule,
  createOwnRule,
  deleteOwnRule,
  listOwnRules,
  type OwnRulesDeps,
} from './alerts/rules/use-cases/own-rules.ts';
import { type AuditDeps, exportAudit, getAudit, listAudit } from './audit/use-cases/read-audit.ts';
import { listTimeline } from './audit/use-cases/read-timeline.ts';
import { type AttestationDeps, getAttestationKeys, getMandateAttestation } from './mandates/attestations/attest.ts';
import {
  acknowledgeMandateBreach,
  backtestMandate,
  getMandateStatus,
  listMandateBreaches,
} from './mandates/use-cases/judgements.ts';
import { draftMandate, enforceMandate, getMandate, listMandateVersions } from './mandates/use-cases/versions.ts';
import { getVaultReport, type ReportDeps } from './report/report.ts';
import { getScenarioSet, type ScenarioDeps, setScenarioSet } from './scenarios/use-cases/scenario-set.ts';

type AlertDeps = RulesDeps & OwnRulesDeps & ChangeAlertsDeps & DeliveryDeps & DutyDeps;
type Actions = NonNullable<ServiceSchema['actions']>;
type Deps = ChangeDeps & AuditDeps & { checksum: (address: string) => string };

/** The actions of alerts and notifications, bound to their use cases. */
export const alertActions = (deps: AlertDeps): Actions => ({
  alerts: implement(ListAlerts, listAlerts(deps)),
  alert: implement(GetAlert, getAlert(deps)),
  acknowledgeAlert: implement(AcknowledgeAlert, acknowledgeAlert(deps)),
  resolveAlert: implement(ResolveAlert, resolveAlert(deps)),
  alertEvents: implement(ListAlertEvents, listAlertEvents(deps)),
  alertRules: implement(ListAlertRules, listAlertRules(deps)),
  setAlertRule: implement(SetAlertRule, setAlertRule(deps)),
  backtestAlertRule: implement(BacktestAlertRule, backtestAlertRule(deps)),
  ownRules: implement(ListOwnRules, listOwnRules(deps)),
  createOwnRule: implement(CreateOwnRule, createOwnRule(deps)),
  changeOwnRule: implement(ChangeOwnRule, changeOwnRule(deps)),
  deleteOwnRule: implement(DeleteOwnRule, deleteOwnRule(deps)),
  backtestOwnRule: implement(BacktestOwnRule, backtestOwnRule(deps)),
  channels: implement(ListChannels, listChannels(deps)),
  createChannel: implement(CreateChannel, createChannel(deps)),
  changeChannel: implement(ChangeChannel, changeChannel(deps)),
  deleteChannel: implement(DeleteChannel, deleteChannel(deps)),
  testChannel: implement(TestChannel, testChannel(deps)),
  deliveries: implement(ListDeliveries, listDeliveries(deps)),
  vaultChannels: implement(ListVaultChannels, listVaultChannels(deps)),
  bindChannel: implement(BindChannel, bindChannel(deps)),
  unbindChannel: implement(UnbindChannel, unbindChannel(deps)),
  replayChannel: implement(ReplayChannel, replayChannel(deps)),
  redeliverChannel: implement(RedeliverChannel, redeliverChannel(deps)),
  duty: implement(GetDuty, getDuty(deps)),
  dutyNow: implement(ListDuty, listDuty(deps)),
  setDuty: implement(SetDuty, setDuty(deps)),
});

/** The actions of mandates, bound to their use cases. */
export const mandateActions = (deps: AttestationDeps): Actions => ({
  mandate: implement(GetMandate, getMandate(deps)),
  draftMandate: implement(DraftMandate, draftMandate(deps)),
  mandateVersions: implement(ListMandateVersions, listMandateVersions(deps)),
  enforceMandate: implement(EnforceMandate, enforceMandate(deps)),
  mandateStatus: implement(GetMandateStatus, getMandateStatus(deps)),
  mandateBreaches: implement(ListMandateBreaches, listMandateBreaches(deps)),
  acknowledgeMandateBreach: implement(AcknowledgeMandateBreach, acknowledgeMandateBreach(deps)),
  backtestMandate: implement(BacktestMandate, backtestMandate(deps)),
  mandateAttestation: implement(GetMandateAttestation, getMandateAttestation(deps)),
  attestationKeys: implement(GetAttestationKeys, getAttestationKeys(deps)),
});

/** The report of a vault. */
export const reportActions = (deps: ReportDeps): Actions => ({
  vaultReport: implement(GetVaultReport, getVaultReport(deps)),
});

/** The actions of scenarios, bound to their use cases. */
export const scenarioActions = (deps: ScenarioDeps): Actions => ({
  scenarioSet: implement(GetScenarioSet, getScenarioSet(deps)),
  setScenarioSet: implement(SetScenarioSet, setScenarioSet(deps)),
});

/** Binds the contracts to the use cases. */
export const usersService = (deps: Deps, more: Actions): ServiceSchema => ({
  name: 'users',
  version: 1,
  actions: {
    list: implement(ListUsers, listUsers(deps)),
    grantViewOnly: implement(GrantViewOnly, grantViewOnly(deps)),
    revokeViewOnly: implement(RevokeViewOnly, revokeViewOnly(deps)),
    setDisplayName: implement(SetDisplayName, setDisplayName(deps)),
    roles: implement(GetRoles, getRoles(deps)),
    audit: implement(ListAudit, listAudit(deps)),
    auditRow: implement(GetAudit, getAudit(deps)),
    auditExport: implement(ExportAudit, exportAudit(deps)),
    timeline: implement(ListTimeline, listTimeline(deps)),
    ...more,
  },
});
