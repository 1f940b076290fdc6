import { readFileSync } from 'node:fs';

/** Variables of a process. */
export type Env = Readonly<Record<string, string | undefined>>;

type Fault = { name: string; message: string };

/**
 * Variables that are given by file: `X_FILE` names a file whose text is the value of `X`, as container secrets are mounted. A
 * setting that is itself called `X_FILE` stays what it is.
 */
export function withFiles(env: Env, names: readonly string[]): { env: Env; faults: Fault[] } {
  const values: Record<string, string | undefined> = { ...env };
  const faults: Fault[] = [];
  for (const name of names) {
    const variable = `${name}_FILE`;
    const file = env[variable]?.trim();
    if (!file || names.includes(variable)) continue;
    if (env[name]?.trim()) {
      faults.push({ name: variable, message: `is set beside ${name}; set one of both` });
      continue;
    }
    try {
      values[name] = readFileSync(file, 'utf8').trim();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      faults.push({ name: variable, message: `names a file that cannot be read (${code ?? 'unknown'})` });
    }
  }
  return { env: values, faults };
}
