import { exportDatasets, exportFormats } from '@castellan/contracts';
import { type Command, command, UsageError } from './command.ts';
import { deliver } from './files.ts';
import { apiOptions, clientFor } from './session-file.ts';
import { whileBusy } from './terminal.ts';
import { inPath, vaultOf, vaultOperand } from './vaults.ts';

const datasets = [...exportDatasets, 'audit'];

const exportFile = command({
  path: 'export',
  summary: 'Writes a data set of a vault, or its audit log, to a file',
  operands: [{ name: 'DATASET', summary: datasets.join(', '), choices: datasets }, vaultOperand],
  options: {
    url: apiOptions.url,
    json: { summary: 'the same as --format json' },
    format: { value: 'FORMAT', summary: exportFormats.join(', '), default: 'csv' },
    to: { value: 'FILE', summary: 'where it is written; else standard output' },
    from: { value: 'TIME', summary: 'of data sets: from when, such as 2026-11-01T00:00:00Z' },
    until: { value: 'TIME', summary: 'of data sets: until when' },
  },
  run: async ({ values, operands: [dataset = '', text] }, world) => {
    const { client } = clientFor(values.url, world);
    const wanted = values.json ? 'json' : values.format;
    const format = exportFormats.find((each) => each === wanted);
    if (format === undefined)
      throw new UsageError(`There is no format ${wanted}. Formats: ${exportFormats.join(', ')}.`);
    const known = exportDatasets.find((each) => each === dataset);
    if (known === undefined && dataset !== 'audit')
      throw new UsageError(`There is no data set ${dataset}. Data sets: ${datasets.join(', ')}.`);
    const params = inPath(await vaultOf(client, text));
    const { from, until: to } = values;
    const range = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
    const asked =
      known === undefined
        ? client.auditExport({ query: { ...params, format } })
        : client.analyticsExport({ params, query: { dataset: known, format, ...range } });
    const answer: unknown = await whileBusy(world, `Exporting ${dataset}`, asked);
    // The verifier of an audit log wants its bytes as they were written.
    const content = typeof answer === 'string' ? answer : JSON.stringify(answer);
    deliver(content, values.to, world);
    return 0;
  },
});

/** Files. */
export const exportCommands: readonly Command[] = [exportFile];
