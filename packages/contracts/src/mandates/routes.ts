import { z } from 'zod';
import { Address, ChainIdParam } from '../primitives.ts';
import { Month } from '../reports/month.ts';
import { route } from '../route.ts';
import { AttestationKeySet, GetAttestationKeys, GetMandateAttestation, SignedAttestation } from './attestations.ts';
import {
  AcknowledgeMandateBreach,
  BacktestMandate,
  DraftMandate,
  EnforceMandate,
  GetMandate,
  ListMandateVersions,
  MandateVersion,
} from './mandates.ts';
import { mandatePath, pageQuery } from './public-routes.ts';
import { MandateBreach } from './status.ts';

const none = z.strictObject({});
const vaultPath = z.strictObject({ chain_id: ChainIdParam, vault_address: Address });
const versionPath = vaultPath.extend({
  version: z
    .string()
    .regex(/^[1-9][0-9]{0,8}$/, 'must be the number of a version')
    .transform(Number),
});
const breachPath = vaultPath.extend({ breach_id: z.string().min(1).max(100) });

/** What people with a role on the vault do with its mandate. */
export const mandates = {
  /** @example const { in_force, draft } = await client.mandate({ params: vault }); */
  mandate: route({
    id: 'mandate',
    method: 'GET',
    path: mandatePath,
    auth: 'optional',
    params: vaultPath,
    query: none,
    body: undefined,
    action: GetMandate,
    result: GetMandate.result,
    cache: 'etag',
  }),
  /** @example await client.draftMandate({ params: vault, body: { document: mandate, replaces: 0 } }); */
  draftMandate: route({
    id: 'draftMandate',
    method: 'PUT',
    path: mandatePath,
    auth: 'bearer',
    params: vaultPath,
    query: none,
    body: DraftMandate.params.pick({ document: true, replaces: true }),
    action: DraftMandate,
    result: MandateVersion,
  }),
  /** @example const { versions } = await client.mandateVersions({ params: vault }); */
  mandateVersions: route({
    id: 'mandateVersions',
    method: 'GET',
    path: `${mandatePath}/versions`,
    auth: 'bearer',
    params: vaultPath,
    query: pageQuery,
    body: undefined,
    action: ListMandateVersions,
    result: ListMandateVersions.result,
    cache: 'etag',
  }),
  /** @example await client.enforceMandate({ params: { ...vault, version: '1' }, body: { signature } }); */
  enforceMandate: route({
    id: 'enforceMandate',
    method: 'POST',
    path: `${mandatePath}/versions/{version}/enforce`,
    auth: 'bearer',
    params: versionPath,
    query: none,
    body: EnforceMandate.params.pick({ signature: true }),
    action: EnforceMandate,
    result: MandateVersion,
  }),
  /** @example await client.acknowledgeMandateBreach({ params: { ...vault, breach_id: id }, body: { note: 'Rebalanced' } }); */
  acknowledgeMandateBreach: route({
    id: 'acknowledgeMandateBreach',
    method: 'POST',
    path: `${mandatePath}/breaches/{breach_id}/acknowledge`,
    auth: 'bearer',
    params: breachPath,
    query: none,
    body: AcknowledgeMandateBreach.params.pick({ note: true }),
    action: AcknowledgeMandateBreach,
    result: MandateBreach,
  }),
  /** @example const { promises } = await client.backtestMandate({ params: vault, body: { document: mandate } }); */
  backtestMandate: route({
    id: 'backtestMandate',
    method: 'POST',
    path: `${mandatePath}/backtest`,
    auth: 'bearer',
    params: vaultPath,
    query: none,
    body: BacktestMandate.params.omit({ chain_id: true, vault_address: true }),
    action: BacktestMandate,
    result: BacktestMandate.result,
    rate: 'prepare',
    scope: 'read',
  }),
  /** @example const attestation = await client.mandateAttestation({ params: { ...vault, period: '2026-10' } }); */
  mandateAttestation: route({
    id: 'mandateAttestation',
    method: 'GET',
    path: `${mandatePath}/attestations/{period}`,
    auth: 'optional',
    rate: 'prepare',
    scope: 'read',
    params: vaultPath.extend({ period: Month }),
    query: none,
    body: undefined,
    action: GetMandateAttestation,
    result: SignedAttestation,
    cache: 'etag',
  }),
  /** @example const { keys } = await client.attestationKeys({}); */
  attestationKeys: route({
    id: 'attestationKeys',
    method: 'GET',
    path: '/.well-known/castellan-attestations.json',
    auth: 'public',
    params: none,
    query: none,
    body: undefined,
    action: GetAttestationKeys,
    result: AttestationKeySet,
  }),
};
