import { MandateDocument } from '@castellan/contracts';

export type ReadDocument = { document: MandateDocument } | { faults: string[] };

const placeOf = (path: readonly PropertyKey[]): string =>
  path.length === 0 ? 'The document' : path.map(String).join('.');

/** Reads YAML or JSON, which is YAML as well; the parser is loaded with the first text. */
export async function readDocument(text: string): Promise<ReadDocument> {
  const { parse } = await import('yaml');
  let value: unknown;
  try {
    value = parse(text, { maxAliasCount: 0 });
  } catch (error) {
    return { faults: [`This is neither YAML nor JSON: ${(error as Error).message.split('\n')[0]}`] };
  }
  const read = MandateDocument.safeParse(value);
  if (read.success) return { document: read.data };
  return { faults: read.error.issues.map(({ path, message }) => `${placeOf(path)}: ${message}`) };
}

/** Where a first mandate begins. */
export const firstMandate = `format: 1
title: Mandate
public: false
promises:
  - id: one-source
    kind: source_share
    at_most_bps: 6000
  - id: liquidity
    kind: idle_share
    at_least_bps: 200
  - id: drawdown
    kind: drawdown
    at_most_bps: 500
  - id: fresh-price
    kind: price_age
    at_most_seconds: 86400
`;
