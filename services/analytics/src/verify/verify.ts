import type { Receipt } from '@castellan/contracts';
import { type ConfiguredBenchmarks, loadBenchmarks } from '../adapters/benchmarks.ts';
import { chainConfigOf } from './chain-config.ts';
import { type ChainHistory, compareFromChain, readChainHistory } from './from-chain.ts';
import { checkShown } from './numbers.ts';
import type { Options } from './options.ts';
import { COMPARE, readPaths } from './reads.ts';
import { Refusal } from './refusal.ts';
import { receiptText, summaryLine, verdictLine, verdictLines } from './report.ts';
import { type Answer, askApi, isAnswer, readSaved } from './shown.ts';
import { checkChain, checkInputs, type FromChain, observedBlock, type Verdict } from './verdict.ts';

type Say = (line: string) => void;
/** Where a figure was checked: against its receipt, in the answer that shows it, or on the chain. */
export type Checked = Verdict & { readonly against: 'receipt' | 'answer' | 'chain' };
type Shown = { readonly read: string | undefined; readonly query: string; readonly answer: Answer };

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

/** What a read needs besides its vault where all reads are checked: the position is that of the largest holder. */
export function queryOf(read: string, shown: readonly Shown[]): string | undefined {
  if (read !== POSITION) return '';
  const list = shown.find((each) => each.read === HOLDERS)?.answer as Holders | undefined;
  const largest = list?.holders[0];
  return largest && `wallet=${largest.wallet_address}`;
}
/** Asked before it. */
export const HOLDERS = 'users/top';
export const POSITION = 'users/position';
type Holders = Answer & { holders: readonly { wallet_address: string }[] };

/** The answers to check, all of one block. */
async function answersOf(options: Options): Promise<Shown[]> {
  const { chainId, vault, api, at, query, figure } = options as Options & { chainId: number; vault: string };
  const shown: Shown[] = [];
  let { block } = options;
  for (const read of options.read === undefined ? readPaths : [options.read]) {
    const asked = options.read === undefined ? queryOf(read, shown) : query;
    // A vault without holders.
    if (asked === undefined) continue;
    const answer = await askApi(api, { chainId, vault, block, at, read, query: asked, figure });
    if (at === undefined) block ??= answer.block_number;
    shown.push({ read, query: asked, answer });
  }
  return shown;
}

/** The block of the observation that was in force, for reads whose own receipts do not name it. */
async function observationOf({ file, api }: Options, { chain_id, vault_address, block_number }: Answer) {
  if (file !== undefined) return undefined;
  const question = { chainId: chain_id, vault: vault_address, block: block_number, read: 'overview', query: '' };
  return observedBlock((await askApi(api, question)).receipts);
}

function benchmarksOf({ benchmarks }: Options): ConfiguredBenchmarks {
  try {
    return loadBenchmarks(benchmarks);
  } catch (error) {
    throw new Refusal((error as Error).message, { cause: error });
  }
}

/** Histories read from the node of the options, each vault's once. */
function chainOf(options: Options): (chainId: number, vault: string) => Promise<ChainHistory> {
  const { rpc, deployment, chains } = options;
  const benchmarks = benchmarksOf(options);
  const known = new Map<string, Promise<ChainHistory>>();
  return (chainId, vault) => {
    const found =
      known.get(vault) ??
      readChainHistory(chainConfigOf({ chainId, rpc: rpc as string, deployment, chains }), vault, benchmarks);
    known.set(vault, found);
    return found;
  };
}

const isBad = ({ outcome }: Verdict): boolean => outcome === 'unequal';

const checkedAgainst = (against: Checked['against'], verdicts: readonly Verdict[]): Checked[] =>
  verdicts.map((verdict) => ({ ...verdict, against }));

/** Says each figure that is not equal, and together those that cannot be checked for the same reason; a single one always. */
function report(say: Say, how: string, verdicts: readonly Verdict[], isSingle: boolean): void {
  const lines = isSingle ? verdicts.map((verdict) => `${how}: ${verdictLine(verdict)}`) : verdictLines(how, verdicts);
  for (const line of lines) say(line);
}

type Listed = Shown & { readonly list: readonly [string, Receipt][] };

/** Each figure from its receipt, and each number of the answers against its receipt; of a single figure only that. */
function checkReceipts(lists: readonly Listed[], isSingle: boolean, say: Say): Checked[] {
  const verdicts = lists.flatMap(({ read, list }) =>
    list.map(([name, receipt]) => named(read, checkInputs(name, receipt))),
  );
  report(say, 'From its receipt', verdicts, isSingle);
  if (isSingle) return checkedAgainst('receipt', verdicts);
  const shown = lists.map(({ read, answer }) => ({ read, ...checkShown(answer) }));
  const all = (kind: 'without' | 'altered') =>
    shown.flatMap((one) => one[kind].map((verdict) => named(one.read, verdict)));
  report(say, 'In the answer', [...all('altered'), ...all('without')], false);
  const echoed = shown.reduce((total, one) => total + one.echoed, 0);
  say(`From the receipts: ${summaryLine([...verdicts, ...all('without')])}; ${echoed} numbers are echoes.`);
  return [...checkedAgainst('receipt', verdicts), ...checkedAgainst('answer', [...all('altered'), ...all('without')])];
}

/** A single receipt, or a saved answer without a node to ask. */
function checkSaved(file: string, figure: string | undefined, saved: Answer | Receipt, say: Say): Checked[] {
  const receipts = isAnswer(saved) ? saved.receipts : { [figure ?? 'figure']: saved };
  const list = chosen(receipts, isAnswer(saved) ? figure : undefined);
  const verdicts = list.map(([name, receipt]) => checkInputs(name, receipt));
  if (list.length === 1) for (const [name, receipt] of list) say(receiptText(name, receipt));
  report(say, 'From its receipt', verdicts, list.length === 1);
  const { without, altered } =
    isAnswer(saved) && figure === undefined ? checkShown(saved) : { without: [], altered: [] };
  report(say, 'In the answer', [...altered, ...without], false);
  say(`${file}: ${summaryLine([...verdicts, ...without])}.`);
  return [...checkedAgainst('receipt', verdicts), ...checkedAgainst('answer', [...altered, ...without])];
}

/** Each figure, and each input of its receipt, from the chain. */
async function checkFromChain(options: Options, lists: readonly Listed[], say: Say): Promise<Verdict[]> {
  const [{ answer: first }] = lists as [Listed];
  const historyOf = chainOf(options);
  const chain = await historyOf(first.chain_id, first.vault_address);
  const observedAt = await observationOf(options, first);
  const found: Verdict[] = [];
  for (const { read, query, answer, list } of lists) {
    if (list.length === 0) continue;
    const computed: FromChain =
      read === COMPARE
        ? await compareFromChain(answer, query, historyOf)
        : await chain.ask(answer, read as string, query, observedAt);
    found.push(...list.map(([name, receipt]) => named(read, checkChain(name, receipt, computed, observedAt))));
  }
  const isSingle = options.figure !== undefined;
  report(say, 'From the chain', found, isSingle);
  say(`${isSingle ? 'Read' : `From the chain: ${summaryLine(found)}; read`} ${chain.summary}.`);
  return found;
}

/** Whether every figure that could be computed is the shown one. */
export const isAllEqual = (checked: readonly Checked[]): boolean => !checked.some(isBad);

/**
 * Checks what the options name, reporting to `say` line by line.
 * @returns what came of each figure, for each way in which it was checked.
 * @throws Refusal when it cannot be checked at all.
 */
export async function verify(options: Options, say: Say): Promise<Checked[]> {
  const { file, figure, rpc } = options;
  let shown: Shown[];
  if (file === undefined) shown = await answersOf(options);
  else {
    const saved = readSaved(file);
    if (!isAnswer(saved) || rpc === undefined) return checkSaved(file, figure, saved, say);
    if (options.read === undefined) throw new Refusal('To compute a saved answer from the chain, name its --read.');
    shown = [{ read: options.read, query: options.query, answer: saved }];
  }
  const [first] = shown as [Shown];
  const { chain_id, vault_address, block_number, as_of } = first.answer;
  say(`Vault ${vault_address} on chain ${chain_id} as of block ${block_number}, ${as_of}`);
  const lists = shown.map((each) => ({ ...each, list: chosen(each.answer.receipts, figure) }));
  const isSingle = figure !== undefined;
  if (isSingle)
    for (const { list } of lists) for (const [name, receipt] of list) say(`\n${receiptText(name, receipt)}`);
  const verdicts = checkReceipts(lists, isSingle, say);
  const found = rpc === undefined ? [] : await checkFromChain(options, lists, say);
  return [...verdicts, ...checkedAgainst('chain', found)];
}

const named = (read: string | undefined, verdict: Verdict): Verdict => ({
  ...verdict,
  figure: `${read}.${verdict.figure}`,
});
