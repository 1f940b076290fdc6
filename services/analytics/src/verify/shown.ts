import { readFileSync } from 'node:fs';
import { Problem, Receipt } from '@castellan/contracts';
import { z } from 'zod';
import type { Question } from './reads.ts';
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

type Fetch = (url: string) => Promise<Response>;

/**
 * The answer of a running system with its receipts.
 * @throws Refusal when nobody answers, or with what the API refuses and why.
 */
export async function askApi(
  api: string,
  question: Omit<Question, 'block'> & { block?: number | undefined; at?: string | undefined },
  request: Fetch = fetch,
): Promise<Answer> {
  const { chainId, vault, block, at, read, query } = question;
  const search = new URLSearchParams(query);
  search.set('receipt', 'true');
  if (block !== undefined) search.set('block', String(block));
  if (at !== undefined) search.set('at', at);
  const url = `${api}/api/v1/vaults/${chainId}/${vault}/analytics/${read}?${search}`;
  const response = await request(url).catch((error: Error) => {
    const { code } = (error.cause ?? {}) as { code?: string };
    throw new Refusal(`No answer from ${api} (${code ?? error.message}). Is it running? --api says where it is.`, {
      cause: error,
    });
  });
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok) {
    const problem = Problem.safeParse(body);
    const why = problem.success ? whyOf(problem.data) : `HTTP ${response.status}`;
    throw new Refusal(`${api} does not answer ${read} of ${vault}: ${why}`);
  }
  const answer = Answer.safeParse(body);
  if (!answer.success) throw new Refusal(`${api} answered ${read} without usable receipts.`);
  return answer.data;
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
