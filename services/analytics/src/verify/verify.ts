import type { Receipt } from '@castellan/contracts';
import { chainConfigOf } from './chain-config.ts';
import { type ChainHistory, readChainHistory } from './from-chain.ts';
import type { Options } from './options.ts';
import { readPaths } from './reads.ts';
import { Refusal } from './refusal.ts';
import { receiptText, summaryLine, verdictLine } from './report.ts';
import { type Answer, askApi, isAnswer, readSaved } from './shown.ts';
import { checkChain, checkInputs, type FromChain, observedBlock, type Verdict } from './verdict.ts';

type Say = (line: string) => void;
type Shown = { readonly read: string | undefined; readonly answer: Answer };

const chosen = (receipts: Readonly<Record<string, Receipt>>, figure: string | undefined): [string, Receipt][] => {
  if (figure === undefined) return Object.entries(receipts);
  const receipt = receipts[figure];
  if (receipt) return [[figure, receipt]];
  const known = Object.keys(receipts);
  throw new Refusal(
    known.length === 0
      ? 'This read has no figures with receipts.'
      : `There is no figure ${figure} here. Figures: ${known.join(', ')}.`,
  );
};

/** The answers to check, all of one block. */
async function answersOf(options: Options): Promise<Shown[]> {
  const { chainId, vault, api, at, query } = options as Options & { chainId: number; vault: string };
  const shown: Shown[] = [];
  let { block } = options;
  for (const read of options.read === undefined ? readPaths : [options.read]) {
    const answer = await askApi(api, {
      chainId,
      vault,
      block,
      at,
      read,
      query: options.read === undefined ? '' : query,
    });
    if (at === undefined) block ??= answer.block_number;
    shown.push({ read, answer });
  }
  return shown;
}

/** The block of the observation that was in force, for reads whose own receipts do not name it. */
async function observationOf({ file, api }: Options, { chain_id, vault_address, block_number }: Answer) {
  if (file !== undefined) return undefined;
  const question = { chainId: chain_id, vault: vault_address, block: block_number, read: 'overview', query: '' };
  return observedBlock((await askApi(api, question)).receipts);
}

async function chainOf(options: Options, { chain_id, vault_address }: Answer): Promise<ChainHistory> {
  const { rpc, deployment, chains } = options;
  const config = chainConfigOf({ chainId: chain_id, rpc: rpc as string, deployment, chains });
  return readChainHistory(config, vault_address);
}

const isBad = ({ outcome }: Verdict): boolean => outcome === 'unequal';

/** Says each figure that is not equal, and together those that cannot be checked for the same reason; a single one always. */
function tell(say: Say, how: string, verdicts: readonly Verdict[], isSingle: boolean): void {
  if (isSingle) {
    for (const verdict of verdicts) say(`${how}: ${verdictLine(verdict)}`);
    return;
  }
  for (const verdict of verdicts.filter(isBad)) say(`${how}, ${verdict.figure}: ${verdictLine(verdict)}`);
  const unchecked = Map.groupBy(
    verdicts.filter(({ outcome }) => outcome === 'unchecked'),
    ({ reason }) => reason,
  );
  for (const [reason, list] of unchecked)
    say(`${how}, not checked: ${list.map(({ figure }) => figure).join(', ')}: ${reason}`);
}

function checkSaved(file: string, figure: string | undefined, receipts: Record<string, Receipt>, say: Say): boolean {
  const list = chosen(receipts, figure);
  const verdicts = list.map(([name, receipt]) => checkInputs(name, receipt));
  if (list.length === 1) for (const [name, receipt] of list) say(receiptText(name, receipt));
  tell(say, 'From its receipt', verdicts, list.length === 1);
  say(`${file}: ${summaryLine(verdicts)}.`);
  return !verdicts.some(isBad);
}

/**
 * Checks what the options name, telling `say` line by line.
 * @returns whether every figure that could be computed is the shown one.
 * @throws Refusal when it cannot be checked at all.
 */
export async function verify(options: Options, say: Say): Promise<boolean> {
  const { file, figure, rpc, query } = options;
  let shown: Shown[];
  if (file === undefined) shown = await answersOf(options);
  else {
    const saved = readSaved(file);
    if (!isAnswer(saved)) return checkSaved(file, undefined, { [figure ?? 'figure']: saved }, say);
    if (rpc === undefined) return checkSaved(file, figure, saved.receipts, say);
    if (options.read === undefined) throw new Refusal('To compute a saved answer from the chain, name its --read.');
    shown = [{ read: options.read, answer: saved }];
  }
  const [first] = shown as [Shown];
  const { chain_id, vault_address, block_number, as_of } = first.answer;
  say(`Vault ${vault_address} on chain ${chain_id} as of block ${block_number}, ${as_of}`);
  const lists = shown.map(({ read, answer }) => ({ read, answer, list: chosen(answer.receipts, figure) }));
  const isSingle = figure !== undefined;
  if (isSingle)
    for (const { list } of lists) for (const [name, receipt] of list) say(`\n${receiptText(name, receipt)}`);
  const verdicts = lists.flatMap(({ read, list }) =>
    list.map(([name, receipt]) => named(read, checkInputs(name, receipt))),
  );
  tell(say, 'From its receipt', verdicts, isSingle);
  if (!isSingle) say(`From the receipts: ${summaryLine(verdicts)}.`);
  if (rpc === undefined) return !verdicts.some(isBad);
  const chain = await chainOf(options, first.answer);
  const observedAt = await observationOf(options, first.answer);
  const found: Verdict[] = [];
  for (const { read, answer, list } of lists) {
    if (list.length === 0) continue;
    const computed: FromChain = await chain.ask(answer, read as string, query, observedAt);
    found.push(...list.map(([name, receipt]) => named(read, checkChain(name, receipt, computed, observedAt))));
  }
  tell(say, 'From the chain', found, isSingle);
  say(`${isSingle ? 'Read' : `From the chain: ${summaryLine(found)}; read`} ${chain.summary}.`);
  return ![...verdicts, ...found].some(isBad);
}

const named = (read: string | undefined, verdict: Verdict): Verdict => ({
  ...verdict,
  figure: `${read}.${verdict.figure}`,
});
