export {
  AccessToken,
  CreateNonce,
  CreateToken,
  EndSession,
  GetJwks,
  GetMe,
  GetOpenidConfiguration,
  SignedMessage,
  TypedData,
  VerifyToken,
} from './auth.ts';
export {
  CreateScopedToken,
  isProvenOn,
  isUnbound,
  isWithinBinding,
  ListSessions,
  RevokeSession,
  Session,
  StepUp,
} from './sessions.ts';
export { TerminalAnswer } from './terminal-answer.ts';
export {
  type TerminalRequest,
  terminalAnswerUrl,
  terminalCode,
  terminalFragment,
  terminalPath,
  terminalRequestIn,
} from './terminal-sign-in.ts';
export { longestTokenSeconds, scopeAllows, TokenScope, tokenScopes } from './token-scope.ts';
