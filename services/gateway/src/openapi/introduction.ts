import { commonInWords } from './problems.ts';

/** What holds for all operations. */
export const introduction = `Vaults and their curators: reads, live updates, prepared calls.

**Amounts** are integers in base units of their token, as decimal strings, beside its decimals; a fraction of 1 is a number (0.05 is 5 %).
Times are ISO 8601 in UTC, durations whole seconds, hundredths of a percent end in \`_bps\`. What is not known is null, never 0.

**Tokens** come from a wallet's signature (\`/idp/v1/nonce\`, \`/idp/v1/token\`) and travel in \`Authorization: Bearer\`. Those of a wallet that is a contract hold on the chain where it signed in.

**Errors** are \`application/problem+json\` (RFC 9457) with a \`code\` of a closed list; the shared answers \`4XX\` and \`5XX\` say the status of
each code, what it means and what to do. Each kind of operation has its codes. ${commonInWords} \`x-castellan-errors\` of an
operation are its own codes beside these.

**Limits**: \`RateLimit-Policy\` names the budget, \`RateLimit\` what is left of it; 429 and 503 carry \`Retry-After\`. A body has at most 1 MiB.
Lists that take \`limit\` have pages of at most 500 items: send \`next_cursor\` as \`cursor\` until it is null. Strategies are passed over by
\`offset\` while \`has_more\`, alert events by \`after_sequence\`; a list without \`limit\` is whole.

**Fewer bytes**: a GET that states 304 takes \`fields\`, and its answer then lacks the other fields, those that its schema requires included;
chain, address, ids, block and time, quality, range and paging stay. The ETag is that of the shorter answer.

**Freshness**: a GET that states 304 carries an \`ETag\`; send it as \`If-None-Match\`. A read of the chain names its block.

**Deprecated operations** are marked \`deprecated\` and answer with \`Deprecation\` (RFC 9745), \`Sunset\` (RFC 8594) and a link to the changelog.

**Examples**: \`externalDocs\` of an operation leads to a recorded request and its answer.

**Repeating a write**: with an \`Idempotency-Key\` the same request within 24 h gets the first answer again. Preparing a call and reading by POST
change nothing, signing in and making a token answer with secrets that are not kept: these take no key.`;

/** What the operations of each heading are about. */
export const tagDescriptions: Readonly<Record<string, string>> = {
  identity: 'Signing in with a wallet: a nonce, its signature, a token.',
  auth: 'The signed-in wallet, its sessions and its scoped tokens.',
  vaults: 'Chains, vaults, their state and their live updates.',
  validators: 'The oracle network that prices the vaults.',
  registry: 'Tokens and hooks that vaults may use.',
  analytics: 'Time series and figures of vaults, each with a receipt of how it came about.',
  users: 'Who has a role on a vault, and how that is changed.',
  settings: 'What a manager can set on a vault, as calls to sign.',
  'yield sources': 'Where a vault puts its assets, and the oracles that value them.',
  'prepared calls': 'Calls prepared for signing, followed until the chain shows their effect.',
  merkle: 'Hooks a vault may execute: configurations, trees, roots and proofs.',
  operations: 'Who waits for a redemption, and calls that pay.',
  position:
    'Calls of your own position in a vault: deposit, request a redemption, cancel it and claim. They need no role.',
  reports: 'What a vault did in a month, as one page, with the receipt of each figure.',
  mandates: 'What a vault promises, in which state each promise is, and what was broken.',
  audit: 'Who did what, in a log that a script verifies.',
  ai: 'Analysis, feed and conversations; every number is traced to a figure.',
  strategies: 'Strategies of a vault: written, checked and switched.',
  engine: 'What the strategies of a vault are doing, and its switches.',
  intents: 'What strategies have proposed, and what became of it.',
  simulations: 'Strategies played over the past or ahead.',
  alerts: 'Alerts, their rules and what each would have done.',
  notifications: 'Channels that deliver alerts, and their deliveries.',
};
