import { readFileSync } from 'node:fs';
import type { Client } from '@castellan/sdk';
import { type Command, command, pathOf, UsageError } from './command.ts';
import { apiOptions, clientFor } from './session-file.ts';
import { whileBusy } from './terminal.ts';
import { columns } from './usage.ts';
import { vaultOf, vaultOperand } from './vaults.ts';

type Definition = Omit<Parameters<Client['validateStrategy']>[0]['body'], 'vault_id'>;

/** A strategy as the API takes it; what is wrong with it is the server's to say. */
function definitionIn(file: string): Definition {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Definition;
  } catch (error) {
    throw new UsageError(`${file} is no strategy in JSON: ${(error as Error).message}.`, '');
  }
}

const idOf = async (client: Client, text: string | undefined): Promise<string> => {
  const { chain_id, vault_address } = await vaultOf(client, text);
  return `${chain_id}:${vault_address}`;
};

const fileOperand = { name: 'FILE', summary: 'the strategy in JSON: docs/strategies.md' } as const;

const check = command({
  path: 'strategy check',
  summary: 'Everything wrong with a strategy, and how it would judge the vault as it is now; saves nothing',
  operands: [fileOperand, vaultOperand],
  options: apiOptions,
  run: async ({ values, operands: [file = '', text] }, world) => {
    const definition = definitionIn(pathOf(file, world.env));
    const { client } = clientFor(values.url, world);
    const found = await client.validateStrategy({ body: { vault_id: await idOf(client, text), ...definition } });
    if (values.json) world.out(`${JSON.stringify(found, undefined, 2)}\n`);
    else {
      for (const { path, position, message, suggestion } of found.errors) {
        const hint = suggestion === null ? '' : ` Did you mean ${suggestion}?`;
        world.out(`${file}: ${path} ${position.line}:${position.column}: ${message}${hint}\n`);
      }
      for (const { path, message } of found.warnings) world.out(`${file}: ${path}: warning: ${message}\n`);
      world.out(found.ok ? 'The strategy can be saved.\n' : `${found.errors.length} faults.\n`);
    }
    return found.ok ? 0 : 1;
  },
});

const day = 86_400_000;

const backtest = command({
  path: 'strategy backtest',
  summary: "Replays the vault's recorded history through a strategy; sends nothing",
  operands: [fileOperand, vaultOperand],
  options: {
    ...apiOptions,
    from: { value: 'TIME', summary: 'from when; else 30 days before the end' },
    until: { value: 'TIME', summary: 'until when; else now' },
    'slippage-bps': { value: 'N', summary: 'what each execution loses', default: '0' },
  },
  run: async ({ values, operands: [file = '', text] }, world) => {
    const definition = definitionIn(pathOf(file, world.env));
    const { client } = clientFor(values.url, world);
    const to = values.until ?? new Date().toISOString();
    const from = values.from ?? new Date(Date.parse(to) - 30 * day).toISOString();
    const drafts = [{ id: 'draft', ...definition }];
    const slippage_bps = Number(values['slippage-bps']);
    const vault_id = await idOf(client, text);
    const asked = client.backtest({ body: { vault_id, drafts, from, to, slippage_bps } });
    const result = await whileBusy(world, 'Replaying the history', asked);
    if (values.json) {
      world.out(`${JSON.stringify(result, undefined, 2)}\n`);
      return 0;
    }
    const [strategy] = result.strategies;
    const firings = result.firings.map(({ t, action, assets, because }) => [t, action, assets ?? '-', because]);
    world.out(columns([['time', 'action', 'assets (base units)', 'because'], ...firings]));
    world.out(`${strategy?.fired ?? 0} times, ${strategy?.gained_assets ?? '0'} base units gained\n`);
    for (const assumption of result.assumptions) world.out(`assumed: ${assumption}\n`);
    return 0;
  },
});

/** Trying strategies. */
export const strategyCommands: readonly Command[] = [check, backtest];
