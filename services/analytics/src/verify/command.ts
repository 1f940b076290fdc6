import { errorCodeOf } from '@castellan/contracts';
import { readOptions, usage } from './options.ts';
import { Refusal } from './refusal.ts';
import { type Checked, isAllEqual, verify } from './verify.ts';

type Env = Readonly<Record<string, string | undefined>>;
type Output = Record<'out' | 'err', (text: string) => void>;

const shown = (_name: string, value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value);

const jsonOf = (checked: readonly Checked[]): string =>
  JSON.stringify({ ok: isAllEqual(checked), figures: checked }, shown, 2);

/** @returns the exit code: 0 equal, 1 not equal, 2 it could not be checked. */
export async function verifyReceipt(args: string[], env: Env, { out, err }: Output): Promise<number> {
  const say = (line: string) => out(`${line}\n`);
  try {
    const options = readOptions(args, env);
    if (options === 'help') {
      say(usage);
      return 0;
    }
    const checked = await verify(options, options.json ? (line) => err(`${line}\n`) : say);
    if (options.json) say(jsonOf(checked));
    return isAllEqual(checked) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof Refusal) && errorCodeOf(error) !== 'RPC_UNAVAILABLE') throw error;
    err(`${(error as Error).message}\n`);
    return 2;
  }
}
