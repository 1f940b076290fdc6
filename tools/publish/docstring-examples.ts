import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const address = (byte: string) => JSON.stringify(`0x${byte.repeat(20)}`);
const hash = (byte: string) => JSON.stringify(`0x${byte.repeat(32)}`);

/** What examples may use without declaring it; the README of the package lists it. */
export const declaredForExamples = `
const vault_address = ${address('11')};
const vault = { chain_id: '1', vault_address };
const target = { chain_id: 1, vault_address };
const vault_id = \`1:\${vault_address}\`;
const wallet_address = ${address('22')};
const manager_address = ${address('33')};
const source_address = ${address('44')};
const oracle_address = ${address('55')};
const hook_address = ${address('66')};
const id = '0199a3c4-5b6d-7e8f-9a0b-1c2d3e4f5a6b';
const channel_id = id;
const tx_hash = ${hash('aa')};
const root = ${hash('bb')};
const leaf_hash = ${hash('cc')};
const artifact_hash = ${hash('dd')};
const config_digest = ${hash('ee')};
const message = 'app.example.org wants you to sign in';
const signature = '0x00';
const access_token = 'secret';
const hook: Omit<Parameters<Client['updateRegistryHook']>[0]['body'], 'version'> = {
  name: 'ApproveAndDeposit4626',
  hook_type: 'DEPOSIT',
  addresses: [{ chain_id: 1, address: hook_address }],
  inspect_params: [{ name: 'source', solidity_type: 'address', ref_type: 'yield_source', param_order: 0 }],
  calldata: [{ name: 'source', solidity_type: 'address' }],
};
const definition: Omit<Parameters<Client['updateStrategy']>[0]['body'], 'version'> = {
  name: 'Deposit what is idle',
  indicators: [],
  rules: { type: 'EXPR', expr: 'free_assets > 1_000 USDC' },
  action_config: {
    action: 'DEPOSIT',
    execution_name: 'Deposit',
    size_expr: 'free_assets',
    execution_address: source_address,
    target_address: source_address,
  },
  max_concurrent: 1,
};
const mandate: Parameters<Client['draftMandate']>[0]['body']['document'] = {
  format: 1,
  title: 'Mandate',
  promises: [{ id: 'liquidity', kind: 'idle_share', at_least_bps: 200 }],
};
`;

/** Code of every `@example` in a text: to the next tag, or to the end of its docstring. */
const examplesIn = (source: string): string[] =>
  [...source.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\//g)].flatMap(([, docstring = '']) =>
    docstring
      .replaceAll(/^ *\* ?/gm, '')
      .split(/(?:^|\s)@(?=[a-z])/)
      .filter((tag) => tag.startsWith('example'))
      .map((tag) => tag.slice('example'.length).trim()),
  );

/** The examples beside routes, and those of the SDK itself. */
export const docstringExamples = (root: string): string[] =>
  ['packages/contracts/src/**/*.ts', 'packages/sdk/src/**/*.ts']
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => examplesIn(readFileSync(join(root, file), 'utf8')));

/** The first call of a method of the client. */
export const methodOf = (code: string): string | undefined => /\bclient\.(\w+)\(/.exec(code)?.[1];
