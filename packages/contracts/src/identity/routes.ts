import { z } from 'zod';
import { route } from '../route.ts';
import { CreateNonce, CreateToken, EndSession, GetJwks, GetMe, GetOpenidConfiguration, VerifyToken } from './auth.ts';

const none = z.strictObject({});

/** Signing in and out, and who is signed in. */
export const identity = {
  nonce: route({
    id: 'createNonce',
    method: 'POST',
    path: '/idp/v1/nonce',
    auth: 'public',
    rate: 'idp',
    params: none,
    query: none,
    body: CreateNonce.params,
    result: CreateNonce.result,
    action: CreateNonce,
  }),
  token: route({
    id: 'createToken',
    method: 'POST',
    path: '/idp/v1/token',
    auth: 'public',
    rate: 'idp',
    params: none,
    query: none,
    body: CreateToken.params,
    result: CreateToken.result,
    action: CreateToken,
  }),
  /** @example await client.logout({}); */
  logout: route({
    id: 'logout',
    method: 'POST',
    path: '/idp/v1/logout',
    auth: 'bearer',
    rate: 'idp',
    scope: 'read',
    openToBoundTokens: true,
    params: none,
    query: none,
    body: undefined,
    result: EndSession.result,
    status: 204,
    action: EndSession,
  }),
  /** @example const { jwks_uri } = await client.openidConfiguration({}); */
  openidConfiguration: route({
    id: 'openidConfiguration',
    method: 'GET',
    path: '/.well-known/openid-configuration',
    auth: 'public',
    params: none,
    query: none,
    body: undefined,
    result: GetOpenidConfiguration.result,
    action: GetOpenidConfiguration,
  }),
  /** @example const { keys } = await client.jwks({}); */
  jwks: route({
    id: 'jwks',
    method: 'GET',
    path: '/.well-known/jwks.json',
    auth: 'public',
    params: none,
    query: none,
    body: undefined,
    result: GetJwks.result,
    action: GetJwks,
  }),
  /** @example const { wallet_address, vaults } = await client.me({}); */
  me: route({
    id: 'me',
    method: 'GET',
    path: '/api/v1/auth/me',
    auth: 'bearer',
    openToBoundTokens: true,
    params: none,
    query: none,
    body: undefined,
    result: GetMe.result,
    action: GetMe,
  }),
  /** @example const { isManager } = await client.verify({}); */
  verify: route({
    id: 'verify',
    method: 'GET',
    path: '/api/v1/auth/verify',
    auth: 'bearer',
    openToBoundTokens: true,
    params: none,
    query: none,
    body: undefined,
    result: VerifyToken.result,
    action: VerifyToken,
  }),
};
