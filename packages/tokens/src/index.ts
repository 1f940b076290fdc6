export { followRevocations } from './follow-revocations.ts';
export { busKeySet, embeddedIssuer, hostedIssuer, type Issuer } from './issuers.ts';
export { createRevocations, type Revocations } from './revocations.ts';
export { type RolesChange, untilRolesAreRead } from './roles.ts';
export { TrustedIssuer } from './trusted-issuer.ts';
export { createTokenVerifier, type TokenVerifier, type VerifiedToken } from './verifier.ts';
