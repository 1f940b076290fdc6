import { readFileSync } from 'node:fs';
import type { MandateDocument } from '@castellan/contracts';
import type { Client } from '@castellan/sdk';
import { type Command, command, pathOf, UsageError, type World } from './command.ts';
import { readMandate } from './mandate-file.ts';
import { apiOptions, clientFor } from './session-file.ts';
import { whileBusy } from './terminal.ts';
import { columns } from './usage.ts';
import { inPath, vaultOf, vaultOperand } from './vaults.ts';

type Replay = Awaited<ReturnType<Client['backtestMandate']>>;

function textOf(file: string, env: World['env']): string {
  try {
    return readFileSync(pathOf(file, env), 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}.`);
  }
}

/** How often each promise would have been broken, and which still are. */
function replayText(replay: Replay): string {
  const open = new Set(replay.breaches.filter(({ ended }) => ended === null).map(({ promise_id }) => promise_id));
  const rows = replay.promises.map(({ promise_id, breaches, broken_seconds }) => [
    promise_id,
    `${breaches}`,
    `${broken_seconds}`,
    open.has(promise_id) ? 'broken' : '',
  ]);
  const cut = replay.truncated ? ', which is as far as one answer goes' : '';
  return `${columns([['promise', 'breaches', 'broken for (s)', 'now'], ...rows])}${replay.observations} observations from ${replay.from} to ${replay.to}${cut}\n`;
}

async function replay(client: Client, document: MandateDocument, text: string): Promise<Replay> {
  return client.backtestMandate({ params: inPath(await vaultOf(client, text)), body: { document } });
}

const check = command({
  path: 'mandate check',
  summary:
    'Everything wrong with a mandate; with a vault, which promises its last 90 days would have broken. Fails when one is broken now',
  operands: [
    { name: 'FILE', summary: 'the mandate in YAML or JSON: docs/mandates.md' },
    { ...vaultOperand, isOptional: true },
  ],
  options: { ...apiOptions, strict: { summary: 'fail on every breach, also on those that are over' } },
  run: async ({ values, operands: [file = '', vault] }, world) => {
    const read = readMandate(textOf(file, world.env));
    const faults = 'faults' in read ? read.faults : [];
    for (const { line, column, path, message } of values.json ? [] : faults)
      world.out(`${file}:${line}:${column}: ${path === '' ? '' : `${path}: `}${message}\n`);
    if ('faults' in read || vault === undefined) {
      if (values.json)
        world.out(`${JSON.stringify({ ok: faults.length === 0, faults, backtest: null }, undefined, 2)}\n`);
      else if ('document' in read) world.out(`${read.document.promises.length} promises, nothing wrong.\n`);
      return faults.length === 0 ? 0 : 1;
    }
    const replaying = replay(clientFor(values.url, world).client, read.document, vault);
    const backtest = await whileBusy(world, 'Replaying the history', replaying);
    const isBroken = backtest.breaches.some(({ ended }) => ended === null);
    const ok = !isBroken && !(values.strict && backtest.promises.some(({ breaches }) => breaches > 0));
    world.out(values.json ? `${JSON.stringify({ ok, faults, backtest }, undefined, 2)}\n` : replayText(backtest));
    return ok ? 0 : 1;
  },
});

const show = command({
  path: 'mandate show',
  summary: 'The promises of a vault that are in force, and how far each is from its limit. Fails when one is broken',
  operands: [vaultOperand],
  options: apiOptions,
  run: async ({ values, operands: [text] }, world) => {
    const { client } = clientFor(values.url, world);
    const status = await client.mandateStatus({ params: inPath(await vaultOf(client, text)) });
    if (values.json) world.out(`${JSON.stringify(status, undefined, 2)}\n`);
    else if (status.version === null)
      world.out('No mandate is in force, or it is not public. Sign in to see one you may see.\n');
    else {
      const rows = status.promises.map(({ promise_id, state, value, bound, limit, unit, headroom }) => [
        promise_id,
        state,
        value === null ? '-' : `${value} ${unit}`,
        `${bound.replace('_', ' ')} ${limit}`,
        headroom === null ? '-' : `${headroom}`,
      ]);
      world.out(`${status.title}, version ${status.version}\n`);
      world.out(columns([['promise', 'state', 'value', 'limit', 'headroom'], ...rows]));
    }
    return status.open_breaches === 0 ? 0 : 1;
  },
});

/** Promises of vaults. */
export const mandateCommands: readonly Command[] = [check, show];
