import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, command } from '@castellan/cli';
import { abouts, type CommandName } from '../../services/validator-node/src/cli/abouts.ts';

const isName = (name: string): name is CommandName => name in abouts;

/**
 * The command line of a validator, for those who look after nodes: loaded when it is asked for, and without `run`, which is the program of the
 * node itself and begins with what traces it.
 */
export const validatorCommands: readonly Command[] = Object.keys(abouts)
  .filter(isName)
  .filter((name) => name !== 'run')
  .map((name) =>
    command({
      path: `validator ${name}`,
      summary: abouts[name].replace(/\.$/, ''),
      hasOwnArguments: true,
      run: async ({ operands }, { env, out, err, fetch: send = fetch }) => {
        const { main } = await import('../../services/validator-node/src/cli/main.ts');
        const argv = [...name.split(' '), ...operands];
        return main({ argv, program: 'castellan validator', env, out, err, fetch: send, sleep, now: Date.now });
      },
    }),
  );
