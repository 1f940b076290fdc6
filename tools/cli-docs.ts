import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { exitCodeTable, referenceOf } from '@castellan/cli';
import { operatorCommands } from './castellan/commands.ts';
import { publishedCommands } from './castellan/published.ts';
import { oldestNode } from './publish/oldest-node.ts';

/** docs/cli.md, whose reference is the tree of commands. */
export const target = fileURLToPath(new URL('../docs/cli.md', import.meta.url));

const reference = `## Commands

This page is made from the commands by \`node tools/cli-docs.ts\`.

${referenceOf(publishedCommands)}`;

/** What is said of the command line. @param others - How it is had elsewhere than from npm. */
const introduction = (others: string): string => `# The command line

\`castellan\` reads vaults, signs in, prepares and sends changes with the review of the page, exports, shows the report of a month, checks strategies and mandates, and
verifies what the system says. It asks the API and nothing else, so it runs wherever Node ${oldestNode} does:

\`\`\`sh
node tools/publish/main.ts ../castellan-packages          # in the repository, as it is not on npm yet
npm install --global ../castellan-packages/castellan-cli.tgz
castellan login --url https://app.example.org --browser     # or --keystore key.json, or --address 0x... and paste a signature
castellan vaults
castellan report "USDC Core" 2026-10 --format html --to report.html --final
castellan prepare propose_fees "USDC Core" performance_fee_bps=900 management_fee_bps=0 recipient=0x...
castellan prepare propose_fees "USDC Core" performance_fee_bps=900 management_fee_bps=0 recipient=0x... --send --keystore key.json --rpc https://...
\`\`\`

Of fees, \`management_fee_bps\` is the entry fee, taken of each deposit; \`execute_fees\` puts them into force [a week later](guides/change-fees.md). [Every
change](changes.md) with its fields.

${others}- **A change is read before it is sent.** \`prepare\` decodes the calls by itself, compares them with what you asked for, and shows what changes
  from what to what, the simulation, and the keccak-256 of the calldata, to compare on a hardware screen. A call that is not what was asked for
  is marked \`DO NOT SIGN\` and cannot be sent. \`send ID\` does the same for a call that somebody else prepared.
- **Keys** are a keystore (JSON, version 3), or \`WALLET_PRIVATE_KEY\`, or \`WALLET_MNEMONIC\` with \`WALLET_INDEX\`; never an argument, which everybody on
  the machine could read. A call that a Safe or a timelock has to send is shown and not sent.
- **A wallet in your browser** signs in with \`login --browser\`: on a page of the deployment that shows the same code as the terminal. What it signs comes
  back to this machine's loopback address, and [no token passes through the browser](api/sessions.md#sign-in-a-terminal-by-the-wallet-in-your-browser).
- **The token** of \`login\` is in \`$XDG_CONFIG_HOME/castellan/session.json\` (\`~/.config\`), for this user alone, and goes to the deployment that gave it
  and to no other. \`CASTELLAN_TOKEN\` takes its place in a pipeline, where [a token that may do less](api/sessions.md) is better.
- **A script** adds \`--yes\` to what it sends: nobody is there to confirm it. Demo wallets of the local chain have no keystore: \`WALLET_MNEMONIC\` and
  \`WALLET_INDEX\`.
- **\`--json\`** prints what the API answered, for \`jq\`; what is said besides goes to standard error. In the repository it is \`npm run -s castellan --\`:
  without \`-s\` npm prints a banner first.
- **Completions**: \`source <(castellan completion bash)\`, the same for \`zsh\`; \`castellan completion fish | source\`.

## Exit codes

${exitCodeTable()}
A check ends with 1 for a fault that it found, and for nothing else: what could not be checked is 2, 3, 4 or 5. \`verify receipt\` ends with 2 also when the
deployment does not answer, and \`validator\` with a configuration that has faults.
`;

/** The page's text. */
export const cliPage =
  (): string => `${introduction(`In the repository it is \`npm run -s castellan --\`; images and installations have it as \`bin/castellan\`, with [the commands of
operators](#commands-of-operators) beside.

`)}
${reference}
## Commands of operators

In images, installations and the repository. The commands of \`validator\` list their options with \`--help\`;
[running a validator](validators.md) says when each is used.

${referenceOf(operatorCommands)}`;

/** The text beside what is published, which has no commands of operators. */
export const publishedCliPage = (): string => `${introduction('')}
${reference}`;

if (import.meta.main) writeFileSync(target, cliPage());
