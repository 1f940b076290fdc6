import {
  type Action,
  AuditRecorded,
  AuditStream,
  type Caller,
  CreateNonce,
  CreateScopedToken,
  CreateToken,
  type EventData,
  GetJwks,
  type InputOf,
  ListSessions,
  type ResultOf,
  SessionRevoked,
  SessionStream,
} from '@castellan/contracts';
import { callAction, type Following, followStream } from '@castellan/service-kit';
import { afterAll, beforeAll } from '@jest/globals';
import { createLocalJWKSet, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import { devWallet } from '../../../packages/protocol/src/dev-wallets.ts';
import { type AuthWorld, issuer, other, startAuth } from './harness.ts';

/** People who sign in and make tokens, and what the service announces of it. */

export const vault = { chain_id: 31337, vault_address: other.address };
export const elsewhere = { chain_id: 31337, vault_address: '0x90F79bf6EB2c4f870365E785982E1f101E93b906' };
const audit: EventData<typeof AuditRecorded>[] = [];
export const revoked: EventData<typeof SessionRevoked>[] = [];
let opened: AuthWorld;
let following: Following[] = [];
let people = 10;
/** Wallets that have no role on `vault` any more. */
export const removed = new Set<string>();

/** Starts the service before the tests of a file, and stops it after them. */
export function forSessions(): void {
  beforeAll(async () => {
    const roles = [vault, elsewhere].map((one) => ({ ...one, role: 'primary_manager' as const }));
    const rolesOf = (wallet: string) =>
      roles.filter((one) => !(one.vault_address === vault.vault_address && removed.has(wallet)));
    opened = await startAuth({ rpcUrl: 'http://127.0.0.1:1', roles: rolesOf });
    const follow = (stream: typeof AuditStream, event: typeof AuditRecorded | typeof SessionRevoked, into: unknown[]) =>
      followStream(opened.users.context.durable, {
        stream,
        events: [event],
        from: 'start',
        onMessage: ({ data }) => void into.push(data),
      });
    following = await Promise.all([
      follow(AuditStream, AuditRecorded, audit),
      follow(SessionStream, SessionRevoked, revoked),
    ]);
  });
  afterAll(async () => {
    await Promise.all(following.map((one) => one.stop()));
    await opened?.stop();
  });
}

export const world = (): AuthWorld => opened;

export const ask = <A extends Action>(action: A, params: InputOf<A>, caller?: Caller): Promise<ResultOf<A>> =>
  callAction(opened.users.broker, action, params, { caller });

type Account = ReturnType<typeof devWallet>;

/** A wallet nobody used before: what one test makes, another does not see. */
export const newPerson = (): Account => {
  people += 1;
  return devWallet(people);
};
export async function proofOf(account: Account) {
  const { siwe_message } = await ask(CreateNonce, { address: account.address, chain_id: 31337 });
  const signature = await account.signMessage({ message: siwe_message });
  return { method: 'siwe' as const, message: siwe_message, signature };
}
export async function claimsOf(token: string): Promise<JWTPayload> {
  const { keys } = await ask(GetJwks, {});
  const options = { issuer, audience: 'castellan', typ: 'at+jwt', algorithms: ['ES256'] };
  return (await jwtVerify(token, createLocalJWKSet({ keys } as JSONWebKeySet), options)).payload;
}
/** Who the gateway would say asks with this token. */
export async function callerOf(token: string): Promise<Caller> {
  const claims = await claimsOf(token);
  const [chain, address] = String(claims.castellan_vault ?? '').split(':');
  return {
    wallet_address: String(claims.wallet_address),
    sid: String(claims.sid),
    issuer,
    auth_time: Number(claims.auth_time),
    ...(claims.castellan_scope ? { scope: claims.castellan_scope as 'read' } : {}),
    ...(claims.castellan_chain === undefined ? {} : { chain_id: Number(claims.castellan_chain) }),
    ...(address ? { vault: { chain_id: Number(chain), vault_address: address } } : {}),
  };
}
export async function signedIn(account: Account = newPerson()) {
  const { access_token } = await ask(CreateToken, await proofOf(account));
  return { account, token: access_token, caller: await callerOf(access_token) };
}
const wanted = { name: 'Nightly report', scope: 'read' as const, expires_in_seconds: 86_400 };
export const makeToken = (caller: Caller, parts: object = {}) =>
  ask(CreateScopedToken, { ...wanted, ...parts }, caller);
export const rowsOf = ({ wallet_address }: Caller) =>
  audit.filter(({ actor_wallet }) => actor_wallet === wallet_address);
export const sessionsOf = async (caller: Caller) => (await ask(ListSessions, {}, caller)).sessions;
