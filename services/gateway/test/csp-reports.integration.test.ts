import { Problem } from '@castellan/contracts';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { startTestGateway, type TestGateway } from './harness.ts';

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startTestGateway();
});
afterEach(() => gateway.stop());

const report = (payload: unknown, type = 'application/csp-report') =>
  gateway.http.inject({
    method: 'POST',
    url: '/csp-reports',
    headers: { 'content-type': type },
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
  });
const counted = async () =>
  Object.fromEntries(
    (await gateway.ports.metrics.cspViolations.get()).values.map(({ labels, value }) => [labels.directive, value]),
  );

test('default: a page names where its violations are reported, and they are counted by directive', async () => {
  const { headers } = await gateway.http.inject('/docs');
  expect(headers['content-security-policy']).toContain('report-uri /csp-reports');
  expect((await report({ 'csp-report': { 'effective-directive': 'script-src-elem' } })).statusCode).toBe(204);
  await report({ 'csp-report': { 'violated-directive': "img-src 'self' data:" } });
  const listed = [
    { type: 'csp-violation', body: { effectiveDirective: 'connect-src' } },
    { type: 'deprecation', body: {} },
  ];
  await report(listed, 'application/reports+json');
  expect(await counted()).toEqual({ 'script-src-elem': 1, 'img-src': 1, 'connect-src': 1 });
});

test('behavior: who invents directives makes no labels', async () => {
  for (const known of ['script-src-elem', 'img-src', 'connect-src']) {
    await report({ 'csp-report': { 'effective-directive': known } });
  }
  for (let n = 0; n < 30; n += 1) await report({ 'csp-report': { 'effective-directive': `made-up-${n}` } });
  expect(Object.keys(await counted())).toHaveLength(4);
  expect((await counted()).other).toBe(30);
});

test('error: what is no report, or too long, or asked for instead of sent, is a problem', async () => {
  const answers = [
    await report({ surprise: 1 }),
    await report('{'),
    await report({ 'csp-report': { 'script-sample': 'x'.repeat(20_000) } }),
    await report('a=b', 'text/plain'),
    await gateway.http.inject('/csp-reports'),
  ];
  expect(answers.map((answer) => Problem.parse(answer.json()).status)).toEqual([400, 400, 413, 415, 405]);
});
