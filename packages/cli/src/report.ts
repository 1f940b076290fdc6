import { createHash } from 'node:crypto';
import { reportEditions, reportFormats, VaultReport } from '@castellan/contracts';
import type { Client } from '@castellan/sdk';
import { type Command, command, UsageError } from './command.ts';
import { deliver } from './files.ts';
import { reportText } from './report-text.ts';
import { apiOptions, clientFor } from './session-file.ts';
import { whileBusy } from './terminal.ts';
import { inPath, vaultOf, vaultOperand } from './vaults.ts';

const formats = ['text', ...reportFormats] as const;

function oneOf<T extends string>(known: readonly T[], given: string, what: string): T {
  const found = known.find((each) => each === given);
  if (found === undefined) throw new UsageError(`There is no ${what} ${given}. There are ${known.join(', ')}.`);
  return found;
}

const isMonth = (text: string): boolean => /^20\d\d-(0[1-9]|1[0-2])$/.test(text);

type Asked = Parameters<Client['vaultReport']>[0];

/** Both forms of a report say how far it is; of the page it is read from the JSON that it was composed with. */
async function read(client: Client, { params, query }: Asked, isPage: boolean) {
  const text = await client.vaultReport({ params, query: { ...query, format: 'json' } });
  const report = VaultReport.parse(JSON.parse(text));
  return { report, text: isPage ? await client.vaultReport({ params, query: { ...query, format: 'html' } }) : text };
}

const vaultReport = command({
  path: 'report',
  summary: 'The report of a vault about a month, in the terminal or as the file that is sent',
  operands: [vaultOperand, { name: 'MONTH', summary: 'a month in UTC, such as 2026-10' }],
  options: {
    url: apiOptions.url,
    json: { summary: 'the same as --format json' },
    format: { value: 'FORMAT', summary: `${formats.join(', ')}; html is a page for printing`, default: 'text' },
    to: { value: 'FILE', summary: 'where it is written, never over another file; else standard output' },
    edition: {
      value: 'EDITION',
      summary: `${reportEditions.join(', ')}; full takes a role on the vault`,
      default: 'public',
    },
    final: { summary: 'fails, and writes nothing, while the month is not final' },
  },
  run: async ({ values, operands: [vault, period = ''] }, world) => {
    if (!isMonth(period)) throw new UsageError(`"${period}" is no month such as 2026-10.`);
    const format = oneOf(formats, values.json ? 'json' : values.format, 'format');
    const edition = oneOf(reportEditions, values.edition, 'edition');
    const { client } = clientFor(values.url, world);
    const asked = { params: inPath(await vaultOf(client, vault)), query: { period, edition } };
    const { report, text } = await whileBusy(world, 'Composing the report', read(client, asked, format === 'html'));
    if (values.final && report.state !== 'final') {
      world.err(`${period} is not final yet: there is a preview as of ${report.as_of}.\n`);
      return 1;
    }
    deliver(format === 'text' ? reportText(report) : text, values.to, world);
    if (values.to !== undefined && format !== 'text')
      world.err(`${values.to}: ${report.state}, SHA-256 ${createHash('sha256').update(text).digest('hex')}\n`);
    return 0;
  },
});

/** The month of a vault. */
export const reportCommands: readonly Command[] = [vaultReport];
