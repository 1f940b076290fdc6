import { errorCodeOf } from '@castellan/contracts';
import { readOptions, usage } from './options.ts';
import { Refusal } from './refusal.ts';
import { verify } from './verify.ts';

type Env = Readonly<Record<string, string | undefined>>;
type Output = Record<'out' | 'err', (text: string) => void>;

/** @returns the exit code: 0 equal, 1 not equal, 2 it could not be checked. */
export async function verifyReceipt(args: string[], env: Env, { out, err }: Output): Promise<number> {
  const say = (line: string) => out(`${line}\n`);
  try {
    const options = readOptions(args, env);
    if (options !== 'help') return (await verify(options, say)) ? 0 : 1;
    say(usage);
    return 0;
  } catch (error) {
    if (!(error instanceof Refusal) && errorCodeOf(error) !== 'RPC_UNAVAILABLE') throw error;
    err(`${(error as Error).message}\n`);
    return 2;
  }
}
