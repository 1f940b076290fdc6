import { expect, test } from '@jest/globals';
import { createLogger, rememberSecret, withRequestId } from './index.ts';

const logged = () => {
  const lines: Record<string, unknown>[] = [];
  const out = { write: (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>) };
  return { lines, log: createLogger({ service: 'test', level: 'info', out }) };
};

test('default: constant message, fields beside it, ids from the context', () => {
  const { lines, log } = logged();
  withRequestId('req-9', () => log.info('vault indexed', { chainId: 1, block: 12n, deep: { wei: 5n } }));
  log.debug('not at this level');
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({ level: 'info', service: 'test', msg: 'vault indexed', request_id: 'req-9' });
  expect(lines[0]).toMatchObject({ chainId: 1, block: '12' });
});

test('behavior: an error keeps its cause, and secrets are masked in both', () => {
  const { lines, log } = logged();
  rememberSecret('https://rpc.example/secret-key-123');
  const cause = new Error('POST https://rpc.example/secret-key-123 failed');
  log.error('rpc failed', { error: new Error('no answer', { cause }) });
  expect(lines[0]).toMatchObject({ error: { message: 'no answer', cause: { message: 'POST [secret] failed' } } });
  expect(JSON.stringify(lines)).not.toContain('secret-key-123');
});
