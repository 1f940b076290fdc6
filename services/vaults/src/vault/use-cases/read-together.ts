import { GetVault, ListMyVaults, type ParamsOf, type ReadTogether, type ResultOf } from '@castellan/contracts';
import type { Directory } from '../adapters/directory.mongo.ts';
import { type MadeAnswer, MadeAnswers } from '../domain/made-answers.ts';
import { withPeople } from '../domain/names-in-detail.ts';
import { ownList, ownPage } from './list-vaults.ts';
import { peopleFor, requireVault, type VaultSource } from './vault-view.ts';

const KEPT_BYTES = 16_777_216;
/** What takes longer, because the node of its chain is slow, is asked by itself: the others wait no longer for it. */
const PATIENCE_MS = 250;
/** Texts that go out with one answer, whose quotes are escaped in it: the bus takes 1 MiB. */
const SENT_BYTES = 600_000;

type Read = ParamsOf<typeof ReadTogether>['reads'][number];
type ReadOf<K extends Read['read']> = Extract<Read, { read: K }>;
type Answer = ResultOf<typeof ReadTogether>['answers'][number];
type Made = MadeAnswer & { block_number: number | null };

/** The answers of which all texts fit into one message; who asks for one of the others is answered by itself. */
function withinBytes(answers: readonly Answer[]): Answer[] {
  let left = SENT_BYTES;
  return answers.map((answer) => {
    const bytes = answer?.body ? Buffer.byteLength(answer.body) : 0;
    if (bytes > left) return null;
    left -= bytes;
    return answer;
  });
}

/**
 * What several wallets ask at the same moment. Who has which role and what of a vault was read last is looked up for each of them as for a
 * call of its own; only the text of an answer is made once for all whose answer is the same.
 */
export function readTogether(ports: VaultSource & { directory: Directory }, patienceMs = PATIENCE_MS) {
  const made = new MadeAnswers(KEPT_BYTES);

  const detail = async ({ params, wallet_address }: ReadOf<'detail'>): Promise<Made> => {
    const snapshot = await ports.freshen(await requireVault(ports, params.chain_id, params.vault_address));
    const people = await peopleFor(ports.directory, snapshot, { wallet_address });
    const names = snapshot.wallets.map(people.nameOf);
    const key = JSON.stringify([made.numberOf(snapshot), people.role, people.viewOnlyCount, names]);
    const answer = made.get(key, () => GetVault.result.parse(withPeople(snapshot.detail, people)));
    return { ...answer, block_number: snapshot.detail.block_number };
  };

  const list = async ({ params, wallet_address }: ReadOf<'list'>): Promise<Made> => {
    const page = await ownPage(ports, params, { wallet_address });
    const rows = page.rows.map(({ snapshot, role }) => [made.numberOf(snapshot), role]);
    const key = JSON.stringify([params.detail, page.total, page.has_more, page.next_cursor, rows]);
    const answer = made.get(key, () => ListMyVaults.result.parse(ownList(page, params.detail)));
    return { ...answer, block_number: null };
  };

  const answerTo = async (read: Read): Promise<Answer> => {
    const { etag, text, block_number } = await (read.read === 'detail' ? detail(read) : list(read));
    return { etag, body: read.known.includes(etag) ? null : text, block_number };
  };

  return async ({ reads }: ParamsOf<typeof ReadTogether>): Promise<ResultOf<typeof ReadTogether>> => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, patienceMs, null);
    });
    // What is wrong with one of them is the answer to who asks it by itself.
    const answers = reads.map((read) => Promise.race([answerTo(read).catch(() => null), late]));
    return { answers: withinBytes(await Promise.all(answers).finally(() => clearTimeout(timer))) };
  };
}
