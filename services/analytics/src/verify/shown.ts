import { readFileSync } from 'node:fs';
import { Problem, Receipt } from '@castellan/contracts';
import { z } from 'zod';
import { comparisonOf, exportedRows, rowsOf } from './compare.ts';
import { COMPARE, datasetOf, type Question } from './reads.ts';
import { Refusal } from './refusal.ts';

const Answer = z.looseObject({
  chain_id: z.int(),
  vault_address: z.string(),
  as_of: z.iso.datetime(),
  block_number: z.int(),
  receipts: z.record(z.string(), Receipt),
});
/** What a reader was shown: the moment, the figures, and the receipt of each. */
export type Answer = z.infer<typeof Answer>;

const whyOf = ({ code, detail, errors = [] }: Problem): string =>
  [`${code}: ${detail}`, ...errors.map(({ path, message }) => `${path} ${message}.`)].join(' ');

type Fetch = (url: string, init?: RequestInit) => Promise<Response>;
type Asked = Omit<Question, 'block'> & {
  block?: number | undefined;
  at?: string | undefined;
  /** The one figure whose receipt is wanted: those of a long history are too large together. */
  figure?: string | undefined;
};

/**
 * The answer of a running system with its receipts.
 * @throws Refusal when nobody answers, or with what the API refuses and why.
 */
export async function askApi(api: string, question: Asked, request: Fetch = fetch): Promise<Answer> {
  const { chainId, vault, read } = question;
  const dataset = datasetOf(read);
  if (dataset !== undefined) return askExport(api, question, dataset, request);
  if (read === COMPARE) return askComparison(api, question, request);
  const { figure } = question;
  const url = `${api}/api/v1/vaults/${chainId}/${vault}/analytics/${read}`;
  const ask = async (receipt: string) =>
    usable(await answered(api, question, request, `${url}?${searchOf(question, receipt)}`), api, read);
  const answer = await ask(figure ?? 'true');
  // Of a figure that it does not have, those that it has are named.
  return figure === undefined || Object.hasOwn(answer.receipts, figure) ? answer : ask('true');
}

function searchOf({ query, block, at }: Asked, receipt = 'true'): URLSearchParams {
  const search = new URLSearchParams(query);
  search.set('receipt', receipt);
  if (block !== undefined) search.set('block', String(block));
  if (at !== undefined) search.set('at', at);
  return search;
}

function usable(body: unknown, api: string, read: string): Answer {
  const answer = Answer.safeParse(body);
  if (!answer.success) throw new Refusal(`${api} answered ${read} without usable receipts.`);
  return answer.data;
}

async function answered(
  api: string,
  { read, vault }: Asked,
  request: Fetch,
  ...[url, init]: Parameters<Fetch>
): Promise<unknown> {
  const response = await (init ? request(url, init) : request(url)).catch((error: Error) => {
    const { code } = (error.cause ?? {}) as { code?: string };
    throw new Refusal(`No answer from ${api} (${code ?? error.message}). Is it running? --api says where it is.`, {
      cause: error,
    });
  });
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) return body;
  const problem = Problem.safeParse(body);
  const why = problem.success ? whyOf(problem.data) : `HTTP ${response.status}`;
  throw new Refusal(`${api} does not answer ${read} of ${vault}: ${why}`);
}

/** The moment that a question is about; files and comparisons do not say it themselves. */
async function momentOf(api: string, { chainId, vault, block, at }: Asked, request: Fetch) {
  const { chain_id, vault_address, as_of, block_number } = await askApi(
    api,
    { chainId, vault, block, at, read: 'overview', query: '' },
    request,
  );
  return { chain_id, vault_address, as_of, block_number };
}

async function askExport(api: string, question: Asked, dataset: string, request: Fetch): Promise<Answer> {
  const { chainId, vault, read } = question;
  const moment = await momentOf(api, question, request);
  const search = searchOf(question.at === undefined ? { ...question, block: moment.block_number } : question);
  search.set('dataset', dataset);
  search.set('format', 'json');
  const url = `${api}/api/v1/vaults/${chainId}/${vault}/analytics/export?${search}`;
  return usable({ ...moment, ...exportedRows(await answered(api, question, request, url)) }, api, read);
}

async function askComparison(api: string, question: Asked, request: Fetch): Promise<Answer> {
  const { block_number } = await momentOf(api, question, request);
  const asked = comparisonOf(question.query, { ...question, block: block_number });
  const body = await answered(api, question, request, `${api}/api/v1/analytics/compare`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(asked),
  });
  const [first] = rowsOf(body);
  return usable({ ...first, ...(body as object) }, api, question.read);
}

/** A saved answer, or a single receipt. @throws Refusal. */
export function readSaved(
  file: string,
  read: (path: string) => string = (path) => readFileSync(path, 'utf8'),
): Answer | Receipt {
  let body: unknown;
  try {
    body = JSON.parse(read(file));
  } catch (error) {
    throw new Refusal(`${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  const answer = Answer.safeParse(body);
  if (answer.success) return answer.data;
  const receipt = Receipt.safeParse(body);
  if (receipt.success) return receipt.data;
  throw new Refusal(`${file} is neither an answer with receipts (?receipt=true) nor one receipt of such an answer.`);
}

export const isAnswer = (saved: Answer | Receipt): saved is Answer => 'receipts' in saved;
