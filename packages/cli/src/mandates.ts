import { readFileSync } from 'node:fs';
import type { MandateDocument } from '@castellan/contracts';
import type { Client } from '@castellan/sdk';
import { type Command, command, pathOf, UsageError, type World } from './command.ts';
import { type MandateFault, type ReadMandate, readMandate } from './mandate-file.ts';
import { apiOptions, clientFor } from './session-file.ts';
import { whileBusy } from './terminal.ts';
import { columns } from './usage.ts';
import { inPath, vaultOf, vaultOperand } from './vaults.ts';

type Replay = Awaited<ReturnType<Client['backtestMandate']>>;

function textOf(file: string, env: World['env']): string {
  try {
    return readFileSync(pathOf(file, env), 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}.`, '');
  }
}

/** How often each promise would have been broken, and which still are, by which source, holder, hook or wallet. */
function replayText(replay: Replay): string {
  const open = new Map(
    replay.breaches.filter(({ ended }) => ended === null).map(({ promise_id, worst }) => [promise_id, worst.subject]),
  );
  const rows = replay.promises.map(({ promise_id, breaches, broken_seconds }) => [
    promise_id,
    `${breaches}`,
    `${broken_seconds}`,
    open.has(promise_id) ? `broken ${open.get(promise_id) ?? ''}`.trimEnd() : '',
  ]);
  const cut = replay.truncated ? ', which is as far as one answer goes' : '';
  return `${columns([['promise', 'breaches', 'broken for (s)', 'now'], ...rows])}${replay.observations} observations from ${replay.from} to ${replay.to}${cut}\n`;
}

type Checked = { readonly backtest: Replay; readonly warnings: readonly MandateFault[] };

/** The back-test, and the sources that the vault does not have now: of such a one the share is 0, which is always held. */
async function checkOver(client: Client, { document, placeOf }: ReadMandate, text: string): Promise<Checked> {
  const params = inPath(await vaultOf(client, text));
  const [backtest, { yield_sources }] = await Promise.all([
    client.backtestMandate({ params, body: { document } }),
    client.yieldSources({ params }),
  ]);
  const known = new Set(yield_sources.map(({ source_address }) => source_address.toLowerCase()));
  return { backtest, warnings: unknownSources(document, known).map((path) => placeOf(path, notASource)) };
}

const notASource = 'is no source of the vault: its share counts as 0, and the promise about it is held';

/** Paths of the sources in a mandate that are not among the known ones. */
const unknownSources = ({ promises }: MandateDocument, known: ReadonlySet<string>): PropertyKey[][] =>
  promises.flatMap((promise, at): PropertyKey[][] => {
    const isUnknown = (source: string) => !known.has(source.toLowerCase());
    if (promise.kind === 'source_share')
      return promise.source !== undefined && isUnknown(promise.source) ? [['promises', at, 'source']] : [];
    if (promise.kind !== 'layer_share') return [];
    return promise.sources.flatMap((source, index) => (isUnknown(source) ? [['promises', at, 'sources', index]] : []));
  });

const jsonOf = (value: object): string => `${JSON.stringify(value, undefined, 2)}\n`;

const placesText = (file: string, places: readonly MandateFault[], kind = ''): string =>
  places
    .map(({ line, column, path, message }) => {
      const where = path === '' ? '' : `${path}: `;
      return `${file}:${line}:${column}: ${kind}${where}${message}\n`;
    })
    .join('');

const check = command({
  path: 'mandate check',
  summary:
    'Everything wrong with a mandate; with a vault (and a token that may read it), which promises its last 90 days would have broken, and which sources it does not have. Fails when one is broken now',
  operands: [
    { name: 'FILE', summary: 'the mandate in YAML or JSON: docs/mandates.md' },
    { ...vaultOperand, isOptional: true },
  ],
  options: {
    ...apiOptions,
    strict: { summary: 'fail on every breach, also on those that are over, and on every warning' },
  },
  run: async ({ values, operands: [file = '', vault] }, world) => {
    const read = readMandate(textOf(file, world.env));
    const faults = 'faults' in read ? read.faults : [];
    if (!values.json) world.out(placesText(file, faults));
    if ('faults' in read || vault === undefined) {
      if (values.json) world.out(jsonOf({ ok: faults.length === 0, faults, warnings: [], backtest: null }));
      else if ('document' in read) world.out(`${read.document.promises.length} promises, nothing wrong.\n`);
      return faults.length === 0 ? 0 : 1;
    }
    const checking = checkOver(clientFor(values.url, world).client, read, vault);
    const { backtest, warnings } = await whileBusy(world, 'Replaying the history', checking);
    const isBroken = backtest.breaches.some(({ ended }) => ended === null);
    const isDoubtful = warnings.length > 0 || backtest.promises.some(({ breaches }) => breaches > 0);
    const ok = !isBroken && !(values.strict && isDoubtful);
    world.out(values.json ? jsonOf({ ok, faults, warnings, backtest }) : replayText(backtest));
    if (!values.json) world.out(placesText(file, warnings, 'warning: '));
    return ok ? 0 : 1;
  },
});

const show = command({
  path: 'mandate show',
  summary:
    'The promises of a vault that are in force, and how far each is from its limit. Fails when one is broken, and when none is in force (3 when nobody is signed in, who may not see it)',
  operands: [vaultOperand],
  options: apiOptions,
  run: async ({ values, operands: [text] }, world) => {
    const { client, hasToken } = clientFor(values.url, world);
    const status = await client.mandateStatus({ params: inPath(await vaultOf(client, text)) });
    if (values.json) world.out(jsonOf(status));
    if (status.version === null) {
      world.err(
        hasToken
          ? 'No mandate is in force, or none that this token may see.\n'
          : 'No mandate is in force, or it is not public. Sign in to see one you may see.\n',
      );
      return hasToken ? 1 : 3;
    }
    if (!values.json) {
      const rows = status.promises.map(({ promise_id, state, value, bound, limit, unit, headroom, subject }) => [
        promise_id,
        state,
        value === null ? '-' : `${value} ${unit}`,
        `${bound.replace('_', ' ')} ${limit}`,
        headroom === null ? '-' : `${headroom}`,
        subject ?? '',
      ]);
      world.out(`${status.title}, version ${status.version}\n`);
      world.out(columns([['promise', 'state', 'value', 'limit', 'headroom', 'of'], ...rows]));
    }
    return status.open_breaches === 0 ? 0 : 1;
  },
});

/** Promises of vaults. */
export const mandateCommands: readonly Command[] = [check, show];
