import {
  AppError,
  type AttestationKeySet,
  canonicalJson,
  type GetMandateAttestation,
  GetOverview,
  ListChains,
  type MandateAttestation,
  monthEnds,
  type ParamsOf,
  type SignedAttestation,
} from '@castellan/contracts';
import { type Call, type CallAction, isDuplicateKey } from '@castellan/service-kit';
import { KeyServiceError } from '@castellan/signer';
import type { z } from 'zod';
import { callerRole, managersOf } from '../../access/use-cases/require-role.ts';
import { keyOf, type Vault } from '../stored.ts';
import type { MandateDeps } from '../use-cases/versions.ts';
import type { ActiveKey, AttestationKeys } from './attestation-keys.ts';
import { judgeMonth, stretchesIn } from './judge-month.ts';
import type { AttestationCollections, StoredAttestation } from './models/collections.ts';
import { attestationType, type Stretch, statementOf } from './statement.ts';

export type AttestationDeps = MandateDeps & {
  attestations: Pick<AttestationCollections, 'attestations'>;
  attestationKeys: AttestationKeys;
};

/** A key service that does not answer is a part of the system that is away. */
async function orUnavailable<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof KeyServiceError)) throw error;
    throw new AppError('SERVICE_UNAVAILABLE', 'The key of attestations cannot be reached. Ask again in a minute.', {
      cause: error,
    });
  }
}

const encoded = (text: string): string => Buffer.from(text).toString('base64url');

/** Signs a statement (RFC 7515, 7.2.2, by ES256), here and not by jose, which signs with keys in memory only. */
export async function signStatement(
  statement: MandateAttestation,
  { kid, sign }: ActiveKey,
): Promise<SignedAttestation> {
  const header = encoded(canonicalJson({ alg: 'ES256', kid, typ: attestationType }));
  const payload = encoded(canonicalJson(statement));
  const signature = await sign(Uint8Array.from(Buffer.from(`${header}.${payload}`)));
  return { payload, protected: header, signature: Buffer.from(signature).toString('base64url') };
}

/** Whether nothing of a month changes any more: its end is final on its chain, and analytics has come so far. */
export async function isFinal(
  { callAction }: { callAction: CallAction },
  vault: Vault,
  month: string,
): Promise<boolean> {
  const { to } = monthEnds(month);
  const { chains } = await callAction(ListChains, {});
  const finalTime = chains.find(({ chain_id }) => chain_id === vault.chain_id)?.final_time ?? null;
  if (finalTime === null || Date.parse(finalTime) < Date.parse(to)) return false;
  const { as_of } = await callAction(GetOverview, { chain_id: vault.chain_id, vault_address: vault.vault_address });
  return Date.parse(as_of) >= Date.parse(to);
}

const isPublic = (stretches: readonly Stretch[]): boolean =>
  stretches.length > 0 && stretches.every(({ version }) => version.document.public);

const plain = ({ signed }: StoredAttestation): SignedAttestation => signed;

/** Signs a month and stores it, if no other process did so meanwhile: its file is the one that counts then. */
async function attest(deps: AttestationDeps, call: Call, vault: Vault, period: string, stretches: readonly Stretch[]) {
  const { attestations, outbox, auditLog, attestationKeys, now } = deps;
  const mandates = await judgeMonth(deps, call, vault, stretches);
  const key = await orUnavailable(attestationKeys.active());
  const signed_at = now();
  const statement = statementOf(vault, period, mandates, signed_at.toISOString());
  const file = await orUnavailable(signStatement(statement, key));
  const { verdict } = statement;
  const stored: StoredAttestation = {
    ...keyOf(vault),
    period,
    verdict,
    is_public: isPublic(stretches),
    kid: key.kid,
    signed: file,
    signed_at,
  };
  const row = {
    id: `mandate_attested:${vault.chain_id}:${vault.vault_address.toLowerCase()}:${period}`,
    timestamp: signed_at.toISOString(),
    category: 'setting' as const,
    action_type: 'mandate_attested',
    chain_id: vault.chain_id,
    vault_address: vault.vault_address,
    actor_wallet: null,
    details: { period, verdict, kid: key.kid },
    tx_hash: null,
    request_id: call.requestId ?? null,
  };
  try {
    await outbox.recordWith([], async (session) => {
      await attestations.attestations.insertOne({ ...stored }, { session });
      await auditLog.append(row, session);
      return true;
    });
    return file;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    const other = await attestations.attestations.findOne({ ...keyOf(vault), period });
    if (!other) throw error;
    return plain(other);
  }
}

const noMandate = (period: string): AppError =>
  new AppError(
    'MANDATE_NOT_FOUND',
    `No mandate of this vault was in force in ${period}, or it is not public and you have no role on the vault.`,
  );

/** The signed file of a month. Without a role only one all of whose versions are public. */
export const getMandateAttestation =
  (deps: AttestationDeps) =>
  async (params: ParamsOf<typeof GetMandateAttestation>, call: Call): Promise<SignedAttestation> => {
    const { chain_id, vault_address, period } = params;
    const vault = { chain_id, vault_address };
    const hasRole = (await callerRole(deps.collections, call, await managersOf(call, vault))) !== null;
    const stored = await deps.attestations.attestations.findOne({ ...keyOf(vault), period });
    if (stored && (hasRole || stored.is_public)) return plain(stored);
    if (stored) throw noMandate(period);
    const stretches = await stretchesIn(deps, vault, period);
    if (stretches.length === 0 || !(hasRole || isPublic(stretches))) throw noMandate(period);
    if (!(await isFinal(call, vault, period)))
      throw new AppError('MONTH_NOT_FINAL', `${period} is not final on its chain yet. Ask again when it is.`);
    return attest(deps, call, vault, period, stretches);
  };

/** The keys by which attestations are verified. */
export const getAttestationKeys =
  ({ attestationKeys }: Pick<AttestationDeps, 'attestationKeys'>) =>
  async (): Promise<z.output<typeof AttestationKeySet>> => ({
    keys: await orUnavailable(attestationKeys.published()),
  });
