import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { type AsyncApiDocument, asyncApiDocument } from './asyncapi.ts';

const document = asyncApiDocument('https://castellan.example.org');
const specification = JSON.parse(
  readFileSync(createRequire(import.meta.url).resolve('@asyncapi/specs/schemas/3.0.0-without-$id.json'), 'utf8'),
);

/** The value at `#/a/b`. */
const at = (reference: string): unknown =>
  reference
    .split('/')
    .slice(1)
    .reduce<unknown>((inside, step) => (inside as Record<string, unknown> | undefined)?.[step], document);

test('default: the document is valid by the schema of AsyncAPI 3.0', () => {
  const isValid = new Ajv({ strict: false, validateFormats: false }).compile<AsyncApiDocument>(specification);
  isValid(document);
  expect(isValid.errors).toBeNull();
});

test('behavior: every reference leads somewhere', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, each]) => each as string);
  expect(references.length).toBeGreaterThan(100);
  expect(references.filter((each) => at(each) === undefined)).toEqual([]);
});

test('behavior: it describes the stream, the chat in both directions, webhooks and events of the bus', () => {
  const { vaultStream, chat, webhooks, price_transmitted } = document.channels;
  expect(Object.keys(vaultStream?.messages as object)).toEqual(
    expect.arrayContaining(['pps', 'alert', 'call', 'reset']),
  );
  expect(Object.keys(chat?.messages as object)).toEqual(
    expect.arrayContaining(['chat:send', 'chat:token', 'chat:done']),
  );
  expect(document.operations.receiveChat).toMatchObject({ action: 'receive' });
  expect(webhooks).toMatchObject({ address: null });
  expect(price_transmitted).toMatchObject({ address: '{namespace}.durable.oracle.price_transmitted' });
});

test('behavior: it says nothing of events that are between the services', () => {
  expect(JSON.stringify(document)).not.toMatch(/session_revoked|recorded/);
});
