import {
  AttestationKeySet,
  canonicalJson,
  MandateAttestation,
  mandateHash,
  mandateSigner,
  monthEnds,
  SignedAttestation,
} from '@castellan/contracts';
import { flattenedVerify, importJWK } from 'jose';
import { z } from 'zod';
import { attestationType, verdictOf, worstVerdict } from '../statement.ts';

/** The file is not as an attestation is, or not what its key signed. */
export class NotVerified extends Error {}
/** The set of keys cannot be used, so nothing can be said of the file. */
export class UnusableKeys extends Error {}

type Mandate = MandateAttestation['mandates'][number];
export type Verified = { statement: MandateAttestation; kid: string };

const Header = z.strictObject({ alg: z.literal('ES256'), kid: z.string(), typ: z.literal(attestationType) });
/** A signature that was begun before its key was replaced may be finished after it. */
const OVERLAP_MS = 10 * 60_000;

function jsonOf(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new NotVerified(`${what} is not JSON`);
  }
}

function checked<S extends z.ZodType>(schema: S, value: unknown, what: string): z.output<S> {
  const { data, error } = schema.safeParse(value);
  if (!error) return data as z.output<S>;
  const [issue] = error.issues;
  throw new NotVerified(`${what}: ${issue?.path.join('.') || 'the value'}: ${issue?.message}`);
}

const textOf = (encoded: string): string => Buffer.from(encoded, 'base64url').toString('utf8');

/** @throws UnusableKeys */
function keysIn(text: string) {
  try {
    return AttestationKeySet.parse(JSON.parse(text)).keys;
  } catch {
    throw new UnusableKeys('The keys are not a set as /.well-known/castellan-attestations.json has it.');
  }
}

/** The statement as it was signed: no field more or less than this version knows, in the one form that its text has. */
function statementIn(payload: string): MandateAttestation {
  const text = textOf(payload);
  const statement = checked(MandateAttestation, jsonOf(text, 'the payload'), 'the statement');
  if (canonicalJson(statement) !== text) throw new NotVerified('the statement is not in its canonical form');
  return statement;
}

type Promised = Mandate['document']['promises'][number];

/** What a promise limits, as its document has it; nothing is allowed beyond lists of hooks and managers. */
function limitIn(promise: Promised): number {
  if ('at_most_bps' in promise) return promise.at_most_bps;
  if ('at_least_bps' in promise) return promise.at_least_bps;
  if ('at_most_seconds' in promise) return promise.at_most_seconds;
  return 'at_least' in promise ? promise.at_least : 0;
}

/** Who signed the mandate, and that the promises are its own. */
async function checkMandate(mandate: Mandate, { chain_id, vault_address }: MandateAttestation): Promise<void> {
  const { version, document, document_hash, signature, signed_by, promises, verdict } = mandate;
  const name = `version ${version} of the mandate`;
  if (mandateHash(document) !== document_hash) throw new NotVerified(`${name} is not the document of its hash`);
  const signer = await mandateSigner({ chain_id, vault_address, version, document_hash }, signature);
  if (signer?.toLowerCase() !== signed_by.toLowerCase())
    throw new NotVerified(`${name} was not signed by ${signed_by}`);
  const expected = document.promises.map((each) => `${each.id} ${each.kind} ${limitIn(each)}`);
  const found = promises.map(({ promise_id, kind, limit }) => `${promise_id} ${kind} ${limit}`);
  if (found.join() !== expected.join()) throw new NotVerified(`the promises of ${name} are not those of its document`);
  for (const promise of promises)
    if (promise.verdict !== verdictOf(promise, promise.breaches.length))
      throw new NotVerified(
        `the promise "${promise.promise_id}" of ${name} is not ${promise.verdict} by its observations`,
      );
  if (verdict !== worstVerdict(promises.map((promise) => promise.verdict)))
    throw new NotVerified(`${name} is not ${verdict} by its promises`);
}

/** Times and versions in their order, within the month. */
function checkStretches({ period, from, to, mandates, verdict }: MandateAttestation): void {
  const ends = monthEnds(period);
  if (from !== ends.from || to !== ends.to) throw new NotVerified(`the statement is not of the whole of ${period}`);
  let last = { version: 0, to: from };
  for (const mandate of mandates) {
    if (mandate.version <= last.version || mandate.from < last.to || mandate.to <= mandate.from || mandate.to > to)
      throw new NotVerified('the versions of the mandate are not in their order');
    last = mandate;
  }
  if (mandates.length === 0) throw new NotVerified('the statement is of no mandate');
  if (verdict !== worstVerdict(mandates.map((mandate) => mandate.verdict)))
    throw new NotVerified(`the month is not ${verdict} by its mandates`);
}

/**
 * Verifies the text of an attestation by the text of a set of keys.
 * @throws NotVerified naming what is wrong with the file, UnusableKeys.
 */
export async function verifyAttestation(file: string, keySet: string): Promise<Verified> {
  const keys = keysIn(keySet);
  const jws = checked(SignedAttestation.strict(), jsonOf(file, 'the file'), 'the file is not an attestation');
  const { kid } = checked(Header, jsonOf(textOf(jws.protected), 'the header'), 'the header');
  const key = keys.find((each) => each.kid === kid);
  if (!key) throw new NotVerified(`the key ${kid} is not in the set`);
  try {
    await flattenedVerify(jws, await importJWK(key, 'ES256'), { algorithms: ['ES256'] });
  } catch {
    throw new NotVerified(`the signature is not one of the key ${kid}`);
  }
  const statement = statementIn(jws.payload);
  const issued = Date.parse(statement.issued_at);
  const { castellan_from: from, castellan_until: until } = key;
  if (from !== null && issued < Date.parse(from)) throw new NotVerified(`it was signed before the key ${kid} was made`);
  if (until !== null && issued > Date.parse(until) + OVERLAP_MS)
    throw new NotVerified(`it was signed after the key ${kid} was replaced`);
  checkStretches(statement);
  if (issued < Date.parse(statement.to)) throw new NotVerified('it was signed before the month was over');
  for (const mandate of statement.mandates) await checkMandate(mandate, statement);
  return { statement, kid };
}
