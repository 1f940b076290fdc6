import { type PreparedCall, type PreparedKind, preparedArgs, preparedKinds } from '@castellan/contracts';
import type { Client } from '@castellan/sdk';
import {
  type Asked,
  checkDescribed,
  intentOf,
  type Progress,
  prepareChange,
  type ReviewedCall,
  refusalsOf,
  reviewChange,
  type SendingWallet,
  sendChange,
} from '@castellan/sdk/calls';
import { createWalletClient, http, keccak256 } from 'viem';
import { type Command, command, UsageError, type ValuesOf, type World } from './command.ts';
import { apiOptions, clientFor } from './session-file.ts';
import { columns, visible } from './usage.ts';
import { vaultOf, vaultOperand } from './vaults.ts';
import { walletOf, walletOptions } from './wallet.ts';

const sendOptions = {
  ...walletOptions,
  rpc: { value: 'URL', summary: 'the node that takes the transaction; else RPC_URL' },
  yes: { summary: 'does not ask before it sends' },
} as const;

/** A field of a change: as it was written, or as JSON where the field is no text. */
function argOf(kind: PreparedKind, name: string, text: string): unknown {
  const fields = preparedArgs[kind].shape as Record<string, { safeParse: (value: unknown) => { success: boolean } }>;
  const field = fields[name];
  const names = Object.keys(fields).join(', ') || 'none';
  if (field === undefined) throw new UsageError(`${kind} has no field ${name}. Fields: ${names}.`);
  if (field.safeParse(text).success) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The change that the words after a kind and a vault ask for. @throws UsageError that names the field and what is allowed. */
export function askedOf(kind: string, words: readonly string[]): Asked {
  const known = preparedKinds.find((each) => each === kind);
  if (known === undefined) throw new UsageError(`There is no change ${kind}. Changes: ${preparedKinds.join(', ')}.`);
  const entries = words.map((word): [string, unknown] => {
    const [, name, text] = /^(\w+)=([\s\S]*)$/.exec(word) ?? [];
    if (name === undefined || text === undefined) throw new UsageError(`"${word}" is not FIELD=VALUE.`);
    return [name, argOf(known, name, text)];
  });
  const parsed = preparedArgs[known].safeParse(Object.fromEntries(entries));
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.') || known}: ${message}`);
    throw new UsageError(`${faults.join('; ')}.`);
  }
  return { kind: known, args: parsed.data } as Asked;
}

const shown = (value: unknown): string => (value === null ? '-' : String(value));

function reviewText({ call, decoded, digest, problems, refusals }: ReviewedCall): string {
  const args = (decoded?.args ?? []).map(({ name, value }) => `${name}: ${[value].flat().join(', ')}`).join('; ');
  const rows = [
    ['  call', decoded === undefined ? 'unknown' : `${decoded.function} (${args})`],
    ['  to', `${call.to}, chain ${call.chain_id}, value ${call.value}`],
    ['  sent by', `${call.signer.wallet_address} (${call.signer.kind})`],
    ['  simulation', call.simulation.ok ? 'passes' : `reverts: ${call.simulation.revert_reason ?? 'without a reason'}`],
    ['  digest', digest],
    ['  id', `${call.id}, until ${call.expires_at}`],
  ];
  const changes = call.changes.map(({ field, before, after }) => [`  ${field}`, shown(before), shown(after)]);
  const faults = [
    ...problems.map((text) => `  DO NOT SIGN: ${visible(text)}\n`),
    ...refusals.map((text) => `  refused: ${visible(text)}\n`),
  ];
  const table = changes.length === 0 ? '' : `\n${columns([['  what changes', 'before', 'after'], ...changes])}`;
  return `${visible(call.description)}\n${columns(rows)}${table}${faults.length === 0 ? '' : `\n${faults.join('')}`}\n`;
}

const isSendable = (steps: readonly ReviewedCall[]): boolean =>
  steps.every(({ problems, refusals }) => problems.length === 0 && refusals.length === 0);

/** A wallet that can send: the key, at the node that was named. */
async function senderOf(values: ValuesOf<typeof sendOptions>, world: World): Promise<SendingWallet> {
  const account = await walletOf(values, world);
  if (account === undefined) throw new UsageError('Which key sends it? Name a --keystore.');
  const url = values.rpc ?? world.env.RPC_URL;
  if (!url) throw new UsageError('Which node takes the transaction? Name it with --rpc or RPC_URL.');
  return createWalletClient({ account, transport: http(url) });
}

async function isConfirmed(isYes: boolean, { ask }: World): Promise<boolean> {
  if (isYes) return true;
  if (ask === undefined) throw new UsageError('Nobody is there to confirm it: pass --yes.');
  return (await ask('Send it? Type yes: ')).trim() === 'yes';
}

type Sending = { client: Client; steps: readonly ReviewedCall[]; isJson: boolean };

/** Sends what was reviewed and shown. @returns the exit code. */
async function send({ client, steps, isJson }: Sending, values: ValuesOf<typeof sendOptions>, world: World) {
  const wallet = await senderOf(values, world);
  if (!(await isConfirmed(values.yes, world))) {
    world.err('Nothing was sent.\n');
    return 1;
  }
  const onProgress = ({ step, state, tx_hash }: Progress) =>
    world.err(
      `call ${step + 1} of ${steps.length}: ${state.replaceAll('_', ' ')}${tx_hash === null ? '' : ` ${tx_hash}`}\n`,
    );
  const signal = world.signal === undefined ? {} : { signal: world.signal };
  const done = await sendChange(client, steps, { wallet, onProgress, ...signal });
  world.out(isJson ? `${JSON.stringify(done, undefined, 2)}\n` : 'Verified: the chain shows what was asked for.\n');
  return 0;
}

/** Prints a review. @returns 4 when it must not be sent. */
function review(steps: readonly ReviewedCall[], isJson: boolean, out: World['out']): number {
  out(isJson ? `${JSON.stringify(steps, undefined, 2)}\n` : steps.map(reviewText).join('\n'));
  return isSendable(steps) ? 0 : 4;
}

const prepare = command({
  path: 'prepare',
  summary: 'Prepares a change, reads its calls and shows what they do; with --send sends them',
  operands: [
    { name: 'CHANGE', summary: 'what to change, such as propose_fees', choices: preparedKinds },
    vaultOperand,
    { name: 'FIELD=VALUE', summary: 'what it is changed to', isOptional: true, isRepeated: true },
  ],
  options: {
    ...apiOptions,
    ...sendOptions,
    send: { summary: 'sends it, and follows it until the chain shows its effect' },
  },
  run: async ({ values, operands: [kind = '', text, ...words] }, world) => {
    const asked = askedOf(kind, words);
    const { client } = clientFor(values.url, world);
    const intent = await intentOf(client, await vaultOf(client, text), asked);
    const steps = reviewChange(await prepareChange(client, intent), intent);
    const code = review(steps, values.json && !values.send, values.send ? world.err : world.out);
    if (code === 0 && values.send) return send({ client, steps, isJson: values.json }, values, world);
    return code;
  },
});

/** A call that was prepared elsewhere, read again: its kind and its vault are all that is known of what was asked for. */
async function reviewed(client: Client, id: string): Promise<ReviewedCall> {
  const call = await client.getPrepared({ params: { id }, query: { recheck: 'true' } });
  const { chain_id, vault_address, kind } = call;
  const vault = await client.vault({ params: { chain_id: String(chain_id), vault_address } });
  const tokens = { asset: vault.asset.address, upkeepToken: vault.upkeep_info.token };
  const place = { chainId: chain_id, vault: vault_address, strategy: vault.strategy_address };
  const { decoded, problems } = checkDescribed(call, { ...place, ...tokens, kind });
  const digest = keccak256(call.data as `0x${string}`);
  const asCall: PreparedCall = call;
  return { call: asCall, decoded, digest, problems, refusals: refusalsOf(call) };
}

const sendPrepared = command({
  path: 'send',
  summary: 'Reviews a prepared call, sends it and follows it until the chain shows its effect',
  operands: [{ name: 'ID', summary: 'of the prepared call' }],
  options: { ...apiOptions, ...sendOptions },
  run: async ({ values, operands: [id = ''] }, world) => {
    const { client } = clientFor(values.url, world);
    const steps = [await reviewed(client, id)];
    const code = review(steps, false, world.err);
    return code === 0 ? send({ client, steps, isJson: values.json }, values, world) : code;
  },
});

/** Preparing and sending. */
export const callCommands: readonly Command[] = [prepare, sendPrepared];
