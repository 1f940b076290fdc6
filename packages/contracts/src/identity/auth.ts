import { z } from 'zod';
import { action } from '../action.ts';
import { Address, ChainId, Eip55, HexData, IsoTime } from '../primitives.ts';
import { VaultRole } from '../vaults/vaults.ts';

const nothing = z.strictObject({});

/** EIP-712 typed data as wallets take it (`eth_signTypedData_v4`). */
export const TypedData = z.object({
  domain: z.object({ name: z.string(), version: z.string(), chainId: z.int() }),
  types: z.record(z.string(), z.array(z.object({ name: z.string(), type: z.string() }))),
  primaryType: z.literal('Authentication'),
  message: z.object({
    wallet: z.string(),
    uri: z.string(),
    statement: z.string(),
    nonce: z.string(),
    issuedAt: z.string(),
    expirationTime: z.string(),
  }),
});
export type TypedData = z.infer<typeof TypedData>;

/** A single-use nonce (5 min) and both messages a wallet may sign with it. */
export const CreateNonce = action('v1.auth.nonce', {
  callers: { services: ['gateway'] },
  params: z.strictObject({ address: Address, chain_id: ChainId }),
  result: z.object({
    nonce: z.string(),
    issued_at: IsoTime,
    expires_at: IsoTime,
    siwe_message: z.string(),
    typed_data: TypedData,
  }),
});

/** A message of the wallet, signed. */
export const SignedMessage = z.discriminatedUnion('method', [
  z.strictObject({ method: z.literal('siwe'), message: z.string().max(4096), signature: HexData.max(20_000) }),
  z.strictObject({ method: z.literal('eip712'), typed_data: TypedData, signature: HexData.max(20_000) }),
]);
/** A token for `Authorization: Bearer`; `expires_in` in seconds. */
export const AccessToken = z.object({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.int().positive(),
  wallet_address: Eip55,
});

/**
 * Exchanges a signed message (EIP-4361 text or EIP-712 data) for a token. @throws AppError NONCE_INVALID,
 * SIGNATURE_INVALID, MESSAGE_MALFORMED.
 */
export const CreateToken = action('v1.auth.token', {
  callers: { services: ['gateway'] },
  params: SignedMessage,
  result: AccessToken,
});

/** Ends the caller's session everywhere. */
export const EndSession = action('v1.auth.logout', { callers: { user: 'read' }, params: nothing, result: z.null() });

/** The wallet of the token and its roles. Asked of the service that knows the roles. */
export const GetMe = action('v1.vaults.me', {
  callers: { user: 'read' },
  params: nothing,
  result: z.object({ wallet_address: Eip55, is_manager: z.boolean(), vaults: z.array(VaultRole) }),
});

/** camelCase for compatibility with existing clients. */
export const VerifyToken = action('v1.vaults.verify', {
  callers: { user: 'read' },
  params: nothing,
  result: z.object({
    verified: z.boolean(),
    walletAddress: Eip55,
    isManager: z.boolean(),
    vaults: z.array(Eip55),
  }),
});

/** The public keys of the issuer, as a JWK set (RFC 7517). */
export const GetJwks = action('v1.auth.jwks', {
  callers: { public: true },
  params: nothing,
  result: z.object({ keys: z.array(z.record(z.string(), z.unknown())) }),
});

/** Metadata of the issuer (OpenID Connect Discovery 1.0). */
export const GetOpenidConfiguration = action('v1.auth.openidConfiguration', {
  callers: { public: true },
  params: nothing,
  result: z.record(z.string(), z.unknown()),
});
