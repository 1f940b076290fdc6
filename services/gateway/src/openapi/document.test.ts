import { type ErrorCode, errorCodes, type Route, routes, takesIdempotencyKey } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import { allRoutes } from '../http/serve-routes.ts';
import { descriptionOf } from './descriptions.ts';
import { openApiDocument } from './document.ts';
import { errorAdvice } from './error-advice.ts';
import { apiPage } from './page.ts';
import { errorsOf, ownErrorsOf } from './problems.ts';

type Answer = { description: string; content?: Record<string, unknown> };
const document = openApiDocument(allRoutes, 'http://127.0.0.1:8080');
const { paths, components } = document;
const answersOf = ({ path, method }: { path: string; method: string }) =>
  (paths[path]?.[method.toLowerCase()]?.responses ?? {}) as Record<string, Answer>;
const shared = components.responses as Record<string, Answer>;

test('default: both exports state every content type they are sent with', () => {
  const files = ['application/json', 'application/x-ndjson', 'text/csv'];
  for (const route of [routes.analyticsExport, routes.auditExport])
    expect(Object.keys(answersOf(route)[200]?.content ?? {}).sort()).toEqual(files);
});

test('behavior: every route may refuse, and every write what it cannot read, with or without a body of its own', () => {
  for (const route of allRoutes) {
    const { '4XX': refused, '5XX': failed } = answersOf(route);
    const references = [{ $ref: '#/components/responses/Refused' }, { $ref: '#/components/responses/Failed' }];
    expect([route.id, refused, failed]).toEqual([route.id, ...references]);
    const codes = errorsOf(route);
    const isWrite = route.method !== 'GET';
    expect([route.id, codes.includes('BAD_REQUEST')]).toEqual([route.id, true]);
    const ofBodies = [codes.includes('BODY_TOO_LARGE'), codes.includes('MEDIA_TYPE_UNSUPPORTED')];
    expect([route.id, ...ofBodies]).toEqual([route.id, isWrite, isWrite]);
  }
});

test('behavior: every code stands below its status, with what it means and what to do', () => {
  const text = `${shared.Refused?.description}\n\n${shared.Failed?.description}`;
  const stated = text
    .split(/^\*\*(?=\d{3}\*\*$)/m)
    .flatMap((part) =>
      [...part.matchAll(/^- `(\w+)`: (.+)$/gm)].map(([, code, words]) => [code, [Number(part.slice(0, 3)), words]]),
    );
  const wanted = Object.entries(errorCodes).map(([code, { status, title }]) => [
    code,
    [status, `${title}. ${errorAdvice[code as ErrorCode]}`],
  ]);
  expect(Object.fromEntries(stated)).toEqual(Object.fromEntries(wanted));
});

test('behavior: an operation names its own codes, and the introduction those of its kind', () => {
  const operation = paths['/api/v1/vaults/{chain_id}/{vault_address}/analytics/risk/drawdown']?.get;
  expect(operation?.['x-castellan-errors']).toEqual(['PERIOD_UNKNOWN', 'RANGE_REVERSED', 'POINTS_OUT_OF_RANGE']);
  const { description } = document.info;
  expect(description).toContain('a write: `MALFORMED_JSON`, `BODY_TOO_LARGE`, `MEDIA_TYPE_UNSUPPORTED`');
  for (const route of allRoutes)
    for (const code of errorsOf(route))
      expect([route.id, `${description} ${ownErrorsOf(route)}`]).toEqual([route.id, expect.stringContaining(code)]);
});

test('behavior: no operation has a code of its kind that its own description does not know', () => {
  const ofServices: readonly ErrorCode[] = [
    ...(['ROLE_REQUIRED', 'VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND', 'BLOCK_IN_FUTURE', 'BEFORE_CREATION'] as const),
    ...(['STEP_UP_REQUIRED', 'WOULD_REVERT'] as const),
  ];
  for (const route of allRoutes) {
    const { errors = [] } = descriptionOf(route);
    const unknown = errorsOf(route).filter((code) => ofServices.includes(code) && !errors.includes(code));
    expect([route.id, unknown]).toEqual([route.id, []]);
  }
});

test('behavior: what several operations answer is said once', () => {
  const given = operations.flatMap(({ responses }) => Object.values(responses).map((answer) => JSON.stringify(answer)));
  const twice = given.filter(
    (answer, index) => !answer.includes('components/responses') && given.indexOf(answer) < index,
  );
  // Of a status that needs words of its own the words stay with the operation.
  expect(twice.filter((answer) => answer.startsWith('{"description":"Done"') && answer.includes('$ref'))).toEqual([]);
  expect(shared.PreparedCall?.content).toEqual({
    'application/json': { schema: { $ref: '#/components/schemas/PreparedCall' } },
  });
});

const operations = Object.values(paths).flatMap((methods) => Object.values(methods)) as unknown as {
  operationId: string;
  parameters?: { $ref?: string; description?: string }[];
  requestBody?: { content: Record<string, { schema: Record<string, unknown> }> };
  responses: Record<string, { content?: Record<string, { schema: Record<string, unknown> }> }>;
}[];

test('behavior: every reference leads to a component, and every component is referred to', () => {
  const text = JSON.stringify(document);
  const referred = new Set([...text.matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map(([, name]) => name as string));
  const present = Object.entries(components)
    .filter(([kind]) => kind !== 'securitySchemes')
    .flatMap(([kind, members]) => Object.keys(members as object).map((name) => `${kind}/${name}`));
  expect([...referred].filter((name) => !present.includes(name))).toEqual([]);
  const unused = present.filter((name) => !referred.has(name));
  expect(unused).toEqual([]);
});

test('behavior: an object that is sent or answered has a name', () => {
  const schemas = operations.flatMap(({ operationId, requestBody, responses }) =>
    [requestBody, ...Object.values(responses)].flatMap((part) =>
      Object.values(part?.content ?? {}).map(({ schema }) => [operationId, schema] as const),
    ),
  );
  const unnamed = schemas.filter(([, schema]) => schema.properties !== undefined).map(([id]) => id);
  expect([...new Set(unnamed)]).toEqual([]);
});

test('behavior: a shape that is sent otherwise than it is answered has two components', () => {
  const { Strategy, RiskParams, RiskParamsInput } = components.schemas as Record<string, { required?: string[] }>;
  expect(JSON.stringify(Strategy)).toContain('"#/components/schemas/RiskParams"');
  expect(JSON.stringify(components)).not.toContain('StrategyInput');
  // What has a default may be left out by who sends it, and is always there in an answer.
  expect(RiskParams?.required).toContain('max_amount');
  expect(RiskParamsInput?.required ?? []).not.toContain('max_amount');
});

test('behavior: a rule holds rules', () => {
  expect(JSON.stringify((components.schemas as Record<string, unknown>).RuleTree)).toContain(
    '"items":{"$ref":"#/components/schemas/RuleTree"}',
  );
});

test('behavior: answers may gain fields, requests with a field too many are refused', () => {
  const { VaultDetail, VaultInBody } = components.schemas as Record<string, { additionalProperties?: boolean }>;
  expect(VaultDetail?.additionalProperties).toBeUndefined();
  expect(VaultInBody?.additionalProperties).toBe(false);
});

test('behavior: every parameter says what it means', () => {
  const parameters = [
    ...Object.values(components.parameters as Record<string, { description?: string }>),
    ...operations.flatMap(({ parameters = [] }) => parameters.filter(({ $ref }) => $ref === undefined)),
  ];
  expect(parameters.filter(({ description = '' }) => description.length < 10)).toEqual([]);
});

/** Every field inside of a shape, with its name. */
const fieldsOf = (value: unknown): [string, Record<string, unknown>][] => {
  if (typeof value !== 'object' || value === null) return [];
  const { properties = {} } = value as { properties?: Record<string, Record<string, unknown>> };
  return [...Object.entries(properties), ...Object.values(value).flatMap(fieldsOf)];
};

test('behavior: every number says in which unit it is', () => {
  const isNumber = ({ type }: Record<string, unknown>) =>
    ['number', 'integer'].includes([type].flat().join('').replace('null', ''));
  const silent = fieldsOf(components.schemas).filter(([, field]) => isNumber(field) && field.description === undefined);
  expect([...new Set(silent.map(([name]) => name))]).toEqual([]);
});

test('behavior: shapes, fields and operations say what the comments of the contracts say', () => {
  const { Alert, AnalyticsAnswer } = components.schemas as Record<
    string,
    { description?: string; properties: Record<string, { description?: string }> }
  >;
  expect(Alert?.description).toBe('One alert of a vault, from its opening to its end.');
  expect(Alert?.properties.facts?.description).toBe('The figures that the rule read.');
  expect(AnalyticsAnswer?.properties.block_number?.description).toBe('The last block that was taken into account.');
  expect(paths['/api/v1/alerts/{id}']?.get?.description).toBe('One alert by its id. Needs a token of scope `read`.');
});

/** What redocly's recommended rules and spectral:oas ask for; docs/api/README.md has the commands. */
test('behavior: linters find nothing', () => {
  const named = operations as unknown as Record<'operationId' | 'summary' | 'description', string>[];
  expect(new Set(named.map(({ operationId }) => operationId)).size).toBe(named.length);
  const poor = named.filter(
    ({ operationId, summary, description }) => !(/^\w+$/.test(operationId) && summary && description),
  );
  expect(poor).toEqual([]);
  expect(document.info.contact).toMatchObject({ url: 'http://127.0.0.1:8080' });
});

test('behavior: no two paths fit the same request, but where methods and ids keep them apart', () => {
  const fits = (path: string) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
  const places = (path: string) => path.split('{').length;
  const example = (one: string, other: string) =>
    one
      .split('/')
      .map((step, index) => (step.startsWith('{') ? other.split('/')[index] : step))
      .join('/');
  const pairs = Object.keys(paths).flatMap((one) =>
    Object.keys(paths)
      .filter((other) => one < other && places(one) === places(other) && fits(other).test(example(one, other)))
      .map((other) => `${one} ${other}`),
  );
  // The ids of rules are a closed list, those of alerts are made here; a wallet begins with 0x. And the methods differ.
  expect(pairs.sort()).toEqual([
    '/api/v1/alerts/rules/{rule_id} /api/v1/alerts/{id}/acknowledge',
    '/api/v1/alerts/rules/{rule_id} /api/v1/alerts/{id}/resolve',
    '/api/v1/users/view-only/{wallet_address} /api/v1/users/{wallet_address}/display-name',
  ]);
});

test('behavior: lists have pages alike, but for the two that the introduction names', () => {
  const others = allRoutes.filter(({ query }) => {
    const takes = (field: string, value: string) =>
      !query.safeParse({ [field]: value }).error?.message.includes('unrecognized');
    return takes('limit', '1') && !takes('cursor', 'c');
  });
  expect(others.map(({ id }) => id).sort()).toEqual(['alertEvents', 'listStrategies']);
  const written = operations.flatMap(({ operationId, parameters }) =>
    ((parameters ?? []) as { name?: string }[])
      .filter(({ name }) => ['limit', 'cursor', 'fields'].includes(name ?? ''))
      .map(({ name }) => `${operationId} ${name}`),
  );
  expect(written).toEqual([]);
  expect(String(document.info.description)).toContain('`after_sequence`');
});

const parametersOf = ({ path, method }: Route): string =>
  JSON.stringify(paths[path]?.[method.toLowerCase()]?.parameters ?? []);

test('behavior: a GET that states 304 takes fields, and no other operation does', () => {
  for (const route of allRoutes) {
    const states304 = route.method === 'GET' && '304' in answersOf(route) && route.cache !== 'immutable';
    expect([route.id, parametersOf(route).includes('/FieldsInQuery"')]).toEqual([route.id, states304]);
  }
});

test('behavior: a write that keeps something takes an Idempotency-Key, and no read does', () => {
  const taking = allRoutes.filter((route) => parametersOf(route).includes('/IdempotencyKey"'));
  expect(taking.map(({ id }) => id)).toEqual(allRoutes.filter(takesIdempotencyKey).map(({ id }) => id));
  expect(taking.some(({ cache, method }) => cache !== 'none' || method === 'GET')).toBe(false);
});

test('behavior: every heading is described, and an operation says which role it takes', () => {
  expect(document.tags.filter(({ description }) => typeof description !== 'string')).toEqual([]);
  expect(paths['/api/v1/users/view-only']?.post?.description).toContain("of the vault's primary manager");
});

test('behavior: the page shows the fields of every shape, and each of its links leads somewhere', () => {
  const page = apiPage(allRoutes, document);
  const targets = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
  const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id as string);
  expect([...new Set(links.filter((link) => !targets.has(link)))]).toEqual([]);
  expect(page).toContain('<code>net_pps_exact</code>');
  expect(page).toContain('<p>All fields of <a href="#shape-AnalyticsAnswer">AnalyticsAnswer</a>, and:</p>');
  expect(page).not.toContain('undefined');
});
