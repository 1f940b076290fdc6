import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type ErrorCode, errorCodes } from '@castellan/contracts';
import { errorAdvice } from '../services/gateway/src/openapi/error-advice.ts';

/** docs/errors.md, made of the closed list of error codes: `node tools/errors-docs.ts`. A test notices when it is stale. */
export const target = fileURLToPath(new URL('../docs/errors.md', import.meta.url));

type Code = { status: number; title: string; retryable: boolean };

const cell = (text: string): string => text.replaceAll('|', '\\|');

const row = ([code, { title, retryable }]: [string, Code]): string =>
  `| \`${code}\` | ${cell(title)} | ${cell(errorAdvice[code as ErrorCode])} | ${retryable ? 'yes' : 'no'} |\n`;

/** The page's text. */
export function errorsPage(): string {
  let text = `# Errors

An answer that is not a success is \`application/problem+json\`. Test its \`code\`, which is from this closed list; \`detail\` says what was wrong with this
request, and \`request_id\` is what to quote when you ask for help. "Again" says whether the same request may succeed later without a change by
you. A code in mixed case is the contract's own error: the chain would refuse the call. This page is made from the codes by
\`node tools/errors-docs.ts\`.
`;
  const codes = Object.entries(errorCodes) as [string, Code][];
  for (const status of [...new Set(codes.map(([, code]) => code.status))].sort()) {
    text += `\n## ${status}\n\n| Code | Meaning | What to do | Again |\n|---|---|---|---|\n`;
    text += codes
      .filter(([, code]) => code.status === status)
      .map(row)
      .join('');
  }
  return text;
}

if (import.meta.main) writeFileSync(target, errorsPage());
