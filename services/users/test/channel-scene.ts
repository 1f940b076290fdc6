import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AlertEvent } from '@castellan/contracts';
import { inTransaction } from '@castellan/service-kit';
import { freePort, startTestStore, type TestStore } from '@castellan/testkit';
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { ChannelStore } from '../src/alerts/channels/adapters/channel-store.mongo.ts';
import { sealer } from '../src/alerts/channels/adapters/sealed.ts';
import { openNotificationCollections } from '../src/alerts/channels/models/collections.ts';
import { bindChannel, listVaultChannels } from '../src/alerts/channels/use-cases/bindings.ts';
import { createChannel } from '../src/alerts/channels/use-cases/channels.ts';
import { Dispatcher } from '../src/alerts/delivery/deliver-and-retry.ts';
import { type Send, sendThrough } from '../src/alerts/delivery/providers.ts';
import { safePost } from '../src/alerts/delivery/safe-post.ts';
import { openDutyCollections } from '../src/alerts/duty/models/collections.ts';
import { type AlertScene, openAlertScene } from './alerts-scene.ts';
import { primary, vault } from './scene.ts';

const key = Buffer.alloc(32, 7);
export const sealed = sealer(key);
export const secret = 'a-secret-of-at-least-24-characters';

async function partsOf(scene: AlertScene, trustedOrigins: string[]) {
  const collections = openNotificationCollections(scene.mongo);
  const duty = openDutyCollections(scene.mongo);
  for (const model of Object.values(scene.mongo.models)) await model.createIndexes();
  /** What the store was not believed. */
  const distrusted: string[] = [];
  const channels = new ChannelStore(collections, sealer(key), (collection, id) => {
    distrusted.push(`${collection} ${String(id)}`);
  });
  const now = () => new Date(scene.world.now);
  const sending = (timeoutMs: number): Send =>
    sendThrough({ post: safePost({ trustedOrigins, timeoutMs }), outbox: scene.outbox, now });
  // The second is for receivers that never answer, and whose end a test waits for.
  const [real, impatient] = [sending(30_000), sending(3_000)];
  const dispatcher = (send: Send = real) =>
    new Dispatcher({
      store: channels,
      records: scene.records,
      send,
      mongo: scene.mongo,
      metrics: scene.deliveryMetrics,
      log: scene.log,
      auditLog: scene.auditLog,
      callAction: scene.callAction,
      now,
      escalation: { ...scene, duty },
    });
  const deps = { ...scene, duty, store: channels, dispatcher: dispatcher(), trustedOrigins, now };
  return { collections, channels, distrusted, dispatcher, real, impatient, deps };
}

export type Got = { at: number; status: number; event: AlertEvent; headers: IncomingMessage['headers']; body: string };
/** A receiver that answers as set; undefined: it is not there. */
export async function receiver(scene: AlertScene) {
  const got: Got[] = [];
  const state = { answer: 200, location: undefined as string | undefined, hang: false, endless: false };
  let server: Server | undefined;
  const port = await freePort();
  // Its own: what a file that ran before on this port still asks of it there is no delivery.
  const path = `/hook-${randomUUID()}`;
  const start = async () => {
    server = createServer((request, response) => {
      if (request.url !== path) return response.writeHead(404).end();
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        got.push({
          at: scene.world.now,
          status: state.answer,
          event: JSON.parse(body),
          headers: request.headers,
          body,
        });
        if (state.hang) return;
        response.writeHead(state.answer, state.location ? { location: state.location } : {});
        if (!state.endless) return response.end('ok');
        const more = setInterval(() => response.write('x'.repeat(32_768)), 1);
        response.on('close', () => clearInterval(more));
      });
    });
    await new Promise<void>((resolve) => server?.listen(port, '127.0.0.1', resolve));
  };
  const stop = async () => {
    server?.closeAllConnections();
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
    server = undefined;
  };
  await start();
  return { got, state, start, stop, url: `http://127.0.0.1:${port}${path}` };
}

/** The alerts' scene with channels, a dispatcher and a receiver of webhooks, all real but the clock. */
async function openChannelScene(store: TestStore) {
  const scene = await openAlertScene(store);
  const hook = await receiver(scene);
  // This receiver only, not all of loopback; a test adds others.
  const trustedOrigins = [new URL(hook.url).origin];
  const parts = await partsOf(scene, trustedOrigins);
  const call = (wallet = primary) => scene.call(wallet);
  let count = 0;
  return {
    scene,
    parts,
    trustedOrigins,
    hook,
    call,
    /** An event of the vault. */
    happen(severity: 'critical' | 'info' = 'critical') {
      count += 1;
      const event = {
        event_id: `e${count}`,
        event_type: 'alert.opened' as const,
        timestamp: '2026-01-01T00:00:00.000Z',
        ...vault,
        data: { alert: null, note: `n${count}` },
      };
      return inTransaction(scene.mongo, (session) => scene.records.addEvent(event, severity, session));
    },
    async aWebhook(): Promise<string> {
      const { channel_id } = await createChannel(parts.deps)(
        { provider: 'webhook', name: 'Desk', config: { url: hook.url, secret } },
        call(),
      );
      await bindChannel(parts.deps)({ ...vault, channel_id, min_severity: 'info' }, call());
      return channel_id;
    },
    /** Lets seconds go by, with a step of delivery in each. */
    async pass(seconds: number, dispatcher: Dispatcher) {
      for (let n = 0; n < seconds; n += 1) {
        scene.world.now += 1000;
        await dispatcher.step();
      }
    },
    bindingNow: async () => (await listVaultChannels(parts.deps)(vault, call())).channels[0],
    async close() {
      await hook.stop();
      await scene.mongo.close();
    },
  };
}
export type ChannelScene = Awaited<ReturnType<typeof openChannelScene>>;

/** Opens a scene before each test of a file and closes it after, over one store. */
export function forEachTest(take: (opened: ChannelScene) => void): void {
  let store: TestStore;
  let opened: ChannelScene;
  beforeAll(async () => {
    store = await startTestStore();
  });
  afterAll(() => store.stop());
  beforeEach(async () => {
    opened = await openChannelScene(store);
    take(opened);
  });
  afterEach(() => opened.close());
}
