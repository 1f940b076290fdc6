export { followRevocations } from './follow-revocations.ts';
export { busKeySet, embeddedIssuer, hostedIssuer, type Issuer } from './issuers.ts';
export { createRevocations, type Revocations } from './revocations.ts';
export { TrustedIssuer } from './trusted-issuer.ts';
export { createTokenVerifier, type TokenVerifier, type VerifiedToken } from './verifier.ts';
export { type RolesChange, untilRolesAreRead } from './wait-for-roles.ts';
