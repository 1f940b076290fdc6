import { expect, test } from '@jest/globals';
import { sizeOfApi } from './main.ts';
import { type Document, typeLinesOf } from './type-lines.ts';

/** A document with each kind of shape; `npx -p typescript@5 -p openapi-typescript@7.13.0 openapi-typescript` made 213 lines of it. */
const small = {
  paths: {
    '/vaults/{id}': {
      get: {
        operationId: 'vault',
        summary: 'One vault',
        description: 'Anybody may ask.',
        parameters: [
          { $ref: '#/components/parameters/Id' },
          {
            name: 'detail',
            in: 'query',
            description: 'How much.',
            schema: { type: 'string', enum: ['full', 'minimal'] },
          },
        ],
        responses: {
          '200': {
            description: 'Done',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Vault' } } },
          },
          '304': { $ref: '#/components/responses/NotModified' },
          '4XX': { $ref: '#/components/responses/Refused' },
        },
      },
      put: {
        operationId: 'change',
        summary: 'Change it',
        description: 'Needs a token.',
        parameters: [{ $ref: '#/components/parameters/Id' }],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Change' } } },
        },
        responses: { '204': { description: 'Done' } },
      },
    },
    '/export': {
      get: {
        operationId: 'export',
        summary: 'All of it',
        description: 'Anybody may ask.',
        responses: {
          '200': {
            description: 'Done',
            content: { 'text/csv': { schema: { type: 'string' } }, 'application/json': { schema: {} } },
          },
        },
      },
    },
  },
  components: {
    parameters: {
      Id: { name: 'id', in: 'path', required: true, description: 'Which one.', schema: { type: 'string' } },
    },
    responses: {
      NotModified: { description: 'Not changed' },
      Refused: {
        description: '**400**\n\n- `A`: a',
        content: {
          'application/problem+json': {
            schema: {
              allOf: [
                { $ref: '#/components/schemas/Problem' },
                { properties: { code: { type: 'string', enum: ['A', 'B'] } } },
              ],
            },
          },
        },
      },
    },
    schemas: {
      Problem: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
      Vault: {
        description: 'A vault.',
        type: 'object',
        properties: {
          at: { type: 'string', format: 'date-time', description: 'When.' },
          kind: { const: 'vault' },
          figures: { type: 'object', additionalProperties: { type: 'number' } },
          parts: { type: 'array', items: { type: 'object', properties: { a: { type: 'string', examples: ['x'] } } } },
          pair: {
            type: 'array',
            prefixItems: [{ type: 'string' }, { type: 'number' }],
            items: {},
            minItems: 2,
            maxItems: 2,
          },
          none: { type: 'object', additionalProperties: {} },
        },
        required: ['at'],
      },
      Change: {
        oneOf: [
          {
            type: 'object',
            properties: { limits: { $ref: '#/components/schemas/Limits', default: { most: 1 } } },
            additionalProperties: false,
          },
          {
            type: 'object',
            properties: { count: { type: 'integer', default: 0, description: 'How many.' } },
            required: ['count'],
          },
          { type: 'null' },
        ],
      },
      Limits: { type: 'object', properties: { most: { type: ['integer', 'null'] } } },
      Upon: {
        description: 'More.',
        allOf: [
          { $ref: '#/components/schemas/Limits' },
          {
            type: 'object',
            properties: { least: { anyOf: [{ $ref: '#/components/schemas/Problem' }, { type: 'null' }] } },
          },
        ],
      },
    },
  },
};

test('default: counts the lines that openapi-typescript writes', () => {
  expect(typeLinesOf(small as unknown as Document)).toBe(213);
});

/** A path has 16 lines and an operation some 25 before a field of it is said: more than half of the lines are these frames. */
test('boundary: the types of the whole API stay below 15 600 lines, an operation below 76', () => {
  const { lines, operations } = sizeOfApi();
  expect(lines).toBeLessThan(15_600);
  expect(lines / operations).toBeLessThan(76);
});

test('boundary: the description stays below 520 kB, an operation below 2 550 bytes', () => {
  const { bytes, operations } = sizeOfApi();
  expect(bytes).toBeLessThan(520_000);
  expect(bytes / operations).toBeLessThan(2_550);
});
