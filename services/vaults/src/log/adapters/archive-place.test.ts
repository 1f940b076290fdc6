import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { s3Place } from './archive-place.s3.ts';
import { isArchivePlace, openArchivePlace } from './archive-place.ts';

/** What a store that speaks S3 was asked. */
type Asked = { method: string; path: string; headers: IncomingHttpHeaders };

const asked: Asked[] = [];
const objects = new Map<string, Buffer>();
let failures = 0;
let server: Server;
let settings: Record<string, string> = {};
let folder: string;

const notThere = '<?xml version="1.0"?><Error><Code>NoSuchKey</Code><Message>There is none.</Message></Error>';

async function listening(of: Server): Promise<string> {
  await new Promise<void>((resolve) => of.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(of.address() as AddressInfo).port}`;
}
function closed(of: Server): Promise<unknown> {
  of.closeAllConnections();
  return new Promise((resolve) => of.close(resolve));
}

afterEach(() => {
  asked.length = 0;
  failures = 0;
});
beforeAll(async () => {
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', headers } = request;
    const { pathname: path } = new URL(request.url ?? '', 'http://localhost');
    asked.push({ method, path, headers });
    if (failures > 0) {
      failures -= 1;
      response.writeHead(503).end('<Error><Code>SlowDown</Code></Error>');
      return;
    }
    if (method === 'PUT') objects.set(path, Buffer.concat(chunks));
    const found = objects.get(path);
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/xml' });
    response.end(method === 'PUT' ? undefined : (found ?? notThere));
  });
  settings = {
    AWS_ENDPOINT_URL_S3: await listening(server),
    AWS_ACCESS_KEY_ID: 'AKIATEST',
    AWS_SECRET_ACCESS_KEY: 'the-secret-access-key-of-a-test',
    AWS_REGION: 'eu-central-1',
  };
  Object.assign(process.env, settings);
  folder = mkdtempSync(join(tmpdir(), 'castellan-archive-'));
});
afterAll(async () => {
  for (const name of Object.keys(settings)) Reflect.deleteProperty(process.env, name);
  rmSync(folder, { recursive: true, force: true });
  await closed(server);
});

const content = Buffer.from([0x1f, 0x8b, 0, 255, 10, 13]);

test.each(['s3://logs/castellan/main', 's3://logs/castellan/main/'])(
  'default: %s writes objects below its prefix, signed, and reads them as they were',
  async (url) => {
    const place = await openArchivePlace(url);
    await place.write('1/a.gz', content);
    expect(await place.read('1/a.gz')).toEqual(content);
    expect(asked.map(({ method, path }) => [method, path])).toEqual([
      ['PUT', '/logs/castellan/main/1/a.gz'],
      ['GET', '/logs/castellan/main/1/a.gz'],
    ]);
    for (const { headers } of asked)
      expect(headers.authorization).toMatch(
        /^AWS4-HMAC-SHA256 Credential=AKIATEST\/\d+\/eu-central-1\/s3\/aws4_request/,
      );
  },
);

test('behavior: a store that is busy is asked again; what is not there is an error', async () => {
  const place = await openArchivePlace('s3://logs');
  failures = 1;
  await place.write('1/b.gz', content);
  expect(objects.get('/logs/1/b.gz')).toEqual(content);
  await expect(place.read('1/none.gz')).rejects.toMatchObject({ name: 'NoSuchKey' });
});

test('behavior: a store that does not answer is given up', async () => {
  // A server of its own, and the SDK's own count: on a busy machine a request leaves, or arrives, after its attempt has ended.
  const silent = createServer(() => undefined);
  process.env.AWS_ENDPOINT_URL_S3 = await listening(silent);
  try {
    const place = s3Place('logs', '', { attemptMs: 50, attempts: 2 });
    await expect(place.read('1/b.gz')).rejects.toMatchObject({ name: 'TimeoutError', $metadata: { attempts: 2 } });
  } finally {
    Object.assign(process.env, settings);
    await closed(silent);
  }
});

test('default: a folder keeps files whole, and a file that was damaged is written anew', async () => {
  const place = await openArchivePlace(folder);
  await place.write('1/a.gz', Buffer.from('half'));
  await place.write('1/a.gz', content);
  expect(await place.read('1/a.gz')).toEqual(content);
  expect(readdirSync(join(folder, '1'))).toEqual(['a.gz']);
  await expect(place.read('1/none.gz')).rejects.toMatchObject({ code: 'ENOENT' });
});

test('error: other URLs, and buckets that cannot be, name no place', () => {
  expect(['/srv/log', 'relative', 's3://logs', 's3://logs/a/b'].filter((text) => !isArchivePlace(text))).toEqual([]);
  expect(['https://logs/a', 's3://', 's3:///a', 's3://Logs/a', 'gs://logs'].filter(isArchivePlace)).toEqual([]);
});
